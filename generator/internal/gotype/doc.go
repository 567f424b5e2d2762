// Package gotype answers questions about Go types: how JSON encodes them, and which metadata they have.
package gotype
