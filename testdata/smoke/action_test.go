package smoke

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
)

// calls has a call of each verb, with options.
var calls = map[string]func(versioned.Interface) error{
	"create": func(c versioned.Interface) error {
		opts := metav1.CreateOptions{DryRun: []string{"All"}, FieldManager: "me", FieldValidation: "Strict"}
		_, err := c.ShopV1().Orders("east").Create(ctx, order("tea", "ann"), opts)
		return err
	},
	"create of a cluster-scoped kind": func(c versioned.Interface) error {
		_, err := c.ShopV1().Shops().Create(ctx, &shopv1.Shop{ObjectMeta: metav1.ObjectMeta{GenerateName: "tea-"}}, metav1.CreateOptions{})
		return err
	},
	"update": func(c versioned.Interface) error {
		changed := order("tea", "bob")
		changed.ResourceVersion, changed.Labels, changed.Finalizers = "7", map[string]string{"a": "b"}, []string{"c.d/e"}
		_, err := c.ShopV1().Orders("east").Update(ctx, changed, metav1.UpdateOptions{FieldManager: "me"})
		return err
	},
	"update of the status": func(c versioned.Interface) error {
		_, err := c.ShopV1().Orders("east").UpdateStatus(ctx, order("tea", "ann"), metav1.UpdateOptions{})
		return err
	},
	"patch": func(c versioned.Interface) error {
		force := true
		_, err := c.ShopV1().Orders("east").Patch(ctx, "tea", types.MergePatchType, []byte(`{"a": 1}`), metav1.PatchOptions{FieldManager: "me", Force: &force})
		return err
	},
	"patch of the status": func(c versioned.Interface) error {
		_, err := c.ShopV1().Orders("east").Patch(ctx, "tea", types.JSONPatchType, []byte(`[]`), metav1.PatchOptions{}, "status")
		return err
	},
	"get": func(c versioned.Interface) error {
		_, err := c.ShopV1().Orders("east").Get(ctx, "tea", metav1.GetOptions{ResourceVersion: "0"})
		return err
	},
	"list": func(c versioned.Interface) error {
		seconds := int64(5)
		opts := metav1.ListOptions{LabelSelector: "a=b,c", FieldSelector: "metadata.name!=x", Limit: 7, Continue: "d", ResourceVersion: "9", ResourceVersionMatch: "Exact", TimeoutSeconds: &seconds}
		_, err := c.ShopV1().Orders("").List(ctx, opts)
		return err
	},
	"watch": func(c versioned.Interface) error {
		opts := metav1.ListOptions{LabelSelector: "a in (b,c)", FieldSelector: "metadata.name=x", ResourceVersion: "9", AllowWatchBookmarks: true}
		w, err := c.ShopV1().Orders("east").Watch(ctx, opts)
		if err == nil {
			w.Stop()
		}
		return err
	},
	"delete": func(c versioned.Interface) error {
		uid, seconds, policy := types.UID("u"), int64(3), metav1.DeletePropagationForeground
		opts := metav1.DeleteOptions{GracePeriodSeconds: &seconds, PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}
		return c.ShopV1().Orders("east").Delete(ctx, "tea", opts)
	},
	"delete without options": func(c versioned.Interface) error {
		return c.ShopV1().Shops().Delete(ctx, "tea", metav1.DeleteOptions{})
	},
	"deletion of a collection": func(c versioned.Interface) error {
		return c.ShopV1().Orders("east").DeleteCollection(ctx, metav1.DeleteOptions{DryRun: []string{"All"}}, metav1.ListOptions{LabelSelector: "a"})
	},
}

// TestActions compares what both fakes record, and what their reactors see.
func TestActions(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			record := func(client *fake.Clientset) (recorded, seen []clienttesting.Action) {
				see := func(action clienttesting.Action) { seen = append(seen, action) }
				client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
					see(action)
					return true, nil, nil
				})
				client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
					see(action)
					return true, watch.NewFake(), nil
				})
				if err := call(client); err != nil {
					t.Errorf("an empty answer is an error: %v", err)
				}
				return client.Actions(), seen
			}
			want, wantSeen := record(fake.NewSimpleClientset())
			got, gotSeen := record(fake.NewClientset())
			if len(want) != 1 || !reflect.DeepEqual(got, want) {
				t.Errorf("NewClientset records\n%#v, and NewSimpleClientset\n%#v", got, want)
			}
			if !reflect.DeepEqual(gotSeen, wantSeen) {
				t.Errorf("reactors of NewClientset see\n%#v, and those of NewSimpleClientset\n%#v", gotSeen, wantSeen)
			}
		})
	}
}

// TestReactorErrors compares the errors that clients of both fakes return.
func TestReactorErrors(t *testing.T) {
	plain := errors.New("no route")
	for name, failure := range map[string]error{
		"status":         apierrors.NewConflict(schema.GroupResource{Group: "shop.example.com", Resource: "orders"}, "tea", plain),
		"wrapped status": fmt.Errorf("wrapped: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "orders"}, "tea", plain)),
		"plain":          plain,
	} {
		for verb, call := range calls {
			t.Run(name+" of "+verb, func(t *testing.T) {
				for _, client := range []*fake.Clientset{fake.NewSimpleClientset(), fake.NewClientset()} {
					client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, failure })
					client.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, failure })
					err := call(client)
					if apierrors.ReasonForError(err) != apierrors.ReasonForError(failure) || errors.Is(err, plain) != errors.Is(failure, plain) {
						t.Errorf("the error is %v, want %v", err, failure)
					}
				}
			})
		}
	}
}

// TestReactorChangesObject changes what is written without answering.
func TestReactorChangesObject(t *testing.T) {
	for _, client := range []*fake.Clientset{fake.NewSimpleClientset(), fake.NewClientset()} {
		client.PrependReactor("create", "orders", func(action clienttesting.Action) (bool, runtime.Object, error) {
			action.(clienttesting.CreateAction).GetObject().(*shopv1.Order).Spec.Customer = "bob"
			return false, nil, nil
		})
		created, err := client.ShopV1().Orders("east").Create(ctx, order("tea", "ann"), metav1.CreateOptions{})
		if err != nil || created.Spec.Customer != "bob" {
			t.Errorf("created: %+v, %v", created, err)
		}
		got, err := client.ShopV1().Orders("east").Get(ctx, "tea", metav1.GetOptions{})
		if err != nil || got.Spec.Customer != "bob" {
			t.Errorf("stored: %+v, %v", got, err)
		}
		if recorded := client.Actions()[0].(clienttesting.CreateActionImpl).Object.(*shopv1.Order); recorded.Spec.Customer != "ann" {
			t.Errorf("recorded: %+v", recorded)
		}
	}
}

// TestReactorsShareState calls the default reaction from a reactor, as tests do that count calls.
func TestReactorsShareState(t *testing.T) {
	for _, client := range []*fake.Clientset{fake.NewSimpleClientset(order("tea", "ann")), fake.NewClientset(order("tea", "ann"))} {
		calls := 0
		client.PrependReactor("*", "orders", func(action clienttesting.Action) (bool, runtime.Object, error) {
			calls++
			return clienttesting.ObjectReaction(client.Tracker())(action)
		})
		orders := client.ShopV1().Orders("east")
		got, err := orders.Get(ctx, "tea", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got.Spec.Customer, got.Status.Phase = "bob", "Paid"
		if _, err := orders.UpdateStatus(ctx, got, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := orders.Create(ctx, order("ink", "eve"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		all, err := orders.List(ctx, metav1.ListOptions{})
		if err != nil || len(all.Items) != 2 || all.Items[1].Spec.Customer != "bob" || all.Items[1].Status.Phase != "Paid" || calls != 4 {
			t.Errorf("after %d calls: %+v, %v", calls, all, err)
		}
		if err := orders.Delete(ctx, "tea", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Tracker().Get(shopv1.SchemeGroupVersion.WithResource("orders"), "east", "tea"); !apierrors.IsNotFound(err) {
			t.Errorf("the deleted order: %v", err)
		}
	}
}
