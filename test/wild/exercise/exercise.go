// Package exercise uses a generated clientset and its informers once for each kind. Command
// wild copies the package to each workspace.
package exercise

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/runtime/cache"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

const (
	name      = "example"
	namespace = "default"
)

// Clientset is a fake clientset.
type Clientset interface {
	Actions() []clienttesting.Action
	Tracker() clienttesting.ObjectTracker
}

// Factory is a factory of informers.
type Factory interface {
	Start(ctx context.Context)
	WaitForCacheSync(ctx context.Context) error
	ForResource(resource schema.GroupVersionResource) (cache.GenericInformer, error)
	Shutdown()
}

// Generated is what the packages of a run export. C is the type of a fake clientset.
type Generated[C Clientset] struct {
	// Interface is the interface of the clientset, as reflect.TypeFor gives it.
	Interface    reflect.Type
	NewClientset func(objects ...runtime.Object) C
	NewFactory   func(C) Factory
}

// Outcome is what Kinds found.
type Outcome struct {
	// Kinds is the number of clients of kinds.
	Kinds int
	// Failures has a line for each kind that failed.
	Failures []string
}

// Kinds creates, gets and lists an object of each kind, and waits until an informer has it.
// It leaves out what the client of a kind has no method for. Each kind has its own clientset.
func Kinds[C Clientset](t *testing.T, generated Generated[C]) Outcome {
	var outcome Outcome
	for group := range generated.Interface.Methods() {
		if group.Name == "Discovery" {
			continue
		}
		for getter := range group.Type.Out(0).Methods() {
			if getter.Name == "RESTClient" {
				continue
			}
			outcome.Kinds++
			synctest.Test(t, func(t *testing.T) {
				clientset := generated.NewClientset()
				k := kind{clientset: clientset, namespaced: getter.Type.NumIn() == 1}
				k.client = call(call(reflect.ValueOf(clientset), group.Name)[0], getter.Name, k.inNamespace()...)[0]
				if err := k.exercise(t.Context(), generated.NewFactory(clientset)); err != nil {
					outcome.Failures = append(outcome.Failures, fmt.Sprintf("%s().%s: %v", group.Name, getter.Name, err))
				}
			})
		}
	}
	return outcome
}

// kind is the client of a kind.
type kind struct {
	clientset  Clientset
	client     reflect.Value
	namespaced bool
}

// inNamespace is the argument of the method that returns the client.
func (k kind) inNamespace() []any {
	if k.namespaced {
		return []any{namespace}
	}
	return nil
}

func (k kind) has(methods ...string) bool {
	for _, method := range methods {
		if !k.client.MethodByName(method).IsValid() {
			return false
		}
	}
	return true
}

// exercise runs the informer before it creates the object, so that the informer learns of it
// by its watch.
func (k kind) exercise(ctx context.Context, factory Factory) error {
	if !k.has("Get") {
		if k.has("Create") {
			_, err := k.create(ctx)
			return err
		}
		return nil
	}
	if _, err := result(call(k.client, "Get", ctx, name, metav1.GetOptions{})); !apierrors.IsNotFound(err) {
		return fmt.Errorf("get before create: got %v, want an error that says not found", err)
	}
	var lister cache.GenericNamespaceLister
	if k.has("List", "Watch") {
		informer, err := factory.ForResource(k.resource())
		if err != nil {
			return err
		}
		informer.Informer()
		lister = informer.Lister()
		if k.namespaced {
			lister = informer.Lister().ByNamespace(namespace)
		}
		factory.Start(ctx)
		defer factory.Shutdown()
		if err := factory.WaitForCacheSync(ctx); err != nil {
			return err
		}
	}
	created, err := k.create(ctx)
	if err != nil {
		return err
	}
	got, err := result(call(k.client, "Get", ctx, name, metav1.GetOptions{}))
	if err := same("get", created, got, err); err != nil {
		return err
	}
	if k.has("List") {
		if err := k.list(ctx, created); err != nil {
			return err
		}
	}
	if lister != nil {
		synctest.Wait()
		cached, err := lister.Get(name)
		return same("informer", created, cached, err)
	}
	return nil
}

// resource is that of the first request of the client.
func (k kind) resource() schema.GroupVersionResource {
	return k.clientset.Actions()[0].GetResource()
}

// create returns the object as the server has stored it. If the client cannot create objects, the
// test itself puts it on the server.
func (k kind) create(ctx context.Context) (runtime.Object, error) {
	if k.has("Create") {
		object := named(k.client.MethodByName("Create").Type().In(1))
		created, err := result(call(k.client, "Create", ctx, object, metav1.CreateOptions{}))
		if err != nil {
			return nil, fmt.Errorf("create: %w", err)
		}
		return created, nil
	}
	object, in := named(k.client.MethodByName("Get").Type().Out(0)), ""
	if k.namespaced {
		in = namespace
	}
	if err := k.clientset.Tracker().Create(k.resource(), object, in); err != nil {
		return nil, fmt.Errorf("add to the server: %w", err)
	}
	return k.clientset.Tracker().Get(k.resource(), in, name)
}

// list requires that the object is the only one.
func (k kind) list(ctx context.Context, created runtime.Object) error {
	list, err := result(call(k.client, "List", ctx, metav1.ListOptions{}))
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(items) != 1 {
		return fmt.Errorf("list: got %d objects, want 1", len(items))
	}
	return same("list", created, items[0], nil)
}

// named returns an empty object of a pointer type, with a name. The client or the test gives it
// its namespace.
func named(pointer reflect.Type) runtime.Object {
	object := reflect.New(pointer.Elem()).Interface().(runtime.Object)
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetName(name)
	}
	return object
}

// same reports an error if got is not the object that was created.
func same(step string, created, got any, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	want, err := meta.Accessor(created)
	if err != nil {
		return err
	}
	have, err := meta.Accessor(got)
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if have.GetName() != name || want.GetUID() == "" || have.GetUID() != want.GetUID() || have.GetNamespace() != want.GetNamespace() {
		return fmt.Errorf("%s: got the object %s/%s with UID %q, want %s/%s with UID %q",
			step, have.GetNamespace(), have.GetName(), have.GetUID(), want.GetNamespace(), name, want.GetUID())
	}
	return nil
}

// call calls a method.
func call(receiver reflect.Value, method string, arguments ...any) []reflect.Value {
	values := make([]reflect.Value, len(arguments))
	for i, argument := range arguments {
		values[i] = reflect.ValueOf(argument)
	}
	return receiver.MethodByName(method).Call(values)
}

// result is the object or the error that a method of a client has returned.
func result(values []reflect.Value) (runtime.Object, error) {
	if err, _ := values[1].Interface().(error); err != nil {
		return nil, err
	}
	object, ok := values[0].Interface().(runtime.Object)
	if !ok || values[0].IsNil() {
		return nil, errors.New("the client returned no object")
	}
	return object, nil
}
