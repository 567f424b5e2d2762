package cache

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestJitter(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 100 {
		d := withJitter(time.Second, rand.N[time.Duration])
		if d < time.Second || d > 1250*time.Millisecond {
			t.Fatalf("a second becomes %v", d)
		}
		seen[d] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different waits of 100", len(seen))
	}
	if withJitter(0, rand.N[time.Duration]) != 0 {
		t.Error("no wait became one")
	}
}

func TestBackoffsAreCompleted(t *testing.T) {
	set := withDefaults(map[Reason]Backoff{
		"":           {Max: 5 * time.Second},
		Forbidden:    {Initial: time.Minute},
		Unauthorized: {Initial: time.Millisecond, Max: time.Second},
	})
	for reason, want := range map[Reason]Backoff{
		ServerError:  {800 * time.Millisecond, 5 * time.Second},
		Forbidden:    {time.Minute, time.Minute},
		NotFound:     {2 * time.Second, 24 * time.Second},
		Unauthorized: {time.Millisecond, time.Second},
	} {
		if got := set.of(reason); got != want {
			t.Errorf("the backoff of %s is %v, want %v", reason, got, want)
		}
	}
	if got := withDefaults(nil).of(ServerError); got != defaultBackoffs[""] {
		t.Errorf("the default is %v after another informer set its own", got)
	}
}

// TestFailuresInAMinute has a server that fails in ways whose waits begin to grow again
// each time: lists whose second page fails, and that are then refused themselves.
func TestFailuresInAMinute(t *testing.T) {
	for name, fails := range map[string]func(request, int) bool{
		"second pages":           func(r request, _ int) bool { return r.options.Continue != "" },
		"second pages and lists": func(r request, n int) bool { return r.options.Continue != "" || n%9 < 2 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &paged{newSource(), 1000}
				n := 0
				var failed []time.Time
				src.failWith(func(r request) error {
					if n++; fails(r, n) {
						failed = append(failed, time.Now())
						return apierrors.NewUnauthorized("who")
					}
					return nil
				})
				r := NewReflector(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{WithoutStreamingList: true}, WatchErrorHandler: quiet}, &DeltaFIFO[object]{})
				r.random = func(time.Duration) time.Duration { return 0 } // the shortest waits
				run(t, r.Run)
				time.Sleep(20 * time.Minute)
				synctest.Wait()
				for i, at := range failed {
					if i >= maxFailed && at.Sub(failed[i-maxFailed]) < time.Minute {
						t.Fatalf("%d requests failed in the minute before %v: %v", maxFailed+1, at, failed[:i+1])
					}
				}
				if len(failed) < 50 {
					t.Errorf("only %d requests in 20 minutes", len(failed))
				}
			})
		})
	}
}

// TestPagesThatComeThroughMayFail refuses each third request for one of 100 pages.
func TestPagesThatComeThroughMayFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &paged{newSource(), 100}
		n := 0
		src.failWith(func(r request) error {
			if n++; r.options.Continue != "" && n%3 == 0 {
				return errInternal
			}
			return nil
		})
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Minute)
		wantLines(t, take(t, queue), "Replaced 100")
	})
}
