package progress

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTracker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker := New(func() {})
		failed := Failure{"watch", "ServerError", errors.New("it failed")}
		begun := time.Now()
		steps := []struct {
			name   string
			do     func()
			phase  string
			since  time.Duration
			cause  Failure
			trying bool
		}{
			{"begin", func() {}, Pending, 0, Failure{}, false},
			{"list", func() { tracker.Enter(Listing, Failure{}) }, Listing, 1, Failure{}, false},
			{"watch", func() { tracker.Enter(Watching, Failure{}) }, Watching, 2, Failure{}, false},
			{"fail", func() { tracker.Enter(Degraded, failed) }, Degraded, 3, failed, false},
			{"reopen", func() { tracker.Enter(Degraded, Failure{}) }, Degraded, 3, failed, true},
			{"last", func() { tracker.Enter(Watching, Failure{}) }, Watching, 5, Failure{}, false},
			{"stop", func() { tracker.Enter(Stopped, failed) }, Stopped, 6, failed, false},
			{"stop again", func() { tracker.Enter(Stopped, Failure{}) }, Stopped, 6, failed, false},
		}
		for _, step := range steps {
			step.do()
			want := State{Phase: step.phase, Since: begun.Add(step.since * time.Second), Failure: step.cause, Trying: step.trying}
			if got := tracker.State(); got != want {
				t.Errorf("%s: the state is %+v, want %+v", step.name, got, want)
			}
			time.Sleep(time.Second)
		}
	})
}

// TestEnterAfter enters a phase later, and drops it if another one was entered meanwhile.
func TestEnterAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := 0
		tracker := New(func() { changes++ })
		tracker.Enter(Watching, Failure{})
		later := func() { tracker.EnterAfter(time.Second, Degraded, Failure{}) }
		later()
		tracker.Enter(Watching, Failure{})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if changes != 2 || tracker.State().Phase != Watching {
			t.Errorf("%d changes, now in %s", changes, tracker.State().Phase)
		}
		later()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if changes != 3 || tracker.State().Phase != Degraded {
			t.Errorf("%d changes, now in %s", changes, tracker.State().Phase)
		}
	})
}
