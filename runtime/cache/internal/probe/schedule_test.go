package probe

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// objects returns n objects that have waited since a time for a scope to reach a version.
func objects(n int, version uint64, since time.Time) (all []ledger.Awaited) {
	for range n {
		all = append(all, ledger.Awaited{Name: listed.Name{Name: "w"}, Version: version, Since: since})
	}
	return all
}

// longest makes each wait as long as it can be.
func longest(d time.Duration) time.Duration { return d - 1 }

func TestPlan(t *testing.T) {
	long, short := start.Add(-After), start.Add(-After/2)
	for name, test := range map[string]struct {
		waiting []Waiting
		want    []Action
		objects []int
		next    time.Duration
	}{
		"no scopes":       {nil, nil, nil, idle},
		"nothing waits":   {[]Waiting{{Scope: 1}}, []Action{Nothing}, []int{0}, idle},
		"one waits":       {[]Waiting{{Scope: 1, Objects: objects(1, 5, long)}}, []Action{Ask}, []int{1}, idle},
		"one waits again": {[]Waiting{{Scope: 1, Objects: objects(1, 5, short)}}, []Action{Nothing}, []int{0}, After},
		"one of two is due": {[]Waiting{{Scope: 1, Objects: append(objects(1, 5, long), objects(2, 5, short)...)}},
			[]Action{Ask}, []int{1}, After},
		"many wait":           {[]Waiting{{Scope: 1, Objects: objects(MaxObjects, 5, long)}}, []Action{Ask}, []int{MaxObjects}, idle},
		"too many wait":       {[]Waiting{{Scope: 1, Objects: objects(MaxObjects+1, 5, long)}}, []Action{List}, []int{MaxObjects + 1}, idle},
		"many are not due":    {[]Waiting{{Scope: 1, Objects: objects(MaxObjects+1, 5, short)}}, []Action{Nothing}, []int{0}, After},
		"it is not listed":    {[]Waiting{{Scope: 1, Objects: objects(3, 0, long)}}, []Action{Nothing}, []int{0}, awaitList},
		"it is forbidden":     {[]Waiting{{Scope: 1, IsForbidden: true, Objects: objects(MaxObjects+1, 0, long)}}, []Action{Release}, []int{MaxObjects + 1}, idle},
		"nothing to release":  {[]Waiting{{Scope: 1, IsForbidden: true}}, []Action{Nothing}, []int{0}, idle},
		"each for itself":     {[]Waiting{{Scope: 1}, {Scope: 2, Objects: objects(1, 5, long)}, {Scope: 3, IsForbidden: true, Objects: objects(2, 5, long)}}, []Action{Nothing, Ask, Release}, []int{0, 1, 2}, idle},
		"listed and unlisted": {[]Waiting{{Scope: 1, Objects: append(objects(2, 0, long), objects(3, 5, long)...)}}, []Action{Ask}, []int{3}, awaitList},
	} {
		s := New()
		for i, step := range s.Plan(start, test.waiting) {
			if step.Action != test.want[i] || len(step.Objects) != test.objects[i] {
				t.Errorf("%s: the step of scope %d is %d for %d objects, want %d for %d", name, i, step.Action, len(step.Objects), test.want[i], test.objects[i])
			}
		}
		if next := s.Next(start).Sub(start); next != test.next {
			t.Errorf("%s: the next plan is in %v, want %v", name, next, test.next)
		}
	}
}

// TestFailures: a scope that fails is asked less and less often, and the others are not affected.
func TestFailures(t *testing.T) {
	waits := protocol.Backoffs{"": {Initial: time.Second, Max: 3 * time.Second}}
	err := errors.New("the server failed")
	s := New()
	now := start
	plan := func() []Action {
		all := []Waiting{{Scope: 1, Objects: objects(1, 5, start.Add(-time.Hour))}, {Scope: 2, Objects: objects(1, 5, start.Add(-time.Hour))}}
		var actions []Action
		for _, step := range s.Plan(now, all) {
			actions = append(actions, step.Action)
		}
		return actions
	}
	for _, want := range []time.Duration{time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond, 3 * time.Second, 3 * time.Second} {
		if got := plan(); !slices.Equal(got, []Action{Ask, Ask}) {
			t.Fatalf("the steps are %v", got)
		}
		s.Answered(2)
		if at := s.Failed(1, now, err, waits, longest); at.Sub(now) != want || !s.Next(now).Equal(at) {
			t.Errorf("the wait after a failure is %v, and the next plan in %v, want %v", at.Sub(now), s.Next(now).Sub(now), want)
		}
		now = now.Add(want - time.Millisecond)
		if got := plan(); !slices.Equal(got, []Action{Nothing, Ask}) {
			t.Errorf("before the wait is over the steps are %v", got)
		}
		now = now.Add(time.Millisecond)
	}
	plan()
	s.Failed(1, now, err, waits, longest)
	s.forgetWaits()
	if got := plan(); !slices.Equal(got, []Action{Ask, Ask}) {
		t.Errorf("after Retry the steps are %v", got)
	}
	if at := s.Failed(1, now, err, waits, longest); at.Sub(now) != 3*time.Second {
		t.Errorf("Retry has made the next wait %v", at.Sub(now))
	}
	s.Answered(1)
	if got := plan(); !slices.Equal(got, []Action{Ask, Ask}) {
		t.Errorf("after an answer the steps are %v", got)
	}
	if at := s.Failed(1, now, err, waits, longest); at.Sub(now) != time.Second {
		t.Errorf("after an answer the first wait is %v", at.Sub(now))
	}
}

// TestListing: a scope that is being listed is not asked until the list is in the cache.
func TestListing(t *testing.T) {
	s := New()
	plan := func(scopes ...ledger.ID) (actions []Action) {
		for _, id := range scopes {
			actions = append(actions, s.Plan(start, []Waiting{{Scope: id, Objects: objects(MaxObjects+1, 5, start.Add(-After))}})[0].Action)
		}
		return actions
	}
	if got := plan(1, 1, 1); !slices.Equal(got, []Action{List, Nothing, Nothing}) {
		t.Errorf("the steps are %v", got)
	}
	s.Listed(1)
	if got := plan(1); !slices.Equal(got, []Action{List}) {
		t.Errorf("after the list the steps are %v", got)
	}
	if got := plan(2, 1); !slices.Equal(got, []Action{List, List}) {
		t.Errorf("a scope that was closed is remembered: %v", got)
	}
	s.Listed(7) // it was closed meanwhile
	s.Answered(7)
	if at := s.Failed(7, start, errors.New("closed"), nil, longest); !at.Equal(start) {
		t.Errorf("a scope that was closed waits until %v", at)
	}
}

// TestRun: objects are asked for after a while, failures delay that, and Retry does not wait.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begin := time.Now()
		var asked []time.Duration
		var rests, failures int
		var awaiting atomic.Bool
		ask := func(context.Context) {
			now := time.Now()
			for _, step := range s.Plan(now, []Waiting{{Scope: 1, Objects: objects(1, 5, begin)}}) {
				if step.Action != Ask {
					continue
				}
				asked = append(asked, now.Sub(begin))
				switch {
				case failures > 0:
					failures--
					s.Failed(1, now, errors.New("the server failed"), protocol.Backoffs{"": {Initial: time.Minute, Max: time.Minute}}, longest)
				default:
					s.Answered(1)
					awaiting.Store(false)
				}
			}
		}
		go s.Run(ctx, awaiting.Load, ask, func() { rests++ })
		synctest.Wait()
		failures = 3
		awaiting.Store(true)
		s.Wake()
		for range 10 {
			time.Sleep(10 * time.Second)
			s.Wake() // it does not make it ask sooner
		}
		s.Retry()
		synctest.Wait()
		s.Retry()
		synctest.Wait()
		if failures != 0 || awaiting.Load() || rests != 1 {
			t.Errorf("%d more failures, objects wait: %v, %d rests", failures, awaiting.Load(), rests)
		}
		for i, want := range []time.Duration{After, After + time.Minute, 100 * time.Second, 100 * time.Second} {
			if slack := 2 * After; len(asked) != 4 || asked[i] < want-slack || asked[i] > want+slack {
				t.Fatalf("the scope was asked after %v, want %v at %d", asked, want, i)
			}
		}
	})
}
