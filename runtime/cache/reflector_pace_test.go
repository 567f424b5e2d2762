package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestFinishedStreamIsNoProgress has a server that streams the collection well each
// time, and then fails: reading it in full again and again must slow down.
func TestFinishedStreamIsNoProgress(t *testing.T) {
	for name, end := range map[string]error{"410": cachetest.ErrGone, "500": cachetest.ErrInternal, "in good order": io.EOF} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.Streams = true
				src.Set("a", "w", nil)
				src.OpenErr = end
				follow(t, Config[object]{ListerWatcher: src})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if watches := src.Count("watch"); watches > 120 || watches < 80 {
					t.Errorf("%d streams and watches in 10 minutes, want about 100", watches)
				}
			})
		})
	}
}

// laterBookmarks returns the opening of watches that each get to a later version.
func laterBookmarks() func() []cachetest.Event[object] {
	version := 1000
	return func() []cachetest.Event[object] {
		version++
		return []cachetest.Event[object]{{Type: watch.Bookmark, ResourceVersion: strconv.Itoa(version)}}
	}
}

// TestEventAndFailureKeepsTheRateLimit has a server whose watches bring one event and fail.
func TestEventAndFailureKeepsTheRateLimit(t *testing.T) {
	for name, end := range map[string]error{"410": cachetest.ErrGone, "500": cachetest.ErrInternal} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.OpenErr = end
				src.Opening = laterBookmarks()
				follow(t, Config[object]{ListerWatcher: src})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if watches, lists := src.Count("watch"), src.Count("list"); watches > 120 || lists > 120 {
					t.Errorf("%d watches fail, and there are %d lists, in 10 minutes, want about 10 a minute", watches, lists)
				}
			})
		})
	}
}

func TestShortWatchesAreSlowedDown(t *testing.T) {
	for name, end := range map[string]error{"end": io.EOF, "cut": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.OpenErr = end
				src.Opening = laterBookmarks()
				r, _ := follow(t, Config[object]{ListerWatcher: src})
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if watches := src.Count("watch"); watches < 8 || watches > 16 {
					t.Errorf("%d watches in the first 10 s", watches)
				}
				time.Sleep(10*time.Minute - 10*time.Second)
				synctest.Wait()
				if watches := src.Count("watch"); watches > 600 || watches < 350 {
					t.Errorf("%d watches in 10 minutes, want one in a second and a half", watches)
				}
				if s := r.Status(); s.Err != nil || src.Count("list") != 1 {
					t.Errorf("status is %v after %d lists", s, src.Count("list"))
				}
			})
		})
	}
}

// TestLongWatchIsResumedAtOnce looks at the time of the second watch.
func TestLongWatchIsResumedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		r, _ := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(protocol.ShortWatch)
		src.Bookmark()
		synctest.Wait()
		src.EndWatches(io.EOF)
		synctest.Wait()
		if watches := src.Count("watch"); watches != 2 || r.Status().Phase != status.Watching {
			t.Errorf("%d watches, status %v", watches, r.Status())
		}
	})
}

// TestRefusedPagesDoNotRestartTheList reads 100 pages from a server that refuses each
// twentieth request.
func TestRefusedPagesDoNotRestartTheList(t *testing.T) {
	for name, refusal := range map[string]error{"429": apierrors.NewTooManyRequests("slow down", 1), "500": cachetest.ErrInternal, "cut": cachetest.ErrCut} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &paged{cachetest.NewSource(), 100}
				random := rand.New(rand.NewPCG(1, 2))
				src.FailWith(func(r cachetest.Request) error {
					if r.Verb == "list" && r.Options.Continue != "" && random.IntN(20) == 0 {
						return refusal
					}
					return nil
				})
				var heard int
				r, queue := follow(t, Config[object]{ListerWatcher: src, WatchErrorHandler: func(context.Context, gvr, error) { heard++ }})
				began := time.Now()
				for r.Status().Phase != status.Watching && time.Since(began) < time.Hour {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				cachetest.WantLines(t, take(t, queue), "Replaced 100")
				first := 0
				for _, request := range src.Requests {
					if request.Verb == "list" && request.Options.Continue == "" {
						first++
					}
				}
				if took := time.Since(began); took > time.Minute || first != 1 || heard == 0 {
					t.Errorf("synced after %v, %d first pages and %d failures", took, first, heard)
				}
			})
		})
	}
}

func TestPageThatAlwaysFailsRestartsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &paged{cachetest.NewSource(), 2}
		src.FailWith(func(r cachetest.Request) error {
			if r.Options.Continue != "" {
				return cachetest.ErrInternal
			}
			return nil
		})
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Degraded || s.Reason != status.ServerError || s.NextAttempt.IsZero() {
			t.Errorf("status is %+v", s)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if lists := src.Count("list"); lists > 150 {
			t.Errorf("%d pages in 10 minutes", lists)
		}
		src.FailWith(nil)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 2")
	})
}

// paged is a server whose lists have many pages, of one object each.
type paged struct {
	*cachetest.Source
	pages int
}

func (p *paged) List(_ context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
	if err := p.Begin("list", options); err != nil {
		return cachetest.Page[object]{}, err
	}
	n, _ := strconv.Atoi(options.Continue) // 0 for none
	page := cachetest.Page[object]{Items: cachetest.ItemsOf(cachetest.Numbered(n)), ResourceVersion: "100"}
	if n+1 < p.pages {
		page.Continue = strconv.Itoa(n + 1)
	}
	return page, nil
}

// circular is a server whose lists never end.
type circular struct {
	*cachetest.Source
	tokens func(n int) string
	n      int
	ends   atomic.Bool
}

func (c *circular) List(ctx context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
	if err := c.Begin("list", options); err != nil {
		return cachetest.Page[object]{}, err
	}
	c.n++
	if c.ends.Load() {
		return cachetest.Page[object]{ResourceVersion: "100"}, nil
	}
	return cachetest.Page[object]{ResourceVersion: "100", Continue: c.tokens(c.n)}, nil
}

func TestListWithRepeatedTokens(t *testing.T) {
	for name, server := range map[string]struct {
		tokens func(int) string
		err    error
	}{
		"one token":  {func(int) string { return "t" }, protocol.ErrTokenRepeated},
		"two tokens": {func(n int) string { return strconv.Itoa(n % 2) }, protocol.ErrTokenRepeated},
		"new tokens": {strconv.Itoa, protocol.ErrPagesEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &circular{Source: cachetest.NewSource(), tokens: server.tokens}
				var heard error
				r, queue := follow(t, Config[object]{ListerWatcher: src, WatchErrorHandler: func(_ context.Context, _ gvr, err error) { heard = err }})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				lists := src.Count("list")
				if !errors.Is(heard, server.err) || lists > 450 {
					t.Errorf("%v is reported after %d pages", heard, lists)
				}
				if s := r.Status(); s.Phase == status.Watching || s.Reason != status.ServerError || !errors.Is(s.Err, server.err) || !strings.HasPrefix(s.Err.Error(), "list widgets.test.example.com: ") {
					t.Errorf("the status is %+v", s)
				}
				src.ends.Store(true)
				time.Sleep(time.Minute)
				cachetest.WantLines(t, take(t, queue), "Replaced 0")
			})
		})
	}
}

func TestStatusHasTheNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return apierrors.NewTooManyRequests("slow down", 1e9) })
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		if wait := time.Until(r.Status().NextAttempt); wait < protocol.MaxRetryAfter || wait > protocol.MaxRetryAfter*5/4 {
			t.Errorf("the next attempt is in %v, want 5 minutes and some jitter", wait)
		}
		src.FailWith(nil)
		time.Sleep(time.Until(r.Status().NextAttempt))
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		if s := r.Status(); !s.NextAttempt.IsZero() {
			t.Errorf("status is %+v", s)
		}
	})
}

func TestRetrySkipsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		var installed atomic.Bool
		src.FailWith(func(cachetest.Request) error {
			if installed.Load() {
				return nil
			}
			return cachetest.ErrNotFound
		})
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		before := src.Count("list")
		r.Retry()
		r.Retry()
		synctest.Wait()
		if got := src.Count("list") - before; got < 1 || got > 2 {
			t.Errorf("%d lists after Retry", got)
		}
		installed.Store(true)
		began := time.Now()
		r.Retry()
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		if r.Status().Phase != status.Watching || time.Since(began) > 0 {
			t.Errorf("status is %v after %v", r.Status(), time.Since(began))
		}
		// What is asked for while all is well does not shorten a later wait.
		r.Retry()
		time.Sleep(time.Minute)
		src.EndWatches(io.EOF)
		synctest.Wait()
		watches := src.Count("watch")
		src.EndWatches(cachetest.ErrInternal)
		synctest.Wait()
		if src.Count("watch") != watches {
			t.Error("a Retry from before the last watch skips the wait after its failure")
		}
	})
}

// TestRecoveryIsFast measures how long an informer stays degraded after the cause is
// gone, at the worst moment.
func TestRecoveryIsFast(t *testing.T) {
	for reason, limit := range map[error]time.Duration{
		apierrors.NewUnauthorized("who"): 10 * time.Second, cachetest.ErrForbidden: 30 * time.Second, cachetest.ErrNotFound: 30 * time.Second,
	} {
		t.Run(string(reasonOf(reason)), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.FailWith(func(cachetest.Request) error { return reason })
				queue := &deltafifo.Queue{}
				r := reflectorOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
					Random: func(d time.Duration) time.Duration { return d - 1 }}), queue) // the longest wait
				cachetest.Run(t, r.Run)
				time.Sleep(time.Hour)
				synctest.Wait()
				if lists := src.Count("list"); lists > 600 {
					t.Errorf("%d lists in an hour", lists)
				}
				time.Sleep(time.Until(r.Status().NextAttempt))
				synctest.Wait() // it has just failed again
				src.FailWith(nil)
				time.Sleep(limit)
				cachetest.WantLines(t, take(t, queue), "Replaced 0")
			})
		})
	}
}

func TestBackoffsOfAConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		follow(t, Config[object]{ListerWatcher: src, Settings: Settings{Backoffs: map[Reason]Backoff{status.Forbidden: {Initial: time.Hour}}}})
		time.Sleep(29 * time.Minute)
		if lists := src.Count("list"); lists != 1 {
			t.Errorf("%d lists in half an hour", lists)
		}
		time.Sleep(31 * time.Minute)
		if lists := src.Count("list"); lists < 2 {
			t.Errorf("%d lists in an hour", lists)
		}
	})
}

// TestFailuresInAMinute has a server that fails in ways whose waits begin to grow again
// each time: lists whose second page fails, and that are then refused themselves.
func TestFailuresInAMinute(t *testing.T) {
	for name, fails := range map[string]func(cachetest.Request, int) bool{
		"second pages":           func(r cachetest.Request, _ int) bool { return r.Options.Continue != "" },
		"second pages and lists": func(r cachetest.Request, n int) bool { return r.Options.Continue != "" || n%9 < 2 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &paged{cachetest.NewSource(), 1000}
				n := 0
				var failed []time.Time
				src.FailWith(func(r cachetest.Request) error {
					if n++; fails(r, n) {
						failed = append(failed, time.Now())
						return apierrors.NewUnauthorized("who")
					}
					return nil
				})
				r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
					Random: func(time.Duration) time.Duration { return 0 }}, &deltafifo.Queue{}) // the shortest waits
				cachetest.Run(t, r.Run)
				time.Sleep(20 * time.Minute)
				synctest.Wait()
				for i, at := range failed {
					if i >= 20 && at.Sub(failed[i-20]) < time.Minute {
						t.Fatalf("21 requests failed in the minute before %v: %v", at, failed[:i+1])
					}
				}
				if len(failed) < 50 {
					t.Errorf("only %d requests in 20 minutes", len(failed))
				}
			})
		})
	}
}

// TestPagesThatSucceedLaterAreNotLimited refuses each third request for one of 100 pages.
func TestPagesThatSucceedLaterAreNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &paged{cachetest.NewSource(), 100}
		n := 0
		src.FailWith(func(r cachetest.Request) error {
			if n++; r.Options.Continue != "" && n%3 == 0 {
				return cachetest.ErrInternal
			}
			return nil
		})
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 100")
	})
}

func TestObjectErrorIsADecodeError(t *testing.T) {
	err := fmt.Errorf("list: %w", &status.ObjectError{Resource: widgets, Name: "w", Err: errors.New("bad field")})
	if got := reasonOf(err); got != status.Decode {
		t.Errorf("its reason is %s", got)
	}
}
