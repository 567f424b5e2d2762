package scopes

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// use is what the process uses.
type use struct{ goroutines, heap, stacks int64 }

// inUse returns what the process uses after a garbage collection. Stacks shrink by a half in each.
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

func (u use) String() string {
	return fmt.Sprintf("%d goroutines, %d bytes of heap, %d bytes of stacks", u.goroutines, u.heap, u.stacks)
}

func TestScopeCost(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	if n == 0 {
		n = 1000
	}
	server := start(t)
	client := server.connect(t)
	var now counts
	ask(t, client, "/counts", &now)
	before := inUse()
	namespaces := make([]string, n)
	for i := range namespaces {
		namespaces[i] = fmt.Sprintf("team-%d", i)
	}
	informer, err := corev1informers.ConfigMapKind(client).NewInformer(cache.WithNamespaces(namespaces...), cache.WithoutStreamingList())
	if err != nil {
		t.Fatal(err)
	}
	var updates sync.WaitGroup
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.ConfigMap]{
		UpdateFunc: func(_, _ *corev1.ConfigMap) { updates.Done() },
	}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("made:", inUse().minus(before))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { informer.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		t.Fatal(err)
	}
	for now.Watches < int64(n) {
		ask(t, client, "/counts", &now)
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("idle:", inUse().minus(before), now)
	updates.Add(n)
	ask(t, client, "/update", nil)
	updates.Wait()
	fmt.Println("after an update of each:", inUse().minus(before))
	if name := os.Getenv("PROFILE"); name != "" {
		f, _ := os.Create(name + ".heap")
		_ = pprof.Lookup("heap").WriteTo(f, 0)
		f.Close()
		g, _ := os.Create(name + ".goroutines")
		_ = pprof.Lookup("goroutine").WriteTo(g, 1)
		g.Close()
	}
}
