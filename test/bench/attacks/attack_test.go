package attacks

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

var sizeFlag = flag.Int("size", 1_500_000, "how many bytes an object has; the default is the limit of etcd")

// attack is the same work on both sides.
type attack struct {
	name string
	// prepare is called once. It returns the work, which is called several times.
	prepare func() (ours, theirs func() error)
}

func allAttacks(size int) []attack {
	return slices.Concat(decoding(size), messages(size), indexing(size))
}

// start prepares an attack, and does the work once: the first calls make plans and get
// memory from the system. It fails if one side refuses an object that the other side takes.
func (a *attack) start() (ours, theirs func() error, err error) {
	ours, theirs = a.prepare()
	oursFailed, theirsFailed := ours(), theirs()
	if (oursFailed == nil) != (theirsFailed == nil) {
		err = fmt.Errorf("%s: ours returns the error %v, client-go %v", a.name, oursFailed, theirsFailed)
	}
	return ours, theirs, err
}

// BenchmarkAttack has the target of an attack before its name.
func BenchmarkAttack(b *testing.B) {
	for _, a := range allAttacks(*sizeFlag) {
		target, name, _ := strings.Cut(a.name, ": ")
		b.Run(meter.Name(target)+"/"+meter.Name(name), func(b *testing.B) {
			ours, theirs, err := a.start()
			if err != nil {
				b.Fatal(err)
			}
			b.Run("side=informer-gen", func(b *testing.B) { measure(b, ours) })
			b.Run("side=client-go", func(b *testing.B) { measure(b, theirs) })
		})
	}
}

// enough is how long calls are measured together: the clock of processor time may have
// steps of milliseconds.
const enough = 50 * time.Millisecond

// fresh does the work in a goroutine of its own, as both sides decode a list: a stack that an earlier call has grown would hide
// what a deep object costs.
func fresh(call func() error) {
	var done sync.WaitGroup
	done.Go(func() { _ = call() }) // start has compared the errors
	done.Wait()
}

// measure reports the processor time of a call and of the garbage collection after it, in
// which its allocations count.
func measure(b *testing.B, call func() error) {
	var total time.Duration
	for b.Loop() {
		runtime.GC()
		before, calls := meter.CPUTime(), 0
		for took := time.Duration(0); took < enough && calls < 20; calls++ {
			fresh(call)
			took = meter.CPUTime() - before
		}
		runtime.GC()
		total += (meter.CPUTime() - before) / time.Duration(calls)
	}
	b.ReportMetric(float64(total)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(0, "ns/op")
}
