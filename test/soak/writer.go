package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// writer makes the own writes of the program, and checks that all informers have each at once.
type writer struct {
	client    versioned.Interface
	followers *followers
	random    *rand.Rand
	number    int // of slots, all of which are own ones
	of        func(n int) (slot int)
	total     *atomic.Int64
}

// step makes one write, or two of which the second creates what the first deleted. A write that fails is not checked.
func (w *writer) step(ctx context.Context) error {
	w.followers.scopes.mu.RLock()
	defer w.followers.scopes.mu.RUnlock()
	w.followers.manager.mu.RLock()
	defer w.followers.manager.mu.RUnlock()
	slot := w.of(w.random.IntN(w.number))
	name, content := nameOf(slot, 0), int32(w.random.IntN(1000))
	client := w.client.DataV1().Databases(name.Namespace)
	current, ok := w.followers.all.read(name)
	if !ok { // the watch has not told yet what a create has made whose response was lost
		return nil
	}
	if w.random.IntN(10) > 0 {
		next := newDatabase(name, content)
		next.ResourceVersion = current.ResourceVersion
		return w.check("update", slot, state{}, func() (*datav1.Database, error) { return client.Update(ctx, next, metav1.UpdateOptions{}) })
	}
	deleted, err := stateOf(current, 0)
	deleted.IsAlive = false
	if err == nil {
		err = w.check("delete", slot, deleted, func() (*datav1.Database, error) {
			return nil, client.Delete(ctx, name.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(current.UID))})
		})
	}
	for err == nil && ctx.Err() == nil {
		var failed error
		err = w.check("create", slot, state{}, func() (made *datav1.Database, _ error) {
			made, failed = client.Create(ctx, newDatabase(name, content), metav1.CreateOptions{})
			return made, failed
		})
		if failed == nil || apierrors.IsAlreadyExists(failed) {
			break
		}
		pause(ctx, 100*time.Millisecond)
	}
	return err
}

// check makes a write, and looks what the caches have when it has returned. want is the object of a delete. A write whose
// response is lost is not checked.
func (w *writer) check(verb string, slot int, want state, write func() (*datav1.Database, error)) error {
	var synced []following
	for _, f := range w.followers.each {
		if f.hasSynced() { // otherwise the write is held until there is a list
			synced = append(synced, f)
		}
	}
	written, err := write()
	if err != nil {
		return nil
	}
	w.total.Add(1)
	if written != nil {
		if want, err = stateOf(written, contentOf(written.Spec.ClassName, written.Spec.StorageGi, written.Labels)); err != nil {
			return err
		}
	}
	name := nameOf(slot, 0)
	for _, f := range synced {
		has, ok := f.get(name)
		switch {
		case !want.IsAlive && !(ok && has.UID == want.UID):
		case want.IsAlive && ok && has.Version >= want.Version: // the state, or a later one
		case want.IsAlive && !ok && (!f.isSelected(slot, want) || w.isLater(name, want)): // or others have moved it out of the scope
		default:
			return fmt.Errorf("%s: after the %s of %s in %v the cache has it: %t, in %v\nThe informer is %v", f.name(), verb, name, want, ok, has, f.status().Status)
		}
	}
	return nil
}

// isLater reports whether the informer of all objects has a later state.
func (w *writer) isLater(name cache.ObjectName, than state) bool {
	has, ok := w.followers.all.get(name)
	return ok && has.Version > than.Version
}
