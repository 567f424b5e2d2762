// Package packing lets tests run with packed objects.
package packing

import "github.com/typedinformers/informer-gen/runtime/compression"

// Default is the Method of informers that have neither WithPacking nor a transform. It is nil in programs. Tests of several
// modules set it in TestMain.
var Default compression.Method

// KeptOfList is the number of objects of a list that are not decoded again for handlers. They take some MB, until handlers have
// returned from them. Tests make it small, so that the texts of most objects are only checked when they arrive.
var KeptOfList int32 = 1024
