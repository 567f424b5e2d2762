package cache

import (
	"testing"

	"github.com/typedinformers/informer-gen/internal/packing"
)

// needsGoValues skips a test of what is different for packed objects, if all informers have those.
func needsGoValues(t testing.TB) {
	t.Helper()
	if packing.Default != nil {
		t.Skip("packed objects have no Go value that stays the same")
	}
}

// needsSlowWriter skips a test whose index functions keep the writer busy, if they are called before that, for packed objects.
func needsSlowWriter(t testing.TB) {
	t.Helper()
	if packing.Default != nil {
		t.Skip("the writer calls no index function for packed objects")
	}
}
