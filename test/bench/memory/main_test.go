package memory

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

var objectsFlag = flag.String("objects", "10000", "how many objects an informer caches: numbers with commas between them")

// manyEvents is how many events are sent to one handler in an iteration.
const manyEvents = 100_000

func TestMain(m *testing.M) {
	// client-go reads it when the first informer is made. What it watches here has no initial events.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// eachSide runs a benchmark for each number of objects and each side.
func eachSide(b *testing.B, run func(b *testing.B, m *measurement)) {
	for text := range strings.SplitSeq(*objectsFlag, ",") {
		objects, err := strconv.Atoi(text)
		if err != nil || objects < onNode {
			b.Fatalf("-objects=%s: at least %d are needed", text, onNode)
		}
		for _, side := range sides {
			b.Run(fmt.Sprintf("objects=%d/side=%s", objects, side.name), func(b *testing.B) {
				run(b, &measurement{side, workloadOf(objects)})
			})
		}
	}
}

// workloadOf keeps the last workload for the next benchmark.
func workloadOf(objects int) *workload {
	if lastWorkload == nil || len(lastWorkload.pods) != objects {
		lastWorkload = nil // or the heap has both
		lastWorkload = newWorkload(objects)
	}
	return lastWorkload
}

var lastWorkload *workload

// measurement is what a benchmark measures.
type measurement struct {
	side side
	work *workload
}

// running is an informer that has its first list.
type running struct {
	*informer
	source   *source
	counters meter.Counters
	cancel   context.CancelFunc
	ended    sync.WaitGroup
}

// stop returns when the informer has ended.
func (r *running) stop() {
	r.cancel()
	r.ended.Wait()
}

// start runs an informer, and returns when all handlers have received the first list.
func (m *measurement) start(t testing.TB, room, indexes, handlers int) *running {
	t.Helper()
	m.work.reset()
	r := &running{source: newSource(room, m.work), counters: meter.NewCounters(handlers)}
	var err error
	if r.informer, err = m.side.newInformer(r.source, indexes, r.counters); err != nil {
		t.Fatal(err)
	}
	r.counters.Expect(len(m.work.pods))
	running, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.ended.Go(func() { r.run(running) })
	r.await(t, meter.Counts{Adds: len(m.work.pods)})
	return r
}

// await waits until all handlers have received as many events as they expect. It fails if they are other ones.
func (r *running) await(t testing.TB, want meter.Counts) (last time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	last, err := r.counters.Await(ctx)
	if err == nil {
		err = r.counters.Check(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// perEach repeats some work on count objects or events, and reports what each costs. prepare is not measured.
func perEach(b *testing.B, each string, count int, prepare func() (work func())) {
	var mallocs uint64
	var stats runtime.MemStats
	for b.Loop() {
		b.StopTimer()
		work := prepare()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		mallocs -= stats.Mallocs
		b.StartTimer()
		work()
		b.StopTimer()
		runtime.ReadMemStats(&stats)
		mallocs += stats.Mallocs
		b.StartTimer()
	}
	total := float64(b.N) * float64(count)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/total, "ns/"+each)
	b.ReportMetric(float64(mallocs)/total, "allocs/"+each)
	b.ReportMetric(0, "ns/op") // that of many events says nothing
}

// TestSides lets both sides do what is measured, and checks what they have then.
func TestSides(t *testing.T) {
	for _, side := range sides {
		for _, indexes := range []int{0, usual, 8} {
			m := &measurement{side, newWorkload(2500)}
			r := m.start(t, channelSize, indexes, 3)
			m.check(t, r, indexes)
			m.send(t, r, meter.Counts{Adds: 500, Deletes: 500}, m.work.deletesAndAdds(1000))
			m.send(t, r, meter.Counts{Updates: 5000}, m.work.next(5000, len(m.work.pods)))
			m.check(t, r, indexes)
			r.stop()
		}
	}
}

// TestCheck notices what a cache has of an earlier state.
func TestCheck(t *testing.T) {
	m := &measurement{sides[0], newWorkload(1000)}
	r := m.start(t, channelSize, usual, 1)
	defer r.stop()
	if err := m.differs(r, usual); err != nil {
		t.Error(err)
	}
	m.work.next(1, 1)
	if err := m.differs(r, usual); err == nil {
		t.Error("an earlier state is taken for the last one")
	}
}
