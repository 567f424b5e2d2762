package smoke

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/scheme"
	typedshopv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/shop/v1"
)

// reason is the outcome of a request in one word.
func reason(err error) string {
	switch {
	case err == nil:
		return "accepted"
	case apierrors.ReasonForError(err) != metav1.StatusReasonUnknown:
		return string(apierrors.ReasonForError(err))
	}
	return err.Error()
}

// switched are rows of the table about fake clientsets in docs/migrating.md.
var switched = map[string]struct {
	do             func(*testing.T, typedshopv1.OrderInterface) string
	simple, server string
}{
	"an object after a create": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		o := must(orders.Create(ctx, order("ink", "eve"), metav1.CreateOptions{}))(t)
		return fmt.Sprint(o.UID != "", o.ResourceVersion != "", o.Generation, o.CreationTimestamp.IsZero(), len(o.ManagedFields))
	}, "false false 0 true 0", "true true 1 false 1"},
	"generateName": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		o := must(orders.Create(ctx, &shopv1.Order{ObjectMeta: metav1.ObjectMeta{GenerateName: "ink-"}}, metav1.CreateOptions{}))(t)
		return fmt.Sprint(len(o.Name))
	}, "0", "9"},
	"an update of an object that the test has made": {func(_ *testing.T, orders typedshopv1.OrderInterface) string {
		_, err := orders.Update(ctx, order("tea", "bob"), metav1.UpdateOptions{})
		return reason(err)
	}, "accepted", "Invalid"},
	"an update of an old version": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		old := must(orders.Get(ctx, "tea", metav1.GetOptions{}))(t)
		changed := *old
		changed.Spec.Customer = "bob"
		must(orders.Update(ctx, &changed, metav1.UpdateOptions{}))(t)
		_, err := orders.Update(ctx, old, metav1.UpdateOptions{})
		return reason(err)
	}, "accepted", "Conflict"},
	"an update and an update of the status": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		o := must(orders.Get(ctx, "tea", metav1.GetOptions{}))(t)
		o.Spec.Customer, o.Status.Phase = "bob", "Paid"
		first := must(orders.Update(ctx, o, metav1.UpdateOptions{}))(t)
		first.Spec.Customer, first.Status.Phase = "eve", "Sent"
		second := must(orders.UpdateStatus(ctx, first, metav1.UpdateOptions{}))(t)
		return fmt.Sprintf("%s %s", second.Spec.Customer, second.Status.Phase)
	}, "eve Sent", "bob Sent"},
	"a delete of an object with finalizers": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		pinned := order("ink", "eve")
		pinned.Finalizers = []string{"example.com/x"}
		must(orders.Create(ctx, pinned, metav1.CreateOptions{}))(t)
		if err := orders.Delete(ctx, "ink", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := orders.Get(ctx, "ink", metav1.GetOptions{})
		return reason(err)
	}, "NotFound", "accepted"},
	"a delete of an owner": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		owner := must(orders.Get(ctx, "tea", metav1.GetOptions{}))(t)
		owned := order("ink", "eve")
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "shop.example.com/v1", Kind: "Order", Name: "tea", UID: owner.UID}}
		must(orders.Create(ctx, owned, metav1.CreateOptions{}))(t)
		if err := orders.Delete(ctx, "tea", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := orders.Get(ctx, "ink", metav1.GetOptions{})
		return reason(err)
	}, "accepted", "NotFound"},
	"a name in capitals": {func(_ *testing.T, orders typedshopv1.OrderInterface) string {
		_, err := orders.Create(ctx, order("INK", "eve"), metav1.CreateOptions{})
		return reason(err)
	}, "accepted", "Invalid"},
	"a field selector": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		all := must(orders.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=ink"}))(t)
		return fmt.Sprint(len(all.Items))
	}, "1", "0"},
	"a deletion of a collection": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		if err := orders.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=tea"}); err != nil {
			t.Fatal(err)
		}
		_, err := orders.Get(ctx, "tea", metav1.GetOptions{})
		return reason(err)
	}, "accepted", "NotFound"},
	"a watch from a version": {func(t *testing.T, orders typedshopv1.OrderInterface) string {
		if !trackerHasVersions(t) {
			t.Skip("the fakes of this version of client-go have no resourceVersion")
		}
		list := must(orders.List(ctx, metav1.ListOptions{}))(t)
		changed := &list.Items[0]
		changed.Spec.Customer = "bob"
		must(orders.Update(ctx, changed, metav1.UpdateOptions{}))(t)
		w := must(orders.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion}))(t)
		defer w.Stop()
		return string((<-w.ResultChan()).Type)
	}, string(watch.Added), string(watch.Modified)},
}

// trackerHasVersions reports whether client-go's fakes count resourceVersions. Those of v0.34 and v0.35 do not.
func trackerHasVersions(t *testing.T) bool {
	t.Helper()
	resource, kind := shopv1.SchemeGroupVersion.WithResource("orders"), shopv1.SchemeGroupVersion.WithKind("Order")
	tracker := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	if err := tracker.Create(resource, order("tea", "ann"), "east"); err != nil {
		t.Fatal(err)
	}
	list, err := meta.ListAccessor(must(tracker.List(resource, kind, "east"))(t))
	if err != nil {
		t.Fatal(err)
	}
	return list.GetResourceVersion() != ""
}

// must returns a function that ends the test if there is an error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestSwitched(t *testing.T) {
	for name, row := range switched {
		t.Run(name, func(t *testing.T) {
			if got := row.do(t, fake.NewClientset(order("tea", "ann")).ShopV1().Orders("east")); got != row.server {
				t.Errorf("with NewClientset: %s, want %s", got, row.server)
			}
			if got := row.do(t, fake.NewSimpleClientset(order("tea", "ann")).ShopV1().Orders("east")); got != row.simple {
				t.Errorf("with NewSimpleClientset: %s, want %s", got, row.simple)
			}
		})
	}
}
