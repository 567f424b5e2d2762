package hostile

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// scenario plays one story in a bubble: prepare sets the server up, tell is called when
// the informer runs.
func scenario(t *testing.T, prepare func(*server), tell func(*play) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1)
		prepare(s)
		p := newPlay(t, s, inMemory(s, false), noVersions)
		p.start()
		p.report(tell(p))
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
}

// holding returns what fills a collection with so many objects.
func holding(objects int) func(*server) {
	return func(s *server) {
		for n := range objects {
			s.collection.set(n)
		}
	}
}

// started reports whether a request began to read the whole collection.
func started(r *request) bool { return r.verb == list || r.verb == stream }

func isWatch(r *request) bool { return r.verb == watchV || r.verb == stream }

// codeArg is the arg of "refused" for a code, with the Retry-After of that index.
func codeArg(code, after int) byte { return byte(slices.Index(codes, code) | after<<3) }

// A relist answers with another content at the version that the cache holds, as after
// a default was added to a CRD.
func TestSameVersionWithOtherContent(t *testing.T) {
	scenario(t, holding(20), func(p *play) error {
		if err := p.converge(promptly); err != nil {
			return err
		}
		p.server.collection.setDefault(3)
		p.server.collection.bookmark()
		p.server.collection.forget()
		p.server.endWatches(asExpired)
		return p.converge(promptly)
	})
}

// A server that streams the collection well and then fails is not read in full again
// and again.
func TestStreamsWellThenFails(t *testing.T) {
	scenario(t, func(s *server) {
		holding(20)(s)
		s.use("bookmark and gone", 0)
	}, func(p *play) error {
		if err := p.advance(10 * time.Minute); err != nil {
			return err
		}
		// The lists are four to eight seconds apart.
		if n := p.server.count(p.began, started); n > 120 {
			return fmt.Errorf("the collection was read %d times in ten minutes, want about 100", n)
		}
		p.server.set(nil, 0, 0)
		return p.converge(promptly)
	})
}

// A page that cannot be had for a moment does not throw away those before it.
func TestRetriesPage(t *testing.T) {
	for _, code := range []int{http.StatusTooManyRequests, http.StatusInternalServerError} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(100)(s)
				s.noStream, s.pageSize = true, 5
				s.useOnPage("page refused", codeArg(code, 0), 10)
			}, func(p *play) error { return p.expectOneList(2 * time.Second) })
		})
	}
	t.Run("cut", func(t *testing.T) {
		scenario(t, func(s *server) {
			holding(100)(s)
			s.noStream, s.pageSize = true, 5
			s.useOnPage("cut", 30, 10)
		}, func(p *play) error { return p.expectOneList(2 * time.Second) })
	})
}

// expectOneList heals the server after some time, and wants the list to go on.
func (p *play) expectOneList(after time.Duration) error {
	if err := p.advance(after); err != nil {
		return err
	}
	p.server.set(nil, 0, 0)
	if err := p.converge(time.Minute); err != nil {
		return err
	}
	if n := p.server.count(p.began, func(r *request) bool { return r.verb == list }); n != 1 {
		return fmt.Errorf("%d lists began, want 1 that goes on", n)
	}
	return nil
}

// A token that the server has forgotten is not asked for again: the list starts over.
func TestExpiredTokenStartsOver(t *testing.T) {
	scenario(t, func(s *server) {
		holding(100)(s)
		s.noStream, s.pageSize = true, 5
		s.useOnPage("expired token", 0, 10)
	}, func(p *play) error {
		if err := p.advance(20 * time.Second); err != nil {
			return err
		}
		p.server.set(nil, 0, 0)
		if err := p.converge(promptly); err != nil {
			return err
		}
		if n := p.server.count(p.began, func(r *request) bool { return r.verb == page && r.fault != "" }); n > 10 {
			return fmt.Errorf("%d requests brought a token that has expired", n)
		}
		if n := p.server.count(p.began, func(r *request) bool { return r.verb == list }); n < 2 {
			return fmt.Errorf("%d lists began, want a second one", n)
		}
		return nil
	})
}

// A long list comes through although a few of its requests are refused.
func TestLongListComesThrough(t *testing.T) {
	for _, percent := range []int{3, 5} {
		t.Run(fmt.Sprintf("%d percent", percent), func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(500)(s)
				s.noStream, s.pageSize = true, 5
				asked := 0
				s.set(&fault{name: "a few refused", on: lists, serve: func(c *call) {
					if asked++; asked%(100/percent) == 0 {
						c.status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, nil)
						return
					}
					c.sane()
				}}, 0, 1)
			}, func(p *play) error { return p.converge(2 * time.Minute) })
		})
	}
}

// A collection that cannot be sent in one piece comes in pages. After the second time it is
// not requested in one piece again.
func TestTooLargeForOnePiece(t *testing.T) {
	const begin = `{"kind":"DatabaseList","apiVersion":"data.example.com/v1","items":[`
	for name, serve := range map[string]func(*call){
		"504": func(c *call) { c.status(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, nil) },
		"429": func(c *call) { c.status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, nil) },
		"cut": func(c *call) {
			c.out.cut, c.out.left = true, 100_000
			c.sane()
		},
		"cut after a minute": func(c *call) {
			c.raw("application/json", begin)
			c.out.flush()
			c.wait(time.Minute)
			panic(http.ErrAbortHandler)
		},
		"ended after a minute": func(c *call) {
			c.raw("application/json", begin)
			c.out.flush()
			c.wait(time.Minute)
		},
		"hangs": (*call).hang,
	} {
		t.Run(name, func(t *testing.T) {
			whole := func(r *request) bool { return r.verb == list && r.fault != "" }
			scenario(t, func(s *server) {
				holding(1200)(s)
				s.noStream = true
				s.set(&fault{name: name, on: verbs{list: true}, fails: true, whole: true, serve: serve}, 0, 1)
			}, func(p *play) error {
				for i, want := range []int{1, 2, 2} {
					if err := p.converge(3 * time.Minute); err != nil {
						return fmt.Errorf("list %d: %w", i, err)
					}
					if n := p.server.count(p.began, whole); n != want {
						return fmt.Errorf("after list %d, %d requests for one piece, want %d", i, n, want)
					}
					p.server.collection.bookmark()
					p.server.collection.forget()
					p.server.endWatches(asExpired)
					if err := p.advance(time.Second); err != nil {
						return err
					}
					p.server.collection.set(2000 + i)
				}
				return p.converge(3 * time.Minute)
			})
		})
	}
}

// A watch that brings an event and closes is not opened again without a wait.
func TestEventAndClose(t *testing.T) {
	scenario(t, holding(3), func(p *play) error {
		if err := p.converge(promptly); err != nil {
			return err
		}
		began := time.Now()
		p.server.use("event and close", 0)
		p.server.endWatches(sanely)
		if err := p.advance(5 * time.Second); err != nil {
			return err
		}
		if n := p.server.count(began, isWatch); n > 15 {
			return fmt.Errorf("%d watches were opened in 5 s, want at most 15", n)
		}
		if err := p.advance(5 * time.Minute); err != nil {
			return err
		}
		p.server.set(nil, 0, 0)
		return p.converge(promptly)
	})
}

// A watch that lasted is opened again at once.
func TestLongWatchGoesOnAtOnce(t *testing.T) {
	for name, lasts := range map[string]time.Duration{"quiet": 12 * time.Second, "busy": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			scenario(t, holding(3), func(p *play) error {
				if err := p.converge(promptly); err != nil {
					return err
				}
				for n := range 20 {
					if name == "busy" {
						p.server.collection.set(n)
					}
					if err := p.advance(lasts); err != nil {
						return err
					}
					p.server.endWatches(sanely)
					synctest.Wait()
					if !p.server.following(-1) {
						return fmt.Errorf("no watch is open right after one of %s that ended in good order", lasts)
					}
				}
				return p.converge(0)
			})
		})
	}
}

// While a watch is not answered, Status does not say Watching: advance checks it.
func TestNotWatchingBeforeTheAnswer(t *testing.T) {
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams=%t", streams), func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(3)(s)
				s.noStream = !streams
				s.set(faultOf("hanging headers"), 0, 1)
				if !streams {
					s.fault = &fault{name: "hanging watch", on: resumed, fails: true, serve: faultOf("hanging headers").serve}
				}
			}, func(p *play) error {
				if err := p.advance(time.Minute); err != nil {
					return err
				}
				if p.informer.Status().Phase == status.Watching {
					return fmt.Errorf("status is Watching before a watch was answered")
				}
				p.server.heal(true)
				return p.converge(promptly)
			})
		})
	}
	t.Run("after a cut", func(t *testing.T) {
		scenario(t, holding(3), func(p *play) error {
			if err := p.advance(30 * time.Second); err != nil {
				return err
			}
			p.server.use("hanging headers", 0)
			p.server.endWatches(abruptly)
			if err := p.advance(time.Minute); err != nil {
				return err
			}
			p.server.heal(true)
			return p.converge(promptly)
		})
	})
}

// A streaming list that does not end is given up, however much happens meanwhile.
func TestStreamWithoutBookmark(t *testing.T) {
	for name, kinds := range map[string][]watch.EventType{
		"quiet": nil, "MODIFIED": {watch.Modified}, "ADDED": {watch.Added}, "all": {watch.Added, watch.Modified, watch.Deleted},
	} {
		t.Run(name, func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(20)(s)
				s.use("no bookmark", 0)
			}, func(p *play) error {
				if kinds != nil {
					p.startWriting(200, kinds...)
				}
				if err := p.advance(25 * time.Second); err != nil {
					return err
				}
				if !p.informer.HasSynced() || p.handlers[0].recorder.Events() == 0 {
					return fmt.Errorf("after 25 s handlers have heard nothing: %s", p.informer.NotSyncedReason())
				}
				p.stopWriting()
				return p.converge(promptly)
			})
		})
	}
}

// A malformed version does not move the point where the next watch starts.
func TestMalformedVersionDoesNotMoveBack(t *testing.T) {
	for i, version := range malformed[:6] {
		t.Run(version, func(t *testing.T) {
			scenario(t, holding(3), func(p *play) error {
				p.handlers[0].recorder.AllowReplays()
				if err := p.converge(promptly); err != nil {
					return err
				}
				p.server.use("bad event version", byte(i))
				p.server.endWatches(sanely)
				if err := p.advance(time.Minute); err != nil {
					return err
				}
				p.server.collection.set(1)
				if err := p.advance(time.Second); err != nil {
					return err
				}
				before := p.server.last(watchV)
				p.server.set(nil, 0, 0)
				p.server.endWatches(sanely)
				if err := p.advance(5 * time.Second); err != nil {
					return err
				}
				again := p.server.last(watchV)
				if again == before || again.resumesAt() < firstVersion {
					return fmt.Errorf("the watch after version %q is %s", version, again)
				}
				return nil
			})
		})
	}
}

// Tokens that lead nowhere are not followed for ever: advance checks the pace.
func TestTokensThatLeadNowhere(t *testing.T) {
	for _, name := range []string{"same token", "two tokens", "endless tokens", "endless empty pages"} {
		t.Run(name, func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(20)(s)
				s.noStream, s.pageSize = true, 5
				s.use(name, 0)
			}, func(p *play) error {
				if err := p.advance(10 * time.Minute); err != nil {
					return err
				}
				if live := liveBytes(); live > p.before+maxLive {
					return fmt.Errorf("%d MB are live, %d MB were before", live>>20, p.before>>20)
				}
				if p.informer.HasSynced() {
					return fmt.Errorf("a list without an end is taken for one")
				}
				p.server.heal(true)
				return p.converge(promptly)
			})
		})
	}
}

// An absurd Retry-After is not waited for.
func TestAbsurdRetryAfter(t *testing.T) {
	for i, value := range retryAfter {
		t.Run(value, func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(3)(s)
				s.use("refused", codeArg(http.StatusTooManyRequests, i))
			}, func(p *play) error {
				if err := p.advance(10 * time.Second); err != nil {
					return err
				}
				if phase := p.informer.Status().Phase; phase != status.Degraded {
					return fmt.Errorf("status is %s while the server refuses all", phase)
				}
				p.server.heal(true)
				patience := promptly
				if i == 4 || i == 5 {
					patience = 8 * time.Minute
				}
				return p.converge(patience)
			})
		})
	}
}

// Of an object that is twice in a list, on one page or on two, the last state counts.
func TestObjectTwiceInAList(t *testing.T) {
	for _, size := range []int{0, 3} {
		t.Run(fmt.Sprintf("pages of %d", size), func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(20)(s)
				s.noStream, s.pageSize = true, size
				s.use("twice", 0)
			}, func(p *play) error { return p.converge(10 * time.Second) })
		})
	}
}

// What is no list of Databases does not empty the cache.
func TestWrongListsEmptyNothing(t *testing.T) {
	for i, body := range wrong {
		t.Run(body, func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(20)(s)
				s.noStream = true
			}, func(p *play) error {
				if err := p.converge(promptly); err != nil {
					return err
				}
				serve := func(c *call) { c.raw("application/json", wrong[i]) }
				p.server.set(&fault{name: "wrong kind", on: lists, fails: true, serve: serve}, 0, 1)
				p.server.collection.bookmark()
				p.server.collection.forget()
				p.server.endWatches(asExpired)
				if err := p.advance(time.Minute); err != nil {
					return err
				}
				if n := p.informer.GetStore().Len(); n != 20 {
					return fmt.Errorf("the cache has %d objects after %s, want 20", n, body)
				}
				p.server.heal(true)
				return p.converge(promptly)
			})
		})
	}
}

// An informer is right again soon after what people mend was mended.
func TestRecoversSoon(t *testing.T) {
	for code, patience := range map[int]time.Duration{http.StatusUnauthorized: 10, http.StatusForbidden: 30, http.StatusNotFound: 30} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			scenario(t, func(s *server) {
				holding(3)(s)
				s.use("refused", codeArg(code, 0))
			}, func(p *play) error {
				if err := p.advance(10 * time.Minute); err != nil {
					return err
				}
				p.server.heal(true)
				return p.converge(patience * time.Second)
			})
		})
	}
}

// A small answer that becomes a large one does not fill the memory.
func TestBomb(t *testing.T) {
	scenario(t, func(s *server) {
		holding(20)(s)
		s.noStream = true
		s.use("bomb", 0)
	}, func(p *play) error {
		if err := p.converge(promptly); err != nil {
			return err
		}
		switch peak := p.server.peak; {
		case peak == 0:
			return fmt.Errorf("no bomb was sent")
		case peak > p.before+maxLive:
			return fmt.Errorf("%d MB were live while a list came, %d MB before", peak>>20, p.before>>20)
		}
		return nil
	})
}

// Shutdown returns and leaves nothing, whatever the server does at that moment.
func TestShutdownUnderEachFault(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		if f.name == "bomb" {
			continue
		}
		for _, streams := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, streams=%t", f.name, streams), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newServer(1)
					holding(20)(s)
					s.noStream = !streams
					s.pageSize = 5
					p := newPlay(t, s, inMemory(s, false), noVersions)
					p.start()
					time.Sleep(2 * time.Second)
					s.set(f, 1, 1)
					s.endWatches(asExpired)
					time.Sleep(3 * time.Second)
					if err := p.close(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// resumesAt is the version that a watch asks for.
func (r *request) resumesAt() int {
	query, err := url.ParseQuery(r.url)
	if err != nil {
		return -1
	}
	version, err := strconv.Atoi(query.Get("resourceVersion"))
	if err != nil {
		return -1
	}
	return version
}
