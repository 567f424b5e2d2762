package apitest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"

	"github.com/typedinformers/informer-gen/apitest"
)

// stream is the body of a watch.
type stream struct {
	*testing.T
	body   io.ReadCloser
	events *json.Decoder
	cancel context.CancelFunc
}

// watch opens a watch, which ends with the test.
func (c client) watch(path string) *stream {
	c.Helper()
	return c.watchAs(path, "application/json")
}

// watchAs opens a watch with an Accept header.
func (c client) watchAs(path, accept string) *stream {
	c.Helper()
	ctx, cancel := context.WithCancel(c.Context())
	c.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server"+path, nil)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	response, err := c.server.RoundTrip(req)
	if err != nil {
		c.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		c.Fatalf("GET %s: %d %s", path, response.StatusCode, content)
	}
	c.Cleanup(func() { response.Body.Close() })
	return &stream{c.T, response.Body, json.NewDecoder(response.Body), cancel}
}

// event is TYPE namespace/name@version, with the annotation of the end of initial events.
type event struct {
	Type   string
	Object map[string]any
}

func (e event) String() string {
	u := unstructured.Unstructured{Object: e.Object}
	if e.Type == "ERROR" {
		return fmt.Sprintf("ERROR %v %v", e.Object["code"], e.Object["message"])
	}
	text := e.Type + " "
	if u.GetName() != "" {
		text += u.GetNamespace() + "/" + u.GetName()
	}
	text += "@" + u.GetResourceVersion()
	if u.GetAnnotations()["k8s.io/initial-events-end"] == "true" {
		text += " end"
	}
	return text
}

// next returns the next event, or the error that ended the watch.
func (s *stream) next() string {
	s.Helper()
	var e event
	if err := s.events.Decode(&e); err != nil {
		return err.Error()
	}
	return e.String()
}

// want reads events and compares them.
func (s *stream) want(want ...string) {
	s.Helper()
	for _, text := range want {
		if got := s.next(); got != text {
			s.Fatalf("the watch has %q, want %q", got, text)
		}
	}
}

// silent checks that no event comes for a time.
func (s *stream) silent(wait time.Duration) {
	s.Helper()
	start, got := time.Now(), make(chan string, 1)
	go func() { got <- s.next() }()
	select {
	case text := <-got:
		s.Fatalf("the watch has %q after %v, want nothing for %v", text, time.Since(start), wait)
	case <-time.After(wait):
	}
	s.cancel()
	<-got
}

const watchWidgets = allWidgets + "?watch=true"

// inBubble runs a test with a server and fake time.
func inBubble(t *testing.T, test func(client), options ...apitest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(client{t, apitest.Start(t, append(options, apitest.WithKinds(colored()))...)})
	})
}

func (c client) recolor(namespace, name, label, color string) {
	c.Helper()
	path := "/apis/example.com/v1/namespaces/" + namespace + "/widgets/" + name
	obj := c.do("GET", path, "", 200)
	obj.SetLabels(map[string]string{"l": label})
	if err := unstructured.SetNestedField(obj.Object, color, "spec", "color"); err != nil {
		c.Fatal(err)
	}
	data, err := obj.MarshalJSON()
	if err != nil {
		c.Fatal(err)
	}
	c.do("PUT", path, string(data), 200)
}

func (c client) drop(namespace, name string) {
	c.Helper()
	c.do("DELETE", "/apis/example.com/v1/namespaces/"+namespace+"/widgets/"+name, "", 200)
}

func TestWatchStarts(t *testing.T) {
	t.Parallel()
	const match = "&resourceVersionMatch=NotOlderThan&sendInitialEvents="
	for query, want := range map[string][]string{
		"":                          {"ADDED a-b/y@5", "ADDED a/x@4"},
		"&resourceVersion=0":        {"ADDED a-b/y@5", "ADDED a/x@4"},
		"&allowWatchBookmarks=true": {"ADDED a-b/y@5", "ADDED a/x@4", "BOOKMARK @5 end"},
		"&resourceVersion=0&allowWatchBookmarks=true":        {"ADDED a-b/y@5", "ADDED a/x@4", "BOOKMARK @5 end"},
		"&resourceVersion=1":                                 {"ADDED a/x@2", "DELETED a/x@3", "ADDED a/x@4", "ADDED a-b/y@5"},
		"&resourceVersion=2":                                 {"DELETED a/x@3", "ADDED a/x@4", "ADDED a-b/y@5"},
		"&resourceVersion=5":                                 {},
		match + "true":                                       {"ADDED a-b/y@5", "ADDED a/x@4"},
		match + "true&allowWatchBookmarks=true":              {"ADDED a-b/y@5", "ADDED a/x@4", "BOOKMARK @5 end"},
		match + "true&allowWatchBookmarks=1&labelSelector=x": {"BOOKMARK @5 end"},
		match + "true&resourceVersion=3":                     {"ADDED a-b/y@5", "ADDED a/x@4"},
		match + "false":                                      {},
		match + "false&resourceVersion=0":                    {},
		match + "false&resourceVersion=4":                    {"ADDED a-b/y@5"},
		"&limit=1":                                           {"ADDED a-b/y@5", "ADDED a/x@4"},
		"&fieldSelector=metadata.name%3Dx":                   {"ADDED a/x@4"},
		"&fieldSelector=metadata.namespace%3Da":              {"ADDED a/x@4"},
	} {
		inBubble(t, func(c client) {
			c.put("a", "x", "1", "red")
			c.drop("a", "x")
			c.put("a", "x", "1", "red")
			c.put("a-b", "y", "1", "red")
			w := c.watch(watchWidgets + query)
			w.want(want...)
			go c.put("a", "x2", "1", "red")
			if !strings.Contains(query, "name%3D") && !strings.Contains(query, "label") {
				w.want("ADDED a/x2@6")
			}
			w.silent(30 * time.Second)
		})
	}
}

// TestWatchSelectsByName watches the objects of a name or a namespace, or all but these, as informers with
// several scopes do.
func TestWatchSelectsByName(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string][]string{
		"metadata.name%3Dx":                               {"ADDED a/x@2", "ADDED b/x@4", "MODIFIED a/x@5", "DELETED b/x@6", "ADDED c/x@8", "DELETED a/x@9"},
		"metadata.name!%3Dx":                              {"ADDED a/y@3", "MODIFIED a/y@7"},
		"metadata.namespace%3Da":                          {"ADDED a/x@2", "ADDED a/y@3", "MODIFIED a/x@5", "MODIFIED a/y@7", "DELETED a/x@9"},
		"metadata.namespace!%3Da":                         {"ADDED b/x@4", "DELETED b/x@6", "ADDED c/x@8"},
		"metadata.namespace!%3Da,metadata.name%3Dx":       {"ADDED b/x@4", "DELETED b/x@6", "ADDED c/x@8"},
		"metadata.namespace%3Da,metadata.name%3Dy":        {"ADDED a/y@3", "MODIFIED a/y@7"},
		"metadata.namespace!%3Da,metadata.namespace!%3Db": {"ADDED c/x@8"},
	} {
		inBubble(t, func(c client) {
			c.put("a", "x", "1", "red")
			c.put("a", "y", "1", "red")
			c.put("b", "x", "1", "red")
			w := c.watch(watchWidgets + "&fieldSelector=" + selector)
			initial := slices.IndexFunc(want, func(event string) bool { return event[len(event)-1] > '4' })
			w.want(want[:initial]...)
			go func() {
				c.recolor("a", "x", "1", "blue")
				c.drop("b", "x")
				c.recolor("a", "y", "1", "blue")
				c.put("c", "x", "1", "red")
				c.drop("a", "x")
			}()
			w.want(want[initial:]...)
			w.silent(30 * time.Second)
		})
	}
}

func TestWatchOldPath(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		c.put("a", "y", "1", "red")
		// The query has no watch=true, so the rules of streaming lists do not hold.
		all := c.watch("/apis/example.com/v1/watch/namespaces/a/widgets?allowWatchBookmarks=true")
		one := c.watch("/apis/example.com/v1/watch/namespaces/a/widgets/y")
		all.want("ADDED a/x@2", "ADDED a/y@3")
		one.want("ADDED a/y@3")
		c.drop("a", "x")
		all.want("DELETED a/x@4")
		one.silent(30 * time.Second)
		c.do("GET", "/apis/example.com/v1/watch/namespaces/a/widgets/y?fieldSelector=metadata.name%3Dx", "", 400)
	})
}

func TestWatchWithSelectors(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		red := c.watch(watchWidgets + "&resourceVersion=1&fieldSelector=spec.color%3Dred")
		one := c.watch(watchWidgets + "&resourceVersion=1&labelSelector=l%3D1")
		c.put("a", "x", "1", "red")
		c.recolor("a", "x", "1", "blue")
		c.recolor("a", "x", "2", "red")
		c.recolor("a", "x", "3", "red")
		c.drop("a", "x")
		red.want("ADDED a/x@2", "DELETED a/x@3", "ADDED a/x@4", "MODIFIED a/x@5", "DELETED a/x@6")
		one.want("ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@4")
		red.silent(30 * time.Second)
		one.silent(30 * time.Second)
	})
}

// An object that leaves the selection is shown as it was before, and a deleted one as it was last.
func TestWatchShowsLastState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		red := c.watch(watchWidgets + "&resourceVersion=1&fieldSelector=spec.color%3Dred")
		all := c.watch(watchWidgets + "&resourceVersion=1")
		c.put("a", "x", "1", "red")
		c.recolor("a", "x", "2", "blue")
		c.drop("a", "x")
		for _, test := range []struct {
			watch *stream
			want  string
		}{{red, "3 1 red"}, {all, "4 2 blue"}} {
			var e event
			for e.Type != "DELETED" {
				if err := test.watch.events.Decode(&e); err != nil {
					t.Fatal(err)
				}
			}
			u := unstructured.Unstructured{Object: e.Object}
			color, _, _ := unstructured.NestedString(e.Object, "spec", "color")
			if got := u.GetResourceVersion() + " " + u.GetLabels()["l"] + " " + color; got != test.want {
				t.Errorf("the deleted object has %q, want %q", got, test.want)
			}
		}
	})
}

func TestWatchErrors(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"&resourceVersion=1": "ERROR 410 too old resource version: 1 (2)",
		"&resourceVersion=99&resourceVersionMatch=NotOlderThan&sendInitialEvents=true":   "ERROR 504 Timeout: Too large resource version: 99, current: 4",
		"&resourceVersion=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=false":   "ERROR 410 too old resource version: 1 (2)",
		"&resourceVersion=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone": "ERROR 410 too old resource version: 1 (2)",
	} {
		inBubble(t, func(c client) {
			for i := range 3 {
				c.put("a", fmt.Sprint("w", i), "1", "red")
			}
			w := c.watch(watchWidgets + query)
			var e event
			if err := w.events.Decode(&e); err != nil || e.String() != want {
				t.Fatalf("%s: %v, %v, want %s", query, e, err, want)
			}
			if e.Object["kind"] != "Status" || e.Object["apiVersion"] != "v1" || e.Object["status"] != "Failure" {
				t.Errorf("%s: the error is %v", query, e.Object)
			}
			w.want("EOF")
		}, apitest.WithHistory(2))
	}
}

// The oldest version that is kept is that of the newest event that is not.
func TestWatchFromOldest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		for i := range 3 {
			c.put("a", fmt.Sprint("w", i), "1", "red")
		}
		c.watch(watchWidgets+"&resourceVersion=2").want("ADDED a/w1@3", "ADDED a/w2@4")
	}, apitest.WithHistory(2))
}

// A watch from a version of the future waits for it, and does not show what comes before.
func TestWatchFromFuture(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		w := c.watch(watchWidgets + "&resourceVersion=3&allowWatchBookmarks=true")
		go func() {
			for i := range 3 {
				time.Sleep(time.Second)
				c.put("a", fmt.Sprint("w", i), "1", "red")
			}
		}()
		w.want("ADDED a/w2@4", "BOOKMARK @4")
	})
}

func TestWatchTimeouts(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]time.Duration{
		"":                   45 * time.Minute,
		"&timeoutSeconds=0":  45 * time.Minute,
		"&timeoutSeconds=10": 10 * time.Second,
		"&timeoutSeconds=-1": 0,
	} {
		inBubble(t, func(c client) {
			start := time.Now()
			w := c.watch(watchWidgets + query)
			w.want("EOF")
			if got := time.Since(start); got != want {
				t.Errorf("the watch with %q ended after %v, want %v", query, got, want)
			}
			w.want("EOF")
		})
	}
}

func TestWatchEndsAtOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		c.watch(watchWidgets + "&timeoutSeconds=-1").want("EOF")
	})
}

// A bookmark says something new: not the version of the events that the watch began with.
func TestWatchWithoutBookmark(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		c.watch(watchWidgets+"&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=90").want("ADDED a/x@2", "EOF")
	})
}

func TestWatchBookmarks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		start := time.Now()
		w := c.watch(watchWidgets + "&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=150")
		plain := c.watch(watchWidgets + "&resourceVersion=1&timeoutSeconds=150")
		other := c.watch("/api/v1/namespaces?watch=true&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=150")
		at := func(want time.Duration) {
			t.Helper()
			if got := time.Since(start); got != want {
				t.Errorf("the event came after %v, want %v", got, want)
			}
		}
		go func() {
			time.Sleep(70 * time.Second)
			c.put("a", "x", "1", "red")
		}()
		w.want("ADDED a/x@2") // nothing was new after a minute
		at(70 * time.Second)
		w.want("BOOKMARK @2")
		at(120 * time.Second)
		w.want("BOOKMARK @2")
		at(148 * time.Second)
		w.want("EOF")
		at(150 * time.Second)
		plain.want("ADDED a/x@2", "EOF")
		// Bookmarks tell of writes to other resources. This watch was not read before it ended.
		other.want("BOOKMARK @2", "EOF")
	})
}

// A watch of which a client reads nothing for a minute has a bookmark all the same.
func TestWatchBookmarkEveryMinute(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		w := c.watch(watchWidgets + "&resourceVersion=1&allowWatchBookmarks=true")
		c.put("a", "x", "1", "red")
		start := time.Now()
		w.want("ADDED a/x@2")
		for i := range 5 {
			w.want("BOOKMARK @2")
			if got, want := time.Since(start), time.Duration(i+1)*time.Minute; got != want {
				t.Errorf("bookmark %d came after %v, want %v", i, got, want)
			}
		}
	})
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(*apitest.Server, *stream)
		want error
	}{
		"context": {func(_ *apitest.Server, w *stream) { w.cancel() }, context.Canceled},
		"body":    {func(_ *apitest.Server, w *stream) { w.body.Close() }, http.ErrBodyReadAfterClose},
		"server":  {func(s *apitest.Server, _ *stream) { s.Close() }, io.EOF},
	} {
		inBubble(t, func(c client) {
			w := c.watch(watchWidgets)
			got := make(chan error)
			go func() {
				_, err := w.body.Read(make([]byte, 1))
				got <- err
			}()
			synctest.Wait() // it waits in Read
			test.end(c.server.(*apitest.Server), w)
			start := time.Now()
			if err := <-got; !errors.Is(err, test.want) || time.Since(start) != 0 {
				t.Errorf("%s: Read failed with %v after %v, want %v", name, err, time.Since(start), test.want)
			}
		})
	}
}

// Events come in order and whole, however small the buffer is.
func TestWatchInSmallReads(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		c.put("a", "y", "1", "red")
		read := func(size int) string {
			w := c.watch(watchWidgets + "&allowWatchBookmarks=true&timeoutSeconds=60")
			var all []byte
			for buffer := make([]byte, size); ; {
				n, err := w.body.Read(buffer)
				all = append(all, buffer[:n]...)
				if err != nil {
					return string(all)
				}
			}
		}
		want := read(1 << 20)
		if strings.Count(want, "\n") != 3 {
			t.Fatalf("the watch has %q, want three lines", want)
		}
		for _, size := range []int{1, 7, 300, 512} {
			if got := read(size); got != want {
				t.Errorf("read in pieces of %d bytes, the watch has %q, want %q", size, got, want)
			}
		}
	})
}

// A client that falls behind the history has to list again.
func TestWatchTooSlow(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		w := c.watch(watchWidgets + "&resourceVersion=1")
		for i := range 3 {
			c.put("a", fmt.Sprint("w", i), "1", "red")
		}
		w.want("EOF")
	}, apitest.WithHistory(2))
}

// Writes do not wait for watches, and watches see all writes of many clients in their order.
func TestWatchesWhileOthersWrite(t *testing.T) {
	t.Parallel()
	const writers, each, readers = 4, 50, 4
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.watch(watchWidgets) // no one reads it
	var writing, reading sync.WaitGroup
	streams, seen := make([]*stream, readers), make([][]string, readers)
	for i := range streams {
		streams[i] = c.watch(watchWidgets + "&resourceVersion=1")
		reading.Go(func() {
			for range writers * each {
				seen[i] = append(seen[i], streams[i].next())
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				c.put("a", fmt.Sprint("w", w, "-", i), "1", "red")
			}
		})
	}
	writing.Wait()
	reading.Wait()
	for i := range seen {
		if !slices.Equal(seen[i], seen[0]) {
			t.Errorf("watch %d has other events than watch 0", i)
		}
	}
	for i, text := range seen[0] {
		if want := fmt.Sprint("@", i+2); !strings.HasSuffix(text, want) {
			t.Fatalf("event %d is %s, want version %s", i, text, want)
		}
	}
}

func TestWatchAsMetadata(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		w := c.watchAs(watchWidgets+"&allowWatchBookmarks=true", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		for _, want := range []string{"ADDED a/x@2", "BOOKMARK @2 end"} {
			var e event
			if err := w.events.Decode(&e); err != nil || e.String() != want {
				t.Fatalf("%v, %v, want %s", e, err, want)
			}
			if e.Object["kind"] != "PartialObjectMetadata" || e.Object["apiVersion"] != "meta.k8s.io/v1" || e.Object["spec"] != nil {
				t.Errorf("%s has %v", want, e.Object)
			}
		}
	})
}

// A watch in protobuf is a sequence of messages, each after its length.
func TestWatchAsProtobuf(t *testing.T) {
	t.Parallel()
	inBubble(t, func(c client) {
		c.put("a", "x", "1", "red")
		w := c.watchAs(watchWidgets+"&allowWatchBookmarks=true&timeoutSeconds=1", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		scheme := runtime.NewScheme()
		if err := metav1.AddMetaToScheme(scheme); err != nil {
			t.Fatal(err)
		}
		metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
		events := streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(w.body), protobuf.NewRawSerializer(scheme, scheme))
		next := func(into runtime.Object) string {
			t.Helper()
			var e metav1.WatchEvent
			if _, _, err := events.Decode(nil, &e); err != nil {
				return err.Error()
			}
			if _, _, err := protobuf.NewSerializer(scheme, scheme).Decode(e.Object.Raw, nil, into); err != nil {
				t.Fatal(err)
			}
			return e.Type
		}
		var object, bookmark metav1.PartialObjectMetadata
		if got := next(&object); got != "ADDED" || object.Name != "x" || object.ResourceVersion != "2" {
			t.Errorf("the first event is %s %v", got, object)
		}
		if got := next(&bookmark); got != "BOOKMARK" || bookmark.ResourceVersion != "2" || bookmark.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
			t.Errorf("the second event is %s %v", got, bookmark)
		}
		if got := next(nil); got != "EOF" {
			t.Errorf("the third event is %s, want EOF", got)
		}
		expired := c.watchAs(watchWidgets+"&resourceVersion=99&resourceVersionMatch=NotOlderThan&sendInitialEvents=true", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		events = streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(expired.body), protobuf.NewRawSerializer(scheme, scheme))
		var status metav1.Status
		if got := next(&status); got != "ERROR" || status.Code != 504 {
			t.Errorf("the error is %s %v", got, status)
		}
	})
}
