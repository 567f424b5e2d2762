package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/faults/history"
)

type object = *metav1.PartialObjectMetadata

func state(uid, version string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", UID: types.UID(uid), ResourceVersion: version}}
}

func TestRecorderFindsFaults(t *testing.T) {
	one, two := state("x", "9"), state("x", "10")
	for name, test := range map[string]struct {
		play func(*history.Recorder[object])
		want string
	}{
		"legal": {func(r *history.Recorder[object]) {
			r.OnAdd(one, true)
			r.OnUpdate(one, two)
			r.OnDelete(state("x", "11"), false)
			r.OnAdd(state("y", "12"), false)
		}, ""},
		"added twice":        {func(r *history.Recorder[object]) { r.OnAdd(one, true); r.OnAdd(two, true) }, "which is known"},
		"back from the dead": {func(r *history.Recorder[object]) { r.OnAdd(one, false); r.OnDelete(one, true); r.OnAdd(two, false) }, "has ended"},
		"unknown update":     {func(r *history.Recorder[object]) { r.OnUpdate(one, two) }, "update of a/web, which is not known"},
		"unknown delete":     {func(r *history.Recorder[object]) { r.OnDelete(one, false) }, "delete of a/web, which is not known"},
		"same version":       {func(r *history.Recorder[object]) { r.OnAdd(one, true); r.OnUpdate(one, state("x", "9")) }, "in version 9 after 9"},
		"backwards":          {func(r *history.Recorder[object]) { r.OnAdd(two, true); r.OnUpdate(two, one) }, "in version 9 after 10"},
		"skips a state":      {func(r *history.Recorder[object]) { r.OnAdd(one, true); r.OnUpdate(two, state("x", "11")) }, "the last one told was 9"},
		"another object":     {func(r *history.Recorder[object]) { r.OnAdd(one, true); r.OnUpdate(one, state("y", "11")) }, "into another object"},
		"deletes another":    {func(r *history.Recorder[object]) { r.OnAdd(one, true); r.OnDelete(state("y", "11"), false) }, "as another object"},
		"initial too late": {func(r *history.Recorder[object]) {
			r.OnAdd(one, false)
			r.OnDelete(one, true)
			r.OnAdd(state("y", "11"), true)
		}, "is initial"},
		"backwards, loosely": {func(r *history.Recorder[object]) {
			r.IgnoreVersions()
			r.OnAdd(two, true)
			r.OnUpdate(two, one)
			r.OnUpdate(one, state("x", "no version"))
		}, ""},
		"added twice, loosely": {func(r *history.Recorder[object]) { r.IgnoreVersions(); r.OnAdd(one, true); r.OnAdd(two, true) }, "which is known"},
		"back from the dead, in a replay": {func(r *history.Recorder[object]) {
			r.AllowReplays()
			r.OnAdd(one, false)
			r.OnDelete(one, true)
			r.OnAdd(two, false)
			r.OnDelete(state("y", "9"), false)
		}, ""},
		"after it left": {func(r *history.Recorder[object]) { r.Leave(); r.OnAdd(one, true); r.OnUpdate(one, two) }, "after the handler was removed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := history.NewRecorder[object](cache.NewIndexer[object](nil))
			test.play(r)
			found := strings.Join(r.Faults(), "\n")
			if (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
}

func TestRecorderLooksIntoTheCache(t *testing.T) {
	store := cache.NewIndexer[object](nil)
	store.Add(state("x", "9"))
	r := history.NewRecorder[object](store)
	r.OnAdd(state("x", "10"), true)
	if faults := r.Faults(); len(faults) != 1 || !strings.Contains(faults[0], "while the cache has 9") {
		t.Errorf("found %q", faults)
	}
}

func TestRecorderAwaits(t *testing.T) {
	r := history.NewRecorder[object](cache.NewIndexer[object](nil))
	name := cache.ObjectName{Namespace: "a", Name: "web"}
	want := map[cache.ObjectName]string{name: "10"}
	r.OnAdd(state("x", "9"), true)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Await(ended, want); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `known in version "9", and is "10"`) {
		t.Errorf("waiting in vain: %v", err)
	}
	waits := make(chan error, 3)
	go func() { waits <- r.Await(t.Context(), want) }()
	go func() { waits <- r.AwaitVersion(t.Context(), name, "10") }()
	go func() { waits <- r.AwaitEvents(t.Context(), 2) }()
	r.OnUpdate(r.Known()[name], state("x", "10"))
	for range 3 {
		if err := <-waits; err != nil {
			t.Error(err)
		}
	}
	if err := r.Await(ended, nil); err == nil || !strings.Contains(err.Error(), `and is ""`) {
		t.Errorf("one too many: %v", err)
	}
	r.OnDelete(state("x", "11"), false)
	if err := r.Await(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
