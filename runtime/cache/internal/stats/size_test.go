package stats

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
)

type node struct {
	name  string // unexported fields count too
	next  *node
	any   any
	List  []int32
	Bytes [4]byte
}

func (n *node) String() string { panic("a method was called") }

const (
	nodeSize = int64(unsafe.Sizeof(node{}))
	word     = int64(unsafe.Sizeof(uintptr(0)))
	header   = 2 * word // of a text, or of a value in any
)

func TestSizer(t *testing.T) {
	cycle := &node{}
	cycle.next = &node{next: cycle}
	text := strings.Repeat("x", 100)
	for name, test := range map[string]struct {
		value any
		want  int64
	}{
		"nil":                  {nil, 0},
		"a nil pointer":        {(*node)(nil), 0},
		"a pointer":            {&node{}, nodeSize},
		"a value":              {node{}, nodeSize},
		"text":                 {&node{name: "1234567"}, nodeSize + 7},
		"capacity":             {&node{List: make([]int32, 1, 10)}, nodeSize + 40},
		"a cycle":              {cycle, 2 * nodeSize},
		"a number in any":      {&node{any: int64(1 << 40)}, nodeSize + 8},
		"a pointer in any":     {&node{any: &node{}}, 2 * nodeSize},
		"text in any":          {&node{any: "1234"}, nodeSize + header + 4},
		"a shared text":        {[]string{text, text}, 3*word + 2*header + 100},
		"pointers in an array": {&[2]*node{{}, nil}, 2*word + nodeSize},
		"an empty map":         {map[string]string{}, word + 48},
		"a small map":          {map[int64]int64{1: 1}, word + 48 + 8 + 8*16},
		"a map of 15":          {intMap(15), word + 48 + 32 + 32*16},
		"a map of text":        {map[string]string{"abc": "1234"}, word + 48 + 8 + 8*2*header + 7},
		"a time":               {&struct{ at time.Time }{time.Now()}, int64(unsafe.Sizeof(time.Time{}))}, // not the zones
		"a function":           {&struct{ f func() }{func() {}}, word},
	} {
		var s Sizer
		if got, ok := s.Add(test.value); got != test.want || !ok {
			t.Errorf("%s: %d bytes, want %d", name, got, test.want)
		}
		if got, _ := s.Add(test.value); test.value != nil && reflect.ValueOf(test.value).Kind() == reflect.Pointer && got != 0 {
			t.Errorf("%s: %d bytes of what was counted", name, got)
		}
	}
}

func intMap(n int64) map[int64]int64 {
	m := map[int64]int64{}
	for i := range n {
		m[i] = i
	}
	return m
}

// TestSizerStops has more values than it visits.
func TestSizerStops(t *testing.T) {
	all := make([]*node, 2*maxVisited)
	for i := range all {
		all[i] = &node{}
	}
	var s Sizer
	if _, ok := s.Add(all); ok || len(s.seen) > maxVisited {
		t.Errorf("it has visited %d values, and goes on: %v", len(s.seen), ok)
	}
}

// TestEstimate counts how often a sample is taken.
func TestEstimate(t *testing.T) {
	var e Estimate
	samples, size := 0, 100
	read := func(now time.Duration, objects int) int64 {
		return e.Bytes(clock.Stamp(now+1), objects, func(yield func(any) bool) {
			samples++
			for i := range min(objects, 4) {
				if !yield(ptr(strings.Repeat(fmt.Sprint(i), size))) {
					return
				}
			}
		})
	}
	for _, step := range []struct {
		at            time.Duration
		objects, size int
		sampled       int // the size at the last sample
		samples       int
		what          string
	}{
		{0, 0, 100, 100, 1, "an empty cache"},
		{time.Second, 10, 100, 100, 2, "the first objects"},
		{2 * time.Second, 19, 200, 100, 2, "some more"},
		{3 * time.Second, 20, 200, 200, 3, "twice as many"},
		{4 * time.Second, 11, 300, 200, 3, "some less"},
		{5 * time.Second, 10, 300, 300, 4, "half as many"},
		{64 * time.Second, 10, 400, 300, 4, "within a minute"},
		{65 * time.Second, 10, 400, 400, 5, "after a minute"},
		{66 * time.Second, 0, 400, 400, 6, "none again"},
	} {
		size = step.size
		want := int64(step.objects) * (header + int64(step.sampled))
		if got := read(step.at, step.objects); got != want || samples != step.samples {
			t.Errorf("%s: %d bytes and %d samples, want %d and %d", step.what, got, samples, want, step.samples)
		}
	}
}

func ptr(text string) *string { return &text }

// TestEstimateDoesNotWait reads while another reader walks objects.
func TestEstimateDoesNotWait(t *testing.T) {
	var e Estimate
	e.Bytes(1, 1, func(yield func(any) bool) { yield(ptr("1234")) })
	later := clock.Stamp(2 * time.Minute)
	e.Bytes(later, 1, func(func(any) bool) {
		if got := e.Bytes(later, 2, func(func(any) bool) { t.Error("two at a time") }); got != 2*(header+4) {
			t.Errorf("the last estimate is %d", got)
		}
	})
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for _, d := range []struct {
		d time.Duration
		n int
	}{{-time.Second, 1}, {0, 2}, {100 * time.Microsecond, 3}, {100*time.Microsecond + 1, 4}, {time.Minute, 5}, {time.Minute + 1, 6}, {time.Hour, 7}, {0, 8}, {time.Second, 0}} {
		h.Add(d.d, d.n)
	}
	counts, sum := h.Read()
	want := Counts{0: 14, 1: 4, len(Bounds) - 1: 5, len(Bounds): 13}
	if wantSum := 7*100*time.Microsecond + 4 + 11*time.Minute + 6 + 7*time.Hour; counts != want || sum != wantSum {
		t.Errorf("%v, sum %v, want %v, %v", counts, sum, want, wantSum)
	}
}

// guardedMap is part of an object that keeps what it has computed.
type guardedMap struct {
	mu    sync.Mutex // guards known
	known map[string]string
}

// TestSizerReadsNothingGuarded has an object that other goroutines change with a lock of its own. To
// read its map without that lock would end the program.
func TestSizerReadsNothingGuarded(t *testing.T) {
	object := &struct {
		Name string
		Memo guardedMap
	}{Name: "1234", Memo: guardedMap{known: map[string]string{}}}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			object.Memo.mu.Lock()
			object.Memo.known[fmt.Sprint(i%1000)] = "x"
			object.Memo.mu.Unlock()
		}
	})
	for range 1000 {
		var s Sizer
		if got, ok := s.Add(object); got != int64(unsafe.Sizeof(*object))+4 || !ok {
			t.Fatalf("%d bytes", got)
		}
	}
	close(stop)
	writing.Wait()
}

// TestSizerStopsInAHugeMap has one with 200,000 labels.
func TestSizerStopsInAHugeMap(t *testing.T) {
	labels := map[string]string{}
	for i := range 200_000 {
		labels[fmt.Sprint(i)] = "x"
	}
	var s Sizer
	if _, ok := s.Add(labels); ok || len(s.texts) > maxVisited {
		t.Errorf("it has read %d texts", len(s.texts))
	}
}
