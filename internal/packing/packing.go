// Package packing lets tests run with packed objects.
package packing

import "github.com/typedinformers/informer-gen/runtime/compression"

// Default is the Method of informers that have neither WithPacking nor a transform. It is nil in programs. Tests of several
// modules set it in TestMain.
var Default compression.Method
