package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	fleetv1 "github.com/typedinformers/informer-gen/testdata/apis/fleet/v1"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
)

// methodCall is a call of one generated method, on the real client and on the fake.
type methodCall struct {
	call func(versioned.Interface) (runtime.Object, error)
	// request is what the server sees: method, path, query, content type.
	request string
	// body is a part of what is sent; empty for nothing.
	body string
	// action is what the fake records: verb, resource, subresource, namespace, name.
	action string
	want   runtime.Object
}

// as makes an answer of any type.
func as[T runtime.Object](obj T, err error) (runtime.Object, error) { return obj, err }

var ctx = context.Background()

var named = metav1.ObjectMeta{Name: "tea"}

var methodCalls = map[string]methodCall{
	"get of a subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").GetInvoice(ctx, "tea", metav1.GetOptions{ResourceVersion: "7"}))
		},
		"GET /apis/shop.example.com/v1/namespaces/east/orders/tea/invoice?resourceVersion=7 ", "",
		"get orders/invoice east tea", &shopv1.Invoice{ObjectMeta: named},
	},
	"list of a subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").ListReceipts(ctx, "tea", metav1.ListOptions{LabelSelector: "a=b"}))
		},
		"GET /apis/shop.example.com/v1/namespaces/east/orders/tea/receipts?labelSelector=a%3Db ", "",
		"list orders/receipts east tea", &shopv1.ReceiptList{Items: []shopv1.Receipt{{ObjectMeta: named}}},
	},
	"create of a subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").CreateInvoice(ctx, "tea", &shopv1.Voucher{ObjectMeta: named}, metav1.CreateOptions{DryRun: []string{"All"}}))
		},
		"POST /apis/shop.example.com/v1/namespaces/east/orders/tea/invoice?dryRun=All application/json", `"kind":"Voucher"`,
		"create orders/invoice east tea *v1.Voucher", &shopv1.Invoice{ObjectMeta: named},
	},
	"update of a subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").UpdateInvoice(ctx, "tea", &shopv1.Invoice{ObjectMeta: named}, metav1.UpdateOptions{}))
		},
		"PUT /apis/shop.example.com/v1/namespaces/east/orders/tea/invoice application/json", `"kind":"Invoice"`,
		"update orders/invoice east *v1.Invoice", &shopv1.Invoice{ObjectMeta: named},
	},
	"patch of a subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").PatchInvoice(ctx, "tea", types.MergePatchType, []byte(`{"a":1}`), metav1.PatchOptions{FieldManager: "me"}))
		},
		"PATCH /apis/shop.example.com/v1/namespaces/east/orders/tea/invoice?fieldManager=me application/merge-patch+json", `{"a":1}`,
		`patch orders/invoice east tea {"a":1}`, &shopv1.Invoice{ObjectMeta: named},
	},
	"patch of another subresource": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Orders("east").PatchInvoice(ctx, "tea", types.JSONPatchType, []byte(`[]`), metav1.PatchOptions{}, "status"))
		},
		"PATCH /apis/shop.example.com/v1/namespaces/east/orders/tea/status application/json-patch+json", `[]`,
		`patch orders/status east tea []`, &shopv1.Invoice{ObjectMeta: named},
	},
	"get": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Shops().GetOpen(ctx, "tea", metav1.GetOptions{}))
		},
		"GET /apis/shop.example.com/v1/shops/tea ", "", "get shops tea", &shopv1.Shop{ObjectMeta: named},
	},
	"list": {
		func(c versioned.Interface) (runtime.Object, error) {
			seconds := int64(5)
			return as(c.ShopV1().Shops().ListOpen(ctx, metav1.ListOptions{TimeoutSeconds: &seconds}))
		},
		"GET /apis/shop.example.com/v1/shops?timeout=5s&timeoutSeconds=5 ", "", "list shops", &shopv1.ShopList{Items: []shopv1.Shop{{ObjectMeta: named}}},
	},
	"create": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Shops().Import(ctx, order("tea", "ann"), metav1.CreateOptions{}))
		},
		"POST /apis/shop.example.com/v1/shops application/json", `"customer":"ann"`, "create shops *v1.Order", &shopv1.Shop{ObjectMeta: named},
	},
	"update": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Shops().Replace(ctx, &shopv1.Shop{ObjectMeta: named}, metav1.UpdateOptions{}))
		},
		"PUT /apis/shop.example.com/v1/shops/tea application/json", `"name":"tea"`, "update shops *v1.Shop", &shopv1.Shop{ObjectMeta: named},
	},
	"patch": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.ShopV1().Shops().Paint(ctx, "tea", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}))
		},
		"PATCH /apis/shop.example.com/v1/shops/tea application/merge-patch+json", `{}`, "patch shops tea {}", &shopv1.Shop{ObjectMeta: named},
	},
	"types of another package": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.VesselsV1().Types("east").UpdateScale(ctx, "tea", &autoscalingv1.Scale{ObjectMeta: named, Spec: autoscalingv1.ScaleSpec{Replicas: 3}}, metav1.UpdateOptions{}))
		},
		"PUT /apis/fleet.example.com/v1/namespaces/east/types/tea/scale application/json", `"replicas":3`,
		"update types/scale east *v1.Scale", &autoscalingv1.Scale{ObjectMeta: named, Status: autoscalingv1.ScaleStatus{Replicas: 2}},
	},
	"types with awkward names": {
		func(c versioned.Interface) (runtime.Object, error) {
			return as(c.VesselsV1().Contexts("east").Invoke(ctx, "tea", &fleetv1.Opts{ObjectMeta: named}, metav1.CreateOptions{}))
		},
		"POST /apis/fleet.example.com/v1/namespaces/east/contexts/tea/types application/json", `"kind":"Opts"`,
		"create contexts/types east tea *v1.Opts", &fleetv1.Error{ObjectMeta: named},
	},
}

// TestMethods calls them on the real client, and looks at what a server sees.
func TestMethods(t *testing.T) {
	for name, test := range methodCalls {
		t.Run(name, func(t *testing.T) {
			var request, body string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				request, body = fmt.Sprintf("%s %s %s", r.Method, r.URL, r.Header.Get("Content-Type")), string(sent)
				w.Header().Set("Content-Type", "application/json")
				if err := json.NewEncoder(w).Encode(test.want); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			client := versioned.NewForConfigOrDie(&rest.Config{Host: server.URL})
			got, err := test.call(client)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("the answer is %+v, %v; want %+v", got, err, test.want)
			}
			if request != test.request {
				t.Errorf("the server sees\n%s\nwant\n%s", request, test.request)
			}
			if !strings.Contains(body, test.body) || test.body == "" && body != "" {
				t.Errorf("the server gets %q, want %s", body, test.body)
			}
		})
	}
}

// TestFakeMethods calls them on both fakes, which answer what a reactor says.
func TestFakeMethods(t *testing.T) {
	for name, test := range methodCalls {
		for _, client := range []*fake.Clientset{fake.NewSimpleClientset(), fake.NewClientset()} {
			t.Run(name, func(t *testing.T) {
				client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, test.want, nil })
				got, err := test.call(client)
				if list, ok := got.(*shopv1.ShopList); ok {
					list.ResourceVersion = "" // the server gives each list a version
				}
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("the answer is %+v, %v; want %+v", got, err, test.want)
				}
				if actions := client.Actions(); len(actions) != 1 || describe(actions[0]) != test.action {
					t.Errorf("the fake has recorded %v, want %s", describe(actions[0]), test.action)
				}
			})
		}
	}
}

// describe is an action on one line.
func describe(action clienttesting.Action) string {
	resource := action.GetResource().Resource
	if sub := action.GetSubresource(); sub != "" {
		resource += "/" + sub
	}
	words := []string{action.GetVerb(), resource, action.GetNamespace()}
	switch a := action.(type) {
	case clienttesting.GetActionImpl:
		words = append(words, a.Name)
	case clienttesting.ListActionImpl:
		words = append(words, a.Name)
	case clienttesting.CreateActionImpl:
		words = append(words, a.Name, fmt.Sprintf("%T", a.Object))
	case clienttesting.UpdateActionImpl:
		words = append(words, fmt.Sprintf("%T", a.Object))
	case clienttesting.PatchActionImpl:
		words = append(words, a.Name, string(a.Patch))
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// TestFakeWithoutReactor asks for a subresource, of which the fake knows nothing.
func TestFakeWithoutReactor(t *testing.T) {
	client := fake.NewSimpleClientset(order("tea", "ann"))
	_, err := client.ShopV1().Orders("east").GetInvoice(ctx, "tea", metav1.GetOptions{})
	if err == nil || !strings.Contains(err.Error(), "get orders/invoice is a *v1.Order, not a *v1.Invoice") {
		t.Errorf("an answer of the wrong type gives %v", err)
	}
	_, err = fake.NewClientset(order("tea", "ann")).ShopV1().Orders("east").GetInvoice(ctx, "tea", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "does not have the subresource invoice of orders; answer it with a reactor for get of orders/invoice") {
		t.Errorf("the server says of a subresource that it does not have: %v", err)
	}
}
