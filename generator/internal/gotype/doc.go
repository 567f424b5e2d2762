// Package gotype answers questions about Go types: how JSON and protobuf encode them, and which metadata they have.
package gotype
