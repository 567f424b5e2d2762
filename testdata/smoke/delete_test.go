package smoke

import (
	"net/http"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/gentype"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	typedshopv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/shop/v1"
)

// deleteWithResult is a method of clients since client-go v0.38. The test finds it by reflection, because it compiles
// with older versions too.
const deleteWithResult = "DeleteWithResult"

// apiResult is metav1.APIResult.
type apiResult interface {
	Get() (runtime.Object, error)
	StatusCode() (int, error)
	Error() error
}

// TestDeleteWithResult checks that a client has the method if client-go has it, and what it returns for a server and
// without one.
func TestDeleteWithResult(t *testing.T) {
	_, want := reflect.TypeFor[*gentype.Client[*shopv1.Order]]().MethodByName(deleteWithResult)
	if _, got := reflect.TypeFor[typedshopv1.OrderInterface]().MethodByName(deleteWithResult); got != want {
		t.Fatalf("OrderInterface has %s: %v, want %v", deleteWithResult, got, want)
	}
	if !want {
		t.Skip("client-go does not have it")
	}
	kept := order("ink", "bob")
	kept.Finalizers = []string{"shop.example.com/refund"}
	for name, test := range map[string]struct {
		client    *fake.Clientset
		hasServer bool
	}{
		"a server":  {fake.NewClientset(order("tea", "ann"), kept), true},
		"no server": {fake.NewSimpleClientset(order("tea", "ann")), false},
	} {
		t.Run(name, func(t *testing.T) {
			orders := test.client.ShopV1().Orders("east")
			remove := func(name string) (apiResult, error) {
				out := reflect.ValueOf(orders).MethodByName(deleteWithResult).Call([]reflect.Value{
					reflect.ValueOf(t.Context()), reflect.ValueOf(name), reflect.ValueOf(metav1.DeleteOptions{}),
				})
				err, _ := out[1].Interface().(error)
				return out[0].Interface().(apiResult), err
			}
			result, err := remove("tea")
			if err != nil || result.Error() != nil {
				t.Fatalf("tea is not deleted: %v, %v", err, result.Error())
			}
			if _, err := orders.Get(t.Context(), "tea", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("Get of the deleted tea returns %v", err)
			}
			missing, err := remove("tea")
			if code, codeErr := missing.StatusCode(); !apierrors.IsNotFound(err) || !apierrors.IsNotFound(codeErr) || code != http.StatusNotFound {
				t.Errorf("for a missing order it returns %v with %d, %v", err, code, codeErr)
			}
			if !test.hasServer {
				return // the rest depends on client-go's fake
			}
			if code, err := result.StatusCode(); code != http.StatusOK || err != nil {
				t.Errorf("the code is %d, %v", code, err)
			}
			obj, err := result.Get()
			if status, ok := obj.(*metav1.Status); err != nil || !ok || status.Status != metav1.StatusSuccess || status.Details.Name != "tea" {
				t.Errorf("the answer is %#v, %v", obj, err)
			}
			result, err = remove("ink")
			if err != nil {
				t.Fatal(err)
			}
			obj, err = result.Get()
			if left, ok := obj.(*shopv1.Order); err != nil || !ok || left.DeletionTimestamp == nil {
				t.Errorf("the answer for an order with a finalizer is %#v, %v", obj, err)
			}
		})
	}
}
