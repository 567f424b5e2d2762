package informertrace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

type object = *metav1.PartialObjectMetadata

// traced returns a tracer and what it has recorded.
func traced() (trace.Tracer, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("informers"), recorder
}

// tree returns the spans as lines: a root, and its children with two spaces before them. The times
// are since the root began.
func tree(t *testing.T, spans []sdktrace.ReadOnlySpan) (lines []string) {
	t.Helper()
	byStart := func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) }
	for _, root := range slices.SortedStableFunc(slices.Values(spans), byStart) {
		if root.Parent().IsValid() {
			continue
		}
		lines = append(lines, inLine(root, root))
		var children []string
		for _, span := range slices.SortedStableFunc(slices.Values(spans), byStart) {
			if span.Parent().SpanID() != root.SpanContext().SpanID() {
				continue
			}
			children = append(children, "  "+inLine(span, root))
			if span.StartTime().Before(root.StartTime()) || span.EndTime().After(root.EndTime()) || span.EndTime().Before(span.StartTime()) {
				t.Errorf("%s from %v to %v is not in %v to %v", span.Name(), span.StartTime(), span.EndTime(), root.StartTime(), root.EndTime())
			}
		}
		lines = append(lines, children...)
	}
	return lines
}

func inLine(span, root sdktrace.ReadOnlySpan) string {
	var attributes []string
	for _, a := range span.Attributes() {
		if a.Key != "informer.bytes" {
			attributes = append(attributes, strings.TrimPrefix(string(a.Key), "informer.")+"="+a.Value.Emit())
		}
	}
	slices.Sort(attributes)
	line := fmt.Sprintf("%s %v-%v %s", strings.TrimPrefix(span.Name(), "informer."), span.StartTime().Sub(root.StartTime()), span.EndTime().Sub(root.StartTime()), strings.Join(attributes, " "))
	if status := span.Status(); status.Description != "" {
		line += fmt.Sprintf("(%v %s)", status.Code, status.Description)
	}
	return strings.TrimSuffix(line, " ")
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSpans has relists that are filled in by hand.
func TestSpans(t *testing.T) {
	began := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	base := "k8s.api.group=example.com k8s.api.resource=widgets k8s.api.version=v1"
	secret := errors.New("secret text of object team-a/payroll")
	for name, test := range map[string]struct {
		relist cache.Relist
		want   []string
	}{
		"the first list": {
			cache.Relist{Pages: 1, Objects: 10, Answered: at(1), Decoded: at(3), Applied: at(6), Ended: at(15), Handlers: []cache.HandlerRelist{
				{Name: "a", Events: 10, Done: at(10)}, {Name: "b", Events: 9, Done: at(15)},
			}},
			[]string{
				"relist 0s-15s " + base + " objects=10 pages=1",
				"  list 0s-1s", "  decode 1s-3s", "  apply 3s-6s", "  handler 6s-10s events=10 handler=a", "  handler 6s-15s events=9 handler=b",
			},
		},
		"a stream of one namespace": {
			cache.Relist{Namespace: "team-a", Cause: cache.Expired, Streamed: true, Objects: 1, Dropped: 3, Answered: at(1), Decoded: at(2), Applied: at(2), Ended: at(9),
				Handlers: []cache.HandlerRelist{{Name: "hung", Events: 1}}},
			[]string{
				"relist 0s-9s cause=Expired dropped=3 " + base + " k8s.namespace.name=team-a objects=1 streamed=true",
				"  list 0s-1s", "  decode 1s-2s", "  apply 2s-2s", "  handler 2s-9s abandoned=true events=1 handler=hung",
			},
		},
		"no answer": {
			cache.Relist{Err: secret, Reason: cache.Unreachable, Ended: at(120)},
			[]string{"relist 0s-2m0s " + base + " objects=0 pages=0(Error Unreachable)", "  list 0s-2m0s (Error Unreachable)"},
		},
		"a bad object": {
			cache.Relist{Err: secret, Reason: cache.Decode, Answered: at(1), Ended: at(4)},
			[]string{"relist 0s-4s " + base + " objects=0 pages=0(Error Decode)", "  list 0s-1s", "  decode 1s-4s (Error Decode)"},
		},
		"a Reflector alone": {
			cache.Relist{Pages: 2, Answered: at(1), Decoded: at(4), Ended: at(4)},
			[]string{"relist 0s-4s " + base + " objects=0 pages=2", "  list 0s-1s", "  decode 1s-4s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, recorder := traced()
			test.relist.Resource, test.relist.Began = widgets, began
			Trace(tracer)(t.Context(), test.relist)
			wantLines(t, tree(t, recorder.Ended()), test.want...)
			if n := len(recorder.Started()) - len(recorder.Ended()); n != 0 {
				t.Errorf("%d spans have no end", n)
			}
			for _, span := range recorder.Ended() {
				if text := fmt.Sprint(span); strings.Contains(text, "payroll") || len(span.Events()) > 0 {
					t.Errorf("a span has the text of the error: %s", text)
				}
			}
		})
	}
}

// TestTracesLinkToTheSpanOfRun and are not a part of it.
func TestTracesLinkToTheSpanOfRun(t *testing.T) {
	tracer, recorder := traced()
	ctx, start := tracer.Start(t.Context(), "start")
	for _, ctx := range []context.Context{ctx, t.Context()} {
		Trace(tracer)(ctx, cache.Relist{Began: time.Now(), Err: io.EOF, Reason: cache.Unreachable, Ended: time.Now()})
	}
	links := 0
	for _, span := range recorder.Ended() {
		if span.SpanContext().TraceID() == start.SpanContext().TraceID() {
			t.Errorf("%s is in the trace of the start", span.Name())
		}
		for _, link := range span.Links() {
			if links++; link.SpanContext.SpanID() != start.SpanContext().SpanID() {
				t.Errorf("%s links to %v", span.Name(), link)
			}
		}
	}
	start.End()
	if links != 1 {
		t.Errorf("%d links", links)
	}
}

// opener returns an OpenFunc over a server.
func opener(server *apitest.Server) cache.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query := url.Values{"resourceVersion": {options.ResourceVersion}, "limit": {fmt.Sprint(options.Limit)}, "continue": {options.Continue}}
		if options.Watch {
			query.Set("watch", "true")
			query.Set("allowWatchBookmarks", fmt.Sprint(options.AllowWatchBookmarks))
			if options.SendInitialEvents != nil {
				query.Set("sendInitialEvents", "true")
				query.Set("resourceVersionMatch", string(options.ResourceVersionMatch))
			}
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+"/apis/example.com/v1/widgets?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", accept)
		response, err := server.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusOK {
			defer response.Body.Close()
			return nil, apierrors.NewGenericServerResponse(response.StatusCode, "list", widgets.GroupResource(), "", "", 0, false)
		}
		return response.Body, nil
	}
}

func widget(i int) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget"}}
	obj.SetNamespace("default")
	obj.SetName(fmt.Sprint("payroll-", i))
	return obj
}

// TestInformerIsTraced follows an informer over a server: its first list, a list without the right
// to list, and the one after it.
func TestInformerIsTraced(t *testing.T) {
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := apitest.Start(t, apitest.WithKinds(apitest.Kind{GroupVersionKind: widgets.GroupVersion().WithKind("Widget"), Resource: "widgets", Namespaced: true}))
			for i := range 3 {
				if err := server.Add(widget(i)); err != nil {
					t.Fatal(err)
				}
			}
			tracer, recorder := traced()
			options := []cache.SharedInformerOption{cache.WithRelistHandler(Trace(tracer)), cache.WithWatchErrorHandler(func(context.Context, schema.GroupVersionResource, error) {})}
			pages := "pages=1"
			if streams {
				options, pages = append(options, cache.WithStreamingList()), "streamed=true"
			} else {
				options = append(options, cache.WithoutStreamingList())
			}
			s, err := cache.Kind[object]{Resource: widgets, Namespaced: true, Open: func(string) cache.OpenFunc { return opener(server) }}.NewInformer(options...)
			if err != nil {
				t.Fatal(err)
			}
			slow := cache.ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { time.Sleep(time.Second) }}
			if _, err := s.AddEventHandler(slow, cache.WithHandlerName("slow")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { s.Run(ctx) })
			time.Sleep(time.Minute)
			base := "k8s.api.group=example.com k8s.api.resource=widgets k8s.api.version=v1"
			wantLines(t, tree(t, recorder.Ended()), "relist 0s-3s "+base+" objects=3 "+pages,
				"  list 0s-0s", "  decode 0s-0s", "  apply 0s-0s", "  handler 0s-3s events=3 handler=slow")

			recorder.Reset()
			server.On("watch", "widgets").Once().Expired()
			server.On("list", "widgets").Once().Forbidden()
			if streams {
				server.On("list", "widgets").Once().Forbidden()
			}
			server.CutWatches("widgets")
			synctest.Wait()
			if err := server.Add(widget(3)); err != nil { // while the informer waits for its next attempt
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			failed := func(how string) []string {
				return []string{"relist 0s-0s cause=Expired " + base + " objects=0 " + how + "(Error Forbidden)", "  list 0s-0s (Error Forbidden)"}
			}
			want := failed("pages=0")
			if streams { // a list follows the stream that fails
				want = append(failed("streamed=true"), want...)
			}
			want = append(want, "relist 0s-1s cause=Expired "+base+" objects=4 pages=1", "  list 0s-0s", "  decode 0s-0s", "  apply 0s-0s", "  handler 0s-1s events=1 handler=slow")
			wantLines(t, tree(t, recorder.Ended()), want...)
			for _, span := range recorder.Ended() {
				if text := fmt.Sprint(span); strings.Contains(text, "payroll") {
					t.Errorf("a span has the name of an object: %s", text)
				}
			}
			cancel()
			running.Wait()
		})
	}
}
