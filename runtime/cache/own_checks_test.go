package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// padded are labels that make an object larger than 1,000 bytes in any encoding.
var padded = map[string]string{"pad": strings.Repeat("x", 1000)}

// TestOwnWriteThatAnEventWouldNotPass: the cache keeps the last good state, and no handler hears that the
// object is gone. When the watch has reported the write, Status has the reason.
func TestOwnWriteThatAnEventWouldNotPass(t *testing.T) {
	refuse := WithTransform(TransformFunc[object](func(obj object) (object, error) {
		if obj.Labels["pad"] != "" {
			return nil, errors.New("refused")
		}
		return obj, nil
	}))
	for name, test := range map[string]struct {
		options []SharedInformerOption
		// skips is set if the watch goes on.
		skips bool
	}{
		"too large, skipped":             {[]SharedInformerOption{WithMaxObjectBytes(1000), WithSkipUndecodable()}, true},
		"too large, skipped, two scopes": {[]SharedInformerOption{WithMaxObjectBytes(1000), WithSkipUndecodable(), WithScopes(Scope{Namespace: "a"}, Scope{Namespace: "b"})}, true},
		"too large":                      {[]SharedInformerOption{WithMaxObjectBytes(1000)}, false},
		"the transform fails":            {[]SharedInformerOption{refuse}, false},
	} {
		for _, isKnown := range []bool{false, true} { // to the watch
			t.Run(fmt.Sprintf("%s/known=%v", name, isKnown), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					src, other := cachetest.NewSource(), cachetest.NewSource()
					s := newOwn(t, func(namespace string) bodies.OpenFunc {
						if namespace == "b" {
							return cachetest.OpenerOf(other)
						}
						return cachetest.OpenerOf(src)
					}, append(test.options, WithWatchErrorHandler(quiet))...)
					cachetest.Run(t, s.Run)
					heard, _ := listen(t, s)
					synctest.Wait()
					setBehind := func(isBehind bool) {
						src.SetSilent(isBehind)
						src.EndWatches(io.EOF)
						synctest.Wait()
					}
					setBehind(!isKnown)
					inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
					cachetest.WantLines(t, after(heard), "add a/one@101 initial=false")
					setBehind(true)
					inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", padded)))
					inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "another", padded)))
					cachetest.WantLines(t, after(heard))
					setBehind(false)
					time.Sleep(2 * time.Second)
					cachetest.WantLines(t, after(heard))
					now := s.Status()
					if test.skips && undecodableNames(now) != "another 103;one 102;" {
						t.Errorf("undecodable are %q", undecodableNames(now))
					}
					if !test.skips && now.Err == nil || now.PendingWrites != 0 {
						t.Errorf("the status is %v", now)
					}
					src.Forget()
					src.EndWatches(cachetest.ErrGone) // a list does not change that
					time.Sleep(time.Minute)
					cachetest.WantLines(t, after(heard))

					inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
					inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "another", nil)))
					cachetest.WantLines(t, after(heard), "update a/one@101->104", "add a/another@105 initial=false")
					time.Sleep(2 * time.Minute)
					src.Bookmark()
					cachetest.WantLines(t, after(heard))
					if now := s.Status(); now.Phase != status.Watching || now.PendingWrites != 0 || len(now.Undecodable) != 0 {
						t.Errorf("in the end: %v", now)
					}
				})
			})
		}
	}
}

// TestOwnWriteAtTheLimit: the object is just small enough for a list, but its event is not.
func TestOwnWriteAtTheLimit(t *testing.T) {
	src := cachetest.NewSource()
	obj := src.Set("a", "one", nil)
	write := cachetest.ResponseTo(obj)
	for _, limit := range []int{len(bytes.TrimSpace(write.Body)), len(bytes.TrimSpace(write.Body)) + 28, len(bytes.TrimSpace(write.Body)) + 29} {
		s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithMaxObjectBytes(limit))
		inside(s).core.Process(firstList(s, "10"))
		inside(s).own.Wrote(write)
		event := fmt.Sprintf("{\"type\":\"MODIFIED\",\"object\":%s}\n", bytes.TrimSpace(write.Body))
		stream := wire.NewDecoder(reflect.TypeFor[object](), wire.Options{MaxObjectBytes: limit}, nil).Watch(t.Context(), io.NopCloser(strings.NewReader(event)))
		events, err := stream.Next(t.Context(), nil)
		stream.Stop()
		if passes := err == nil && len(events) == 1; passes != (s.GetStore().Len() == 1) {
			t.Errorf("limit %d, object %d: an event passes: %v, %v; %d objects are cached", limit, len(write.Body), passes, err, s.GetStore().Len())
		}
	}
}

// TestOwnWriteThatIsNotKept: the informer leaves out some objects before they are decoded.
func TestOwnWriteThatIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, own := cachetest.NewSource(), &writes.Observer{}
		own.Transport(http.DefaultTransport)
		s := informerOf(Config[object]{
			Open: cachetest.OpenerOf(src), Resource: widgets, WatchErrorHandler: quiet, ReadYourWrites: &ownWritesOf{Observer: own, Server: "https://test"},
			Settings: Settings{Decode: wire.Options{Keep: func(h wire.Head) bool { return string(h.Name) != "other" }}},
		})
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "other", nil)))
		inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
		cachetest.WantLines(t, after(heard), "add a/one@102 initial=false")
	})
}

// TestEventOfAnOwnWriteCannotBeDecoded: the response can. For example, it is in another encoding.
func TestEventOfAnOwnWriteCannotBeDecoded(t *testing.T) {
	if cachetest.ServesProtobuf() {
		t.Skip("the events are JSON")
	}
	for _, scopes := range [][]Scope{{{}}, {{Namespace: "a"}, {Namespace: "b"}}} {
		synctest.Test(t, func(t *testing.T) {
			server, other := &script{t: t, list: listOf(9)}, &script{t: t, list: listOf(9)}
			s := newOwn(t, func(namespace string) bodies.OpenFunc {
				if namespace == "b" {
					return other.open
				}
				return server.open
			}, WithSkipUndecodable(), WithWatchErrorHandler(quiet), WithScopes(scopes...))
			cachetest.Run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			wrote := func(version int) {
				var obj metav1.PartialObjectMetadata
				if err := json.Unmarshal([]byte(state("one", version, `{}`)), &obj); err != nil {
					t.Fatal(err)
				}
				inside(s).own.Wrote(cachetest.ResponseTo(&obj))
			}
			wrote(10)
			cachetest.WantLines(t, after(heard), "add a/one@10 initial=false")
			server.send("ADDED", state("one", 10, `{"x":1}`))
			wrote(11)
			server.send("MODIFIED", state("one", 12, `{"x":1}`)) // by another program, in one event with the one of 11
			cachetest.WantLines(t, after(heard), "update a/one@10->11")
			if status := s.Status(); undecodableNames(status) != "one 12/metadata/labels/x;" || status.PendingWrites != 0 || status.Objects != 1 {
				t.Errorf("the status is %v", status)
			}
			server.send("DELETED", state("one", 13, `{"x":1}`))
			cachetest.WantLines(t, after(heard), "delete a/one@11 unknown=true")
		})
	}
}

// TestOwnDeleteAndALateWatch: however late the watch is, it does not bring a deleted object back, and the deletion
// is no pending write once the watch has reported it, or has passed its version.
func TestOwnDeleteAndALateWatch(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second, 125 * time.Second, time.Hour} {
		for name, versioned := range map[string]bool{"a Status": false, "the object": true} {
			for _, isKnown := range []bool{false, true} { // to the watch before it is late
				t.Run(fmt.Sprintf("%s after %v, known=%v", name, late, isKnown), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						src := cachetest.NewSource()
						s := followOwn(t, map[string]*cachetest.Source{"a": src})
						heard, _ := listen(t, s)
						synctest.Wait()
						own := inside(s).own
						setLate := func(isLate bool) {
							src.SetSilent(isLate)
							src.EndWatches(io.EOF)
							time.Sleep(2 * time.Second)
						}
						setLate(!isKnown)
						own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
						time.Sleep(time.Second)
						setLate(true)
						obj := src.Set("a", "one", nil)
						own.Wrote(cachetest.ResponseTo(obj))
						src.Remove("a", "one")
						deleted := cachetest.Deletion(obj)
						if versioned {
							deleted.Object.ResourceVersion = obj.ResourceVersion
						}
						own.Wrote(deleted)
						cachetest.WantLines(t, after(heard), "add a/one@101 initial=false", "update a/one@101->102", "delete a/one@102 unknown=true")
						time.Sleep(late)
						setLate(false)
						time.Sleep(2 * time.Minute)
						cachetest.WantLines(t, after(heard))
						if now := s.Status(); now.PendingWrites != 0 || now.Objects != 0 || now.Phase != status.Watching {
							t.Errorf("the watch has told all, and the status is %v", now)
						}
					})
				})
			}
		}
	}
}

// TestOwnDeleteInAQuietCollection: the watch has reported the deletion before the response came. Then nothing but
// bookmarks follows.
func TestOwnDeleteInAQuietCollection(t *testing.T) {
	for name, versioned := range map[string]bool{"a Status": false, "the object": true} {
		for _, isCached := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cached=%v", name, isCached), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					src := cachetest.NewSource()
					s := followOwn(t, map[string]*cachetest.Source{"a": src})
					synctest.Wait()
					src.SetSilent(!isCached)
					obj := src.Set("a", "one", nil)
					synctest.Wait()
					deleted := cachetest.Deletion(obj)
					if versioned {
						deleted.Object.ResourceVersion = obj.ResourceVersion
					}
					src.Remove("a", "one")
					synctest.Wait()
					inside(s).own.Wrote(deleted)
					src.SetSilent(false)
					src.EndWatches(io.EOF)
					time.Sleep(2 * time.Second)
					src.Bookmark()
					time.Sleep(time.Second)
					if status := s.Status(); status.PendingWrites != 0 || status.Objects != 0 {
						t.Errorf("after a bookmark the status is %v", status)
					}
				})
			})
		}
	}
}

// TestOwnDeleteAndAWatchWithALag: the watch tells all, each time two minutes after it has happened, and much happens.
func TestOwnDeleteAndAWatchWithALag(t *testing.T) {
	for _, lag := range []time.Duration{125 * time.Second, 4 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			s := newOwn(t, func(string) bodies.OpenFunc { return withLag(cachetest.OpenerOf(src), lag) }, WithWatchErrorHandler(quiet))
			cachetest.Run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			own := inside(s).own
			busy := func(lasts time.Duration) {
				for range lasts / (10 * time.Second) {
					src.Bookmark()
					time.Sleep(10 * time.Second)
				}
			}
			busy(lag)
			obj := src.Set("a", "one", nil)
			own.Wrote(cachetest.ResponseTo(obj))
			src.Remove("a", "one")
			own.Wrote(cachetest.Deletion(obj))
			cachetest.WantLines(t, after(heard), "add a/one@"+obj.ResourceVersion+" initial=false", "delete a/one@"+obj.ResourceVersion+" unknown=true")
			busy(3 * lag) // a watch that is opened meanwhile lags too
			cachetest.WantLines(t, after(heard))
			if n := s.Status().PendingWrites; n != 0 {
				t.Errorf("with a lag of %v, %d writes are pending", lag, n)
			}
		})
	}
}

// withLag delays what a watch sends.
func withLag(open bodies.OpenFunc, lag time.Duration) bodies.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		body, err := open(ctx, options, accept)
		if err != nil || !options.Watch {
			return body, err
		}
		type part struct {
			at   time.Time
			text []byte
		}
		parts := make(chan part, 100_000)
		go func() {
			defer close(parts)
			for {
				text := make([]byte, 4096)
				n, err := body.Read(text)
				parts <- part{time.Now().Add(lag), text[:n]}
				if err != nil {
					return
				}
			}
		}()
		reader, writer := io.Pipe()
		go func() {
			for p := range parts {
				select {
				case <-time.After(time.Until(p.at)):
				case <-ctx.Done():
				}
				_, _ = writer.Write(p.text)
			}
			_ = writer.Close()
		}()
		return laggingBody{reader, body}, nil
	}
}

type laggingBody struct {
	*io.PipeReader
	body io.Closer
}

func (l laggingBody) Close() error {
	return errors.Join(l.body.Close(), l.PipeReader.Close())
}
