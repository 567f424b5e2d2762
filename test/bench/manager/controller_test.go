package main

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// versions is a reader whose objects have their name as version.
type versions struct{ client.Reader }

func (versions) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	if key.Name == "" {
		return errors.New("not found")
	}
	obj.SetResourceVersion(key.Name)
	return nil
}

func TestReconciler(t *testing.T) {
	r := &reconciler{reader: versions{}, object: func() client.Object { return new(podserver.Database) }}
	r.expect(2)
	for _, name := range []string{"1", "2"} {
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	seen, last, err := r.await(t.Context())
	if err != nil || len(seen) != 2 || seen[1].Version != "2" || last.UnixNano() != seen[1].At {
		t.Errorf("%v, %v, %v", seen, last, err)
	}
	if _, err := r.Reconcile(t.Context(), reconcile.Request{}); err == nil {
		t.Error("an object that is not found is noted")
	}
	r.expect(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if seen, _, err := r.await(ended); err == nil {
		t.Errorf("%v was seen, and one object expected", seen)
	}
}
