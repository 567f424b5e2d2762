package initial

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestWaitEndsAtItsMark waits for several marks in random order.
func TestWaitEndsAtItsMark(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		var l Lists
		waits, reached := map[Mark]<-chan struct{}{}, Mark(0)
		for range 200 {
			mark := Mark(random.IntN(30))
			if random.IntN(3) > 0 {
				done := l.Wait(mark)
				if known := waits[mark]; mark > reached && known != nil && known != done {
					t.Fatalf("a second wait for %d has another channel", mark)
				}
				waits[mark] = done
			} else if news := l.Reach(mark); news != (mark > reached) {
				t.Fatalf("reaching %d after %d is news: %v", mark, reached, news)
			} else {
				reached = max(reached, mark)
			}
			for mark, done := range waits {
				if isClosed(done) != (mark <= reached) || l.Has(mark) != (mark <= reached) {
					t.Fatalf("at %d the wait for %d has ended: %v", reached, mark, isClosed(done))
				}
			}
		}
	}
}

// TestWaitsWhileListsEnd waits in several goroutines while the marks are reached.
func TestWaitsWhileListsEnd(t *testing.T) {
	var l Lists
	var all sync.WaitGroup
	for mark := range Mark(20) {
		for range 4 {
			all.Go(func() {
				<-l.Wait(mark)
				if !l.Has(mark) || l.Reached() < mark {
					t.Errorf("the wait for %d ends at %d", mark, l.Reached())
				}
			})
		}
	}
	for mark := range Mark(20) {
		all.Go(func() { l.Reach(mark) })
	}
	all.Wait()
}
