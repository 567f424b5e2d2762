package cache

import (
	"reflect"

	"github.com/typedinformers/informer-gen/internal/packing"
)

// Compression makes the dictionaries with which WithPacking compresses the texts of objects. Its methods may be called from
// several goroutines.
type Compression = packing.Compression

// Dictionary compresses texts that resemble its own.
type Dictionary = packing.Dictionary

// transformOfPacked is the mistake of a transform of packed objects, which are the texts of the server.
func transformOfPacked(option string, object reflect.Type) error {
	return optionError(option, object, "packed objects are the texts of the server, so they cannot be transformed; leave fields out by WithoutFields, or pass cache.For[%v](cache.WithPacking(nil))", object)
}
