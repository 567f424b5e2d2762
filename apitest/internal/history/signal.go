package history

// Signal wakes goroutines. Its caller has a lock for it. The zero Signal is ready to use.
//
// It keeps a channel only while a goroutine waits, because a channel that was made in a bubble of
// testing/synctest must not be closed outside of it. So a server may be made outside of a bubble, or
// be used in one bubble after another.
type Signal struct {
	channel chan struct{}
	waiting int
}

// Wait returns a channel that the next Send closes. A goroutine that no longer waits calls Leave.
func (s *Signal) Wait() <-chan struct{} {
	if s.channel == nil {
		s.channel = make(chan struct{})
	}
	s.waiting++
	return s.channel
}

// Leave ends a call of Wait, which returned the channel. After Send it does nothing.
func (s *Signal) Leave(channel <-chan struct{}) {
	if s.channel == nil || s.channel != channel {
		return
	}
	if s.waiting--; s.waiting == 0 {
		s.channel = nil
	}
}

// Send wakes the goroutines that wait.
func (s *Signal) Send() {
	if s.channel != nil {
		close(s.channel)
	}
	*s = Signal{}
}
