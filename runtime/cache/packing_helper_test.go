package cache

import (
	"reflect"
	"testing"
)

// needsGoValues skips a test of what is different for packed objects, if all informers have those.
func needsGoValues(t testing.TB) {
	t.Helper()
	if defaultPacking() != nil {
		t.Skip("packed objects have no Go value that stays the same")
	}
}

// needsSlowWriter skips a test whose index functions keep the writer busy, if they are called before that, for packed objects.
func needsSlowWriter(t testing.TB) {
	t.Helper()
	if defaultPacking() != nil {
		t.Skip("the writer calls no index function for packed objects")
	}
}

// isState reports whether two objects are one state of an object: the same Go value, or, if objects are packed, an equal one.
func isState(a, b Object) bool {
	if defaultPacking() == nil {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}
