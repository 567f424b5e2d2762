// Package apply uses what is generated with apply configurations, as a program
// would.
package apply

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	harborv1 "github.com/typedinformers/informer-gen/testdata/apply/api/harbor/v1"
	applyharborv1 "github.com/typedinformers/informer-gen/testdata/apply/applyconfiguration/harbor/v1"
	"github.com/typedinformers/informer-gen/testdata/apply/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/apply/generated/clientset/versioned/fake"
)

var options = metav1.ApplyOptions{FieldManager: "me", Force: true}

func berth(name, ship string) *applyharborv1.BerthApplyConfiguration {
	b := applyharborv1.Berth(name, "east")
	b.Spec = &applyharborv1.BerthSpecApplyConfiguration{Ship: &ship}
	return b
}

// TestServer looks at what a server sees.
func TestServer(t *testing.T) {
	var request, accept, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		request, accept, body = fmt.Sprintf("%s %s %s", r.Method, r.URL, r.Header.Get("Content-Type")), r.Header.Get("Accept"), string(sent)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"metadata":{"name":"one"}}`)
	}))
	defer server.Close()
	client := versioned.NewForConfigOrDie(&rest.Config{Host: server.URL}).HarborV1()
	const berths, query = "PATCH /apis/harbor.example.com/v1/namespaces/east/berths/one", "?fieldManager=me&force=true application/apply-patch+yaml"
	for _, test := range []struct {
		want string
		call func() (metav1.Object, error)
	}{
		{berths + query, func() (metav1.Object, error) {
			return client.Berths("east").Apply(t.Context(), berth("one", "tug"), options)
		}},
		{berths + "/status" + query, func() (metav1.Object, error) {
			return client.Berths("east").ApplyStatus(t.Context(), berth("one", "tug"), options)
		}},
		{berths + query, func() (metav1.Object, error) {
			return client.Berths("east").Moor(t.Context(), berth("one", "tug"), options)
		}},
		{berths + "/pier" + query, func() (metav1.Object, error) {
			return client.Berths("east").ApplyPier(t.Context(), "one", applyharborv1.Pier("long"), options)
		}},
		{"PATCH /apis/harbor.example.com/v1/piers/long" + query, func() (metav1.Object, error) {
			return client.Piers().Apply(t.Context(), applyharborv1.Pier("long"), options)
		}},
	} {
		got, err := test.call()
		if err != nil || got.GetName() != "one" || request != test.want || !strings.Contains(body, `"apiVersion":"harbor.example.com/v1"`) {
			t.Errorf("the server sees\n%s\nwith %s, and the answer is %v, %v; want\n%s", request, body, got, err, test.want)
		}
		ofKind := "application/json" // Pier has no protobuf
		if strings.HasPrefix(test.want, berths) {
			ofKind = "application/vnd.kubernetes.protobuf,application/json"
		}
		if !strings.HasPrefix(accept, ofKind) {
			t.Errorf("with --prefers-protobuf a client accepts %s for %s, want %s", accept, test.want, ofKind)
		}
	}
}

// TestProtobuf writes and reads a kind as protobuf.
func TestProtobuf(t *testing.T) {
	const protobuf = "application/vnd.kubernetes.protobuf"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got := r.Header.Get("Content-Type"); got != protobuf || !strings.HasPrefix(string(sent), "k8s\x00") {
			t.Errorf("the server receives %s: %q", got, sent)
		}
		w.Header().Set("Content-Type", protobuf)
		_, _ = w.Write(sent)
	}))
	defer server.Close()
	berths := versioned.NewForConfigOrDie(&rest.Config{Host: server.URL}).HarborV1().Berths("east")
	sent := &harborv1.Berth{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: harborv1.BerthSpec{Ship: "tug", Depth: 300}, Status: harborv1.BerthStatus{Ship: "ferry"}}
	got, err := berths.Create(t.Context(), sent, metav1.CreateOptions{})
	if err != nil || got.Name != "one" || got.Spec != sent.Spec || got.Status != sent.Status {
		t.Errorf("the server echoes %+v, %v", got, err)
	}
}

// TestWithoutName refuses what names no object, before anything is sent.
func TestWithoutName(t *testing.T) {
	for _, client := range []versioned.Interface{
		fake.NewClientset(), versioned.NewForConfigOrDie(&rest.Config{Host: "http://localhost:1"}),
	} {
		berths := client.HarborV1().Berths("east")
		if _, err := berths.Moor(t.Context(), &applyharborv1.BerthApplyConfiguration{}, options); err == nil || !strings.Contains(err.Error(), "Moor must have a name") {
			t.Errorf("%T: without a name, %v", client, err)
		}
		if _, err := berths.Moor(t.Context(), nil, options); err == nil || !strings.Contains(err.Error(), "must not be nil") {
			t.Errorf("%T: nil, %v", client, err)
		}
		if _, err := berths.ApplyPier(t.Context(), "one", nil, options); err == nil || !strings.Contains(err.Error(), "must not be nil") {
			t.Errorf("%T: nil, %v", client, err)
		}
	}
}

// TestNewClientset applies for two managers, which the fake merges.
func TestNewClientset(t *testing.T) {
	client := fake.NewClientset()
	berths := client.HarborV1().Berths("east")
	if _, err := berths.Apply(t.Context(), berth("one", "tug"), metav1.ApplyOptions{FieldManager: "me"}); err != nil {
		t.Fatal(err)
	}
	deep, depth := applyharborv1.Berth("one", "east"), int64(12)
	deep.Spec = &applyharborv1.BerthSpecApplyConfiguration{Depth: &depth}
	got, err := berths.Moor(t.Context(), deep, metav1.ApplyOptions{FieldManager: "you"})
	if err != nil || got.Spec != (harborv1.BerthSpec{Ship: "tug", Depth: 12}) || len(got.ManagedFields) != 2 {
		t.Errorf("applied by two, the berth is %+v, %v", got, err)
	}
	if _, err := berths.Apply(t.Context(), berth("one", "ferry"), metav1.ApplyOptions{FieldManager: "she"}); !apierrors.IsConflict(err) {
		t.Errorf("what another one manages is applied: %v", err)
	}
	all, err := berths.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(all.Items) != 1 {
		t.Errorf("the berths are %v, %v", all, err)
	}
}

// TestFake looks at what the fake records of a subresource.
func TestFake(t *testing.T) {
	client := fake.NewSimpleClientset()
	client.PrependReactor("patch", "berths/pier", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &harborv1.Pier{ObjectMeta: metav1.ObjectMeta{Name: "long"}}, nil
	})
	got, err := client.HarborV1().Berths("east").ApplyPier(t.Context(), "one", applyharborv1.Pier("long"), options)
	if err != nil || got.Name != "long" {
		t.Errorf("the pier is %v, %v", got, err)
	}
	action, ok := client.Actions()[0].(clienttesting.PatchActionImpl)
	if !ok || action.Subresource != "pier" || action.Name != "one" || action.Namespace != "east" || action.PatchType != "application/apply-patch+yaml" || !strings.Contains(string(action.Patch), `"name":"long"`) {
		t.Errorf("the fake has recorded %+v", client.Actions()[0])
	}
}
