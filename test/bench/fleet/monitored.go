package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// changing is the fraction of the objects of which one changes in a second.
const changing = 1000

// monitored is a kind that the manager reconciles.
type monitored struct {
	podserver.Kind
	objects int
	// field is the path of the field that the cache keeps with WithFields, and read reports whether an object has it.
	field string
	read  func(obj *unstructured.Unstructured) bool

	// reconciled is how often objects were reconciled, and newest the newest version of these objects.
	reconciled, newest atomic.Int64
	// changes is how many changes the server has made.
	changes int
}

// empty returns an object of the kind, which names it.
func (k *monitored) empty() *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(k.GroupVersionKind)
	return obj
}

// reconcile reads an object from the cache.
func (k *monitored) reconcile(ctx context.Context, reader ctrlclient.Reader, request reconcile.Request) error {
	obj := k.empty()
	if err := reader.Get(ctx, request.NamespacedName, obj); err != nil {
		return err
	}
	if !k.read(obj) {
		return fmt.Errorf("%s %s lacks %s", k.Kind.Kind, request, k.field)
	}
	version, err := strconv.ParseInt(obj.GetResourceVersion(), 10, 64)
	for newest := k.newest.Load(); version > newest && !k.newest.CompareAndSwap(newest, version); {
		newest = k.newest.Load()
	}
	k.reconciled.Add(1)
	return err
}

func isReported(node *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(node.Object, "status", "conditions")
	for _, condition := range conditions {
		if of, is := condition.(map[string]any); is && of["type"] == "Ready" {
			return true
		}
	}
	return false
}

func hasPhase(pod *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return phase != ""
}

// change changes some objects, and returns how many.
func (k *monitored) change(url string) int {
	count := max(1, k.objects/changing)
	for _, what := range []string{fmt.Sprintf("change?unlisted=true&count=%d", count), "send"} {
		response := meter.Must(http.Post(url+"/"+k.Resource+"/control/"+what, "", nil))
		meter.Check(response.Body.Close())
		if response.StatusCode != http.StatusOK {
			meter.Check(fmt.Errorf("%s of %s: %s", what, k.Resource, response.Status))
		}
	}
	k.changes += count
	return count
}

// check returns when the last change was reconciled, and compares the number of objects.
func (k *monitored) check(ctx context.Context, cache ctrlclient.Reader) {
	await(&k.newest, int64(podserver.LastVersion(k.objects)+uint64(k.changes)))
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind.Kind + "List"))
	meter.Check(cache.List(ctx, list, ctrlclient.UnsafeDisableDeepCopy))
	if len(list.Items) != k.objects {
		meter.Check(fmt.Errorf("the cache has %d %s, not %d", len(list.Items), k.Resource, k.objects))
	}
}

// await returns when a number is reached.
func await(number *atomic.Int64, want int64) {
	for number.Load() < want {
		time.Sleep(time.Millisecond)
	}
	if got := number.Load(); got != want {
		meter.Check(fmt.Errorf("%d is more than %d", got, want))
	}
}
