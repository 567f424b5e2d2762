package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// inUse returns the bytes of the heap that are reachable, and those of all stacks.
func inUse() (heap, stacks int64) {
	var m goruntime.MemStats
	for range 3 { // what a pool has leaves it in two
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.StackInuse)
}

// makeGoroutines has n goroutines at the same time. The memory that describes a goroutine, about half
// a kilobyte, is never freed but used for the next one, so later ones do not count in inUse.
func makeGoroutines(n int) {
	var all sync.WaitGroup
	end := make(chan struct{})
	for range n {
		all.Go(func() { <-end })
	}
	close(end)
	all.Wait()
}

// TestIdleWatchesHoldLittle is about programs with many informers: nearly all of them
// wait for the server nearly all the time.
func TestIdleWatchesHoldLittle(t *testing.T) {
	const limit = 5 << 10
	event := eventOf("MODIFIED", textOf(t, newWidget(1))) + "\n"
	makeGoroutines(3000)
	for range 10 { // what a process makes once, for all watches
		readAll(t, NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Watch(t.Context(), bodyOf(event)))
	}
	burst := strings.Repeat(event, blockSize/len(event)+1)
	for name, texts := range map[string][]string{"after nothing": nil, "after an event": {event}, "after a burst": {burst}, "after a burst and an event": {burst, event}} {
		t.Run(name, func(t *testing.T) {
			streams, goroutines := 1000, 1 // that of the caller of Next
			if len(texts) > 0 && texts[0] == burst {
				streams = 200
			}
			if len(texts) == 1 && texts[0] == burst {
				goroutines = 2 // until the next event
			}
			synctest.Test(t, func(t *testing.T) {
				decoder := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil)
				readers, writers, open := make([]*io.PipeReader, streams), make([]*io.PipeWriter, streams), make([]*Stream, streams)
				for i := range streams {
					readers[i], writers[i] = io.Pipe()
				}
				heap, stacks := inUse()
				before := goruntime.NumGoroutine()
				for i := range streams {
					open[i] = decoder.Watch(t.Context(), readers[i])
					read := make(chan int)
					go func() {
						for {
							events, err := open[i].Next(t.Context(), nil)
							if err != nil {
								return
							}
							read <- len(events)
						}
					}()
					for _, text := range texts {
						if _, err := io.WriteString(writers[i], text); err != nil {
							t.Fatal(err)
						}
						for left := strings.Count(text, "\n"); left > 0; {
							left -= <-read
						}
						synctest.Wait()
					}
				}
				synctest.Wait() // until all of them wait in Read
				heapNow, stacksNow := inUse()
				each, stack := (heapNow-heap)/int64(streams), (stacksNow-stacks)/int64(streams)
				t.Logf("%d bytes of the heap for each watch, and %d of the stack that waits in Read", each, stack)
				if each > limit {
					t.Errorf("an idle watch holds %d bytes, want at most %d", each, limit)
				}
				if n := goruntime.NumGoroutine() - before; n != goroutines*streams {
					t.Errorf("%d idle watches have %d goroutines, want %d", streams, n, goroutines*streams)
				}
				for _, w := range writers {
					w.Close()
				}
				synctest.Wait()
				for _, s := range open {
					s.Stop()
				}
			})
		})
	}
}

// heavy is an object of which nothing is kept, and whose decoding takes an hour.
type heavy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              slow `json:"spec"`
}

func (h *heavy) DeepCopyObject() runtime.Object { panic("no one copies it") }

type slow struct{}

// beforeDecoding is called by each worker in the middle of an object.
var beforeDecoding atomic.Pointer[func()]

func (*slow) UnmarshalJSON([]byte) error {
	if f := beforeDecoding.Load(); f != nil {
		(*f)()
	}
	return nil
}

func setBeforeDecoding(t *testing.T, f func()) {
	beforeDecoding.Store(&f)
	t.Cleanup(func() { beforeDecoding.Store(nil) })
}

var xs = bytes.Repeat([]byte("x"), blockSize)

// heavyBody is a list or watch of heavy objects, which exists only as it is read. A watch begins
// with two bookmarks, so that its first object does not arrive alone.
func heavyBody(watch bool, objects, size int) *body {
	var parts []io.Reader
	add := func(text string) { parts = append(parts, strings.NewReader(text)) }
	before, between, after := `{"metadata":{"resourceVersion":"1"},"items":[`, ",", "]}"
	if watch {
		before, between, after = strings.Repeat(eventOf("BOOKMARK", `{"metadata":{"resourceVersion":"1"}}`)+"\n", 2), "\n", ""
	}
	add(before)
	for i := range objects {
		if i > 0 {
			add(between)
		}
		object := fmt.Sprintf(`{"metadata":{"name":"object-%d","resourceVersion":"1"},"spec":"`, i)
		end := `"}`
		if watch {
			object, end = `{"type":"ADDED","object":`+object, end+"}"
		}
		add(object)
		parts = append(parts, io.LimitReader(&repeating{text: xs}, int64(size-len(object)-len(end))))
		add(end)
	}
	add(after)
	return &body{Reader: io.MultiReader(parts...)}
}

// TestMemoryOfABodyIsBounded measures what is held while all processors are busy with
// objects and the reader has read as far ahead as it may: the bound of doc.go.
func TestMemoryOfABodyIsBounded(t *testing.T) {
	const processors, slack = 16, 1 << 20
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(processors))
	for _, test := range []struct{ objects, size int }{{60, 100 << 10}, {36, 1 << 20}, {20, 6 << 20}} {
		for _, watch := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, watch %v", test.size, watch), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					before, _ := inUse()
					var peak, calls atomic.Int64
					setBeforeDecoding(t, func() {
						time.Sleep(time.Duration(calls.Add(1)) * time.Hour) // until the reader waits, and all others do
						goruntime.GC()
						var m goruntime.MemStats
						goruntime.ReadMemStats(&m)
						peak.Store(max(peak.Load(), int64(m.HeapAlloc)-before))
					})
					decoder := NewDecoder(reflect.TypeFor[*heavy](), Options{}, nil)
					if n := drain(t, decoder, heavyBody(watch, test.objects, test.size), watch); n != test.objects {
						t.Fatalf("%d objects", n)
					}
					bound := int64(max(largeBudget, 3*test.size) + (processors+1)*blockSize)
					t.Logf("at most %d bytes were held, %.1f objects; the bound is %d", peak.Load(), float64(peak.Load())/float64(test.size), bound)
					if peak.Load() > bound+slack {
						t.Errorf("%d bytes were held, want at most %d", peak.Load(), bound)
					}
				})
			})
		}
	}
}

// drain reads a list, or a watch to its end, and returns how many objects it had.
func drain(t *testing.T, decoder *Decoder, body *body, watches bool) (n int) {
	if !watches {
		page, err := decoder.List(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	s := decoder.Watch(t.Context(), body)
	defer s.Stop()
	s.startReading(nil, nil)
	time.Sleep(100 * time.Hour) // a slow consumer
	for {
		events, err := s.Next(t.Context(), nil)
		for _, event := range events {
			if event.Type != watch.Bookmark {
				n++
			}
		}
		if err == io.EOF {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWaitForLargeBlocksEnds is about a reader that waits for workers: its context
// ends it although no worker gets on and no one calls Next.
func TestWaitForLargeBlocksEnds(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(16))
	const objects, size = 40, 6 << 20
	synctest.Test(t, func(t *testing.T) {
		enough := make(chan struct{})
		setBeforeDecoding(t, func() { <-enough })
		decoder := NewDecoder(reflect.TypeFor[*heavy](), Options{}, nil)
		s := decoder.Watch(t.Context(), heavyBody(true, objects, size))
		s.startReading(nil, nil)
		synctest.Wait()
		if n := len(s.tasks); n == 0 || n >= objects || s.source.large.held.Load() == 0 {
			t.Fatalf("%d tasks, %d bytes of large blocks: no one waits", n, s.source.large.held.Load())
		}
		go s.release() // as Stop does first
		s.reading.Wait()
		close(enough)
		s.Stop()
		if held := s.source.large.held.Load(); held != 0 {
			t.Errorf("%d bytes are held after Stop", held)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		enough, ended := make(chan struct{}), errors.New("enough")
		setBeforeDecoding(t, func() { <-enough })
		ctx, cancel := context.WithCancelCause(t.Context())
		reading, returned := &strict{heavyBody(false, objects, size), t}, make(chan error)
		go func() {
			_, err := NewDecoder(reflect.TypeFor[*heavy](), Options{}, nil).List(ctx, reading)
			returned <- err
		}()
		synctest.Wait()
		cancel(ended)
		synctest.Wait()
		close(enough)
		if err := <-returned; err != ended {
			t.Error(err)
		}
	})
}

// strict is a body that no one reads after its end.
type strict struct {
	*body
	t *testing.T
}

func (s *strict) Read(p []byte) (int, error) {
	if s.closed.Load() {
		s.t.Error("Read after Close")
	}
	return s.body.Read(p)
}

// TestBlocksThatAreUsedAgainAreCleared looks at the memory that bodies leave behind.
func TestBlocksThatAreUsedAgainAreCleared(t *testing.T) {
	for _, size := range []int{blockSize, idleSize} {
		b := newBlock(size, nil)
		copy(b.bytes, "secret")
		copy(b.bytes[size-6:], "secret")
		if b.release(); strings.Contains(string(b.bytes), "secret") {
			t.Errorf("a block of %d bytes that was released holds text", size)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{10, 1000, 30_000, 100_000} {
			reading, writing := io.Pipe()
			stream := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Watch(t.Context(), reading)
			event := eventOf("ADDED", `{"metadata":{"name":"`+strings.Repeat("secret", size/6)+`"}}`) + "\n"
			for range 2 {
				go func() { _, _ = io.WriteString(writing, event) }()
				if _, err := stream.Next(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(chan error)
			go func() {
				_, err := stream.Next(t.Context(), nil)
				ended <- err
			}()
			synctest.Wait() // until it waits in Read
			block := stream.source.block
			if strings.Contains(string(block.bytes), "secret") {
				t.Errorf("a watch that waits holds the text of an event of %d bytes", size)
			}
			writing.Close()
			if err := <-ended; err != io.EOF {
				t.Error(err)
			}
			stream.Stop()
			if strings.Contains(string(block.bytes), "secret") {
				t.Errorf("a block that is used again holds the text of an event of %d bytes", size)
			}
		}
	})
}

// TestEventsAreDecodedTwiceAtMost counts the calls of a method of an object on which the
// plan gives up at its end.
func TestEventsAreDecodedTwiceAtMost(t *testing.T) {
	var calls atomic.Int32
	setBeforeDecoding(t, func() { calls.Add(1) })
	text := `{"metadata":{"name":"a"},"spec":1,"kind":"a","kind":"b"}`
	for what, read := range map[string]func() error{
		"watch": func() error {
			s := NewDecoder(reflect.TypeFor[*heavy](), Options{}, nil).Watch(t.Context(), bodyOf(eventOf("ADDED", text)+"\n"))
			defer s.Stop()
			_, err := s.Next(t.Context(), nil)
			return err
		},
		"list": func() error {
			_, err := NewDecoder(reflect.TypeFor[*heavy](), Options{}, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+text+`]}`))
			return err
		},
	} {
		calls.Store(0)
		if err := read(); err != nil || calls.Load() != 2 {
			t.Errorf("%s: %v after %d calls", what, err, calls.Load())
		}
	}
}
