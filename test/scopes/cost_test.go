package scopes

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// The limits of docs/scale.md for one namespace of an informer, while nothing happens in it. They
// include the HTTP client: one of the goroutines is its, and about a third of the bytes.
const (
	maxGoroutines = 2
	maxBytes      = 36 << 10 // of the heap and of stacks
	// raceBytes is what the race detector adds: frames are larger, so stacks have twice the size.
	raceBytes = 12 << 10
)

// hasRace reports whether the test was compiled with -race.
func hasRace() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// use is what the process uses.
type use struct{ goroutines, heap, stacks int64 }

// inUse returns what the process uses after garbage collections. Each of them halves the stacks that
// are nearly empty.
func inUse() use {
	for range 6 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return use{int64(runtime.NumGoroutine()), int64(stats.HeapAlloc), int64(stats.StackInuse)}
}

func (u use) minus(v use) use {
	return use{u.goroutines - v.goroutines, u.heap - v.heap, u.stacks - v.stacks}
}

// TestCostOfANamespace runs an informer that follows many namespaces, each with one object.
func TestCostOfANamespace(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	server := start(t)
	client := server.connect(t)
	var now counts
	ask(t, client, "/counts", &now) // opens the first connection
	before := inUse()

	namespaces := make([]string, n)
	for i := range namespaces {
		namespaces[i] = fmt.Sprintf("team-%d", i)
	}
	informer, err := corev1informers.ConfigMapKind(client).NewInformer(cache.WithNamespaces(namespaces...))
	if err != nil {
		t.Fatal(err)
	}
	var updates sync.WaitGroup
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.ConfigMap]{
		UpdateFunc: func(_, _ *corev1.ConfigMap) { updates.Done() },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { informer.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		t.Fatal(err)
	}
	ask(t, client, fmt.Sprintf("/await?watches=%d", n), nil)
	check(t, "after the first list", n, inUse().minus(before))

	updates.Add(n)
	ask(t, client, "/update", nil)
	updates.Wait()
	check(t, "after an event in each", n, inUse().minus(before))

	ask(t, client, "/counts", &now)
	if limit := int64(n/streamsOfAServer + 2); now.Connections > limit { // some streams are those of requests that have ended just now
		t.Errorf("%d namespaces have %d connections, want at most %d", n, now.Connections, limit)
	}
	if now.Lists != int64(n) {
		t.Errorf("%d lists of %d namespaces", now.Lists, n)
	}
}

// check fails if n namespaces cost more than the limits.
func check(t *testing.T, when string, n int, used use) {
	t.Helper()
	each := func(total int64) float64 { return float64(total) / float64(n) }
	t.Logf("%s, a namespace costs %.2f goroutines, %.0f bytes of heap and %.0f of stacks", when, each(used.goroutines), each(used.heap), each(used.stacks))
	// The informer and each connection have some goroutines of their own.
	if fixed := int64(10 + 2*n/streamsOfAServer); used.goroutines > int64(maxGoroutines*n)+fixed {
		t.Errorf("%s, %d namespaces have %d goroutines, want at most %d each and %d", when, n, used.goroutines, maxGoroutines, fixed)
	}
	limit := float64(maxBytes)
	if hasRace() {
		limit += raceBytes
	}
	if all := used.heap + used.stacks; each(all) > limit {
		t.Errorf("%s, a namespace costs %.0f bytes, want at most %.0f", when, each(all), limit)
	}
}
