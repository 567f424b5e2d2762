package apitest_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestDeleteManyAtOnce deletes more objects at once than two histories have events.
func TestDeleteManyAtOnce(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(widget), apitest.WithHistory(10))
	c := client{t, server}
	seeds := make([]string, 25_000)
	for i := range seeds {
		add(t, server, named("example.com/v1", "Widget", "a", fmt.Sprintf("w%05d", i)))
	}
	if deleted := items(c.do("DELETE", widgets, "", 200)); len(deleted) != len(seeds) {
		t.Errorf("%d objects were deleted, want %d", len(deleted), len(seeds))
	}
	if left := items(c.do("GET", widgets, "", 200)); len(left) != 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestMemoryIsBounded writes many versions and deleted objects, which the server forgets.
func TestMemoryIsBounded(t *testing.T) {
	server := apitest.Start(t, apitest.WithKinds(widget), apitest.WithHistory(100))
	c := client{t, server}
	round := func(n int) uint64 {
		for i := range n {
			one := fmt.Sprintf("%s/w%d", widgets, i)
			c.do("POST", widgets, fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w%d", "ownerReferences": [{"apiVersion": "v1", "kind": "Unknown", "name": "x", "uid": "x%d"}]}}`, i, i), 201)
			c.do("DELETE", one, "", 200)
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := round(300)
	if after := round(3000); after > before+1<<20 {
		t.Errorf("3,000 objects that were deleted have left %d bytes", after-before)
	}
}
