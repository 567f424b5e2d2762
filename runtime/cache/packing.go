package cache

import (
	"reflect"
)

// transformOfPacked is the mistake of a transform of packed objects, which are the texts of the server.
func transformOfPacked(option string, object reflect.Type) error {
	return optionError(option, object, "packed objects are the texts of the server, so they cannot be transformed; leave fields out by WithoutFields, or pass cache.WithOptionsFor[%v](cache.WithPacking(nil))", object)
}
