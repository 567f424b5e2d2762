package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// phaseView is a view of objects with a phase.
type phaseView struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Status            struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

func (v *phaseView) DeepCopyObject() runtime.Object {
	c := *v
	v.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// whole is an object of which a phaseView is a view.
func whole(name, version string, phase any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": "a", "name": name, "uid": name, "resourceVersion": version},
		"spec":     map[string]any{"size": int64(3)},
		"status":   map[string]any{"phase": phase},
	}}
}

// wholeClient is a typed client of whole objects, without response bodies.
type wholeClient struct {
	list    *unstructured.UnstructuredList
	watch   *watch.FakeWatcher
	failure error
}

func (c *wholeClient) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return c.list, c.failure
}

func (c *wholeClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return c.watch, c.failure
}

func newWholeClient(items ...*unstructured.Unstructured) *wholeClient {
	list := &unstructured.UnstructuredList{Object: map[string]any{"metadata": map[string]any{"resourceVersion": "10", "continue": "next"}}}
	for _, item := range items {
		list.Items = append(list.Items, *item)
	}
	return &wholeClient{list: list, watch: watch.NewFakeWithChanSize(10, false)}
}

// TestViewOfATypedClient follows a view from the list to the events of the watch.
func TestViewOfATypedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newWholeClient(whole("one", "1", "Ready"), whole("two", "2", "Busy"))
		client.list.SetContinue("")
		s := informerOf(Config[*phaseView]{Client: NewViewListWatch[*phaseView](client), Resource: widgets, WatchErrorHandler: quiet})
		var heard []string
		hear := func(what string, obj *phaseView) {
			heard = append(heard, what+" "+obj.Name+"@"+obj.ResourceVersion+" "+obj.Status.Phase)
		}
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[*phaseView]{
			AddFunc:    func(obj *phaseView, _ bool) { hear("add", obj) },
			UpdateFunc: func(_, obj *phaseView) { hear("update", obj) },
			DeleteFunc: func(obj *phaseView, _ bool) { hear("delete", obj) },
		}); err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		client.watch.Modify(whole("one", "11", "Busy"))
		client.watch.Add(whole("three", "12", "New"))
		client.watch.Action(watch.Bookmark, whole("", "13", ""))
		client.watch.Delete(whole("two", "14", "Gone"))
		synctest.Wait()
		cachetest.WantLines(t, heard, "add one@1 Ready", "add two@2 Busy", "update one@11 Busy", "add three@12 New", "delete two@14 Gone")
		if now := s.Status(); now.Phase != status.Watching || now.Objects != 2 {
			t.Errorf("the status is %v", now)
		}
	})
}

func TestViewOfATypedClientFails(t *testing.T) {
	ctx := t.Context()
	client := newWholeClient(whole("good", "1", "Ready"), whole("bad", "2", int64(5)))
	view := NewViewListWatch[*phaseView](client).source
	if _, err := view.List(ctx, metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "phase") {
		t.Errorf("a list of what is no view fails with %v", err)
	}
	client.list.Items = client.list.Items[:1]
	if page, err := view.List(ctx, metav1.ListOptions{}); err != nil || len(page.Items) != 1 || page.ResourceVersion != "10" || page.Continue != "next" {
		t.Errorf("the page is %+v, %v", page, err)
	}
	stream, err := view.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client.watch.Add(whole("good", "3", "Ready"))
	client.watch.Add(whole("bad", "4", int64(5)))
	events, err := stream.Next(ctx, nil)
	if err != nil || len(events) != 1 || events[0].Object.GetName() != "good" || events[0].ResourceVersion != "3" {
		t.Errorf("before the event that fails come %+v, %v", events, err)
	}
	for range 2 {
		if events, err = stream.Next(ctx, events); err == nil || len(events) != 0 {
			t.Errorf("the event that is no view: %+v, %v", events, err)
		}
	}
	stream.Stop()
	if !client.watch.IsStopped() {
		t.Error("the watch was not stopped")
	}

	client.watch = watch.NewFakeWithChanSize(10, false)
	client.watch.Add(whole("bad", "4", int64(5)))
	client.watch.Error(&apierrors.NewResourceExpired("too old").ErrStatus)
	if stream, err = view.Watch(ctx, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if events, err := stream.Next(ctx, nil); err == nil || len(events) != 0 {
		t.Errorf("a first event that is no view: %+v, %v", events, err)
	}
	stream.Stop()

	client.failure = cachetest.ErrForbidden
	if _, err := view.List(ctx, metav1.ListOptions{}); !errors.Is(err, cachetest.ErrForbidden) {
		t.Errorf("List fails with %v", err)
	}
	if _, err := view.Watch(ctx, metav1.ListOptions{}); !errors.Is(err, cachetest.ErrForbidden) {
		t.Errorf("Watch fails with %v", err)
	}
}
