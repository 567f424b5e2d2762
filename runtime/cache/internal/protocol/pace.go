package protocol

import (
	"sync"
	"time"
)

// soon and soonMax limit the wait after a connection that was reset or closed without an answer. The server may be back at any moment,
// and the request costs it nothing before. The REST client of client-go waits for one second. A wait of at least a second would
// on average end later than that one, because of its random part.
const (
	soon    = 800 * time.Millisecond
	soonMax = time.Second
)

// noAnswer is the error of a request whose connection was reset or closed before the server answered.
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// Pace limits the retries that come before the end of their backoff: there is one each 800 ms for all Reflectors that share it. The
// zero value is ready. Its methods may be called from several goroutines.
type Pace struct {
	mu   sync.Mutex
	next time.Time // the first moment that is free
}

// Shorten returns how long to wait for a retry that may come as early as early, and otherwise after wait.
func (p *Pace) Shorten(now time.Time, wait, early time.Duration) time.Duration {
	if early <= 0 || early >= wait {
		return wait
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := now.Add(early)
	if at.Before(p.next) {
		at = p.next
	}
	if short := at.Sub(now); short < wait {
		p.next = at.Add(soon)
		return short
	}
	return wait
}
