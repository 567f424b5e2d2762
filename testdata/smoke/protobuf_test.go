package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	harborv1 "github.com/typedinformers/informer-gen/testdata/apply/api/harbor/v1"
	applied "github.com/typedinformers/informer-gen/testdata/apply/generated/clientset/versioned"
	appliedinformers "github.com/typedinformers/informer-gen/testdata/apply/generated/informers/externalversions"
	fortv1 "github.com/typedinformers/informer-gen/testdata/dependency/fort/v1"
	existinginformers "github.com/typedinformers/informer-gen/testdata/existing/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"
	imported "github.com/typedinformers/informer-gen/testdata/imported/clientset/versioned"
	importedinformers "github.com/typedinformers/informer-gen/testdata/imported/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

const (
	acceptsJSON     = "application/json"
	acceptsProtobuf = "application/vnd.kubernetes.protobuf," + acceptsJSON
)

// anyFactory is a factory of one of the generated packages.
type anyFactory interface {
	Start(ctx context.Context)
	WaitForCacheSync(ctx context.Context) error
	Shutdown()
}

// TestProtobuf reads the Accept headers of informers. The server answers with protobuf if it is asked for it,
// and otherwise with JSON.
func TestProtobuf(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "one", Namespace: "east", ResourceVersion: "1"}
	listOf := func(kind, apiVersion string) (metav1.TypeMeta, metav1.ListMeta) {
		return metav1.TypeMeta{Kind: kind, APIVersion: apiVersion}, metav1.ListMeta{ResourceVersion: "2"}
	}
	holder := "me"
	leases := &coordinationv1.LeaseList{Items: []coordinationv1.Lease{{ObjectMeta: meta, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}}}
	leases.TypeMeta, leases.ListMeta = listOf("LeaseList", "coordination.k8s.io/v1")
	berths := &harborv1.BerthList{Items: []harborv1.Berth{{ObjectMeta: meta, Spec: harborv1.BerthSpec{Ship: "me"}, Status: harborv1.BerthStatus{Ship: "me"}}}}
	berths.TypeMeta, berths.ListMeta = listOf("BerthList", "harbor.example.com/v1")
	pods := &corev1.PodList{Items: []corev1.Pod{{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "me"}}}}
	pods.TypeMeta, pods.ListMeta = listOf("PodList", "v1")
	secrets := &corev1.SecretList{Items: []corev1.Secret{{ObjectMeta: meta, Type: "me"}}}
	secrets.TypeMeta, secrets.ListMeta = listOf("SecretList", "v1")
	towers := &fortv1.TowerList{Items: []fortv1.Tower{{ObjectMeta: metav1.ObjectMeta{Name: "me", ResourceVersion: "1"}}}}
	towers.TypeMeta, towers.ListMeta = listOf("TowerList", "fort.example.com/v1")

	ofLeases := func(options ...cache.SharedInformerOption) func(*rest.Config) (anyFactory, func() (string, error)) {
		return func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := importedinformers.NewSharedInformerFactory(imported.NewForConfigOrDie(config), 0, options...)
			lister := factory.Coordination().V1().Leases().Lister()
			return factory, func() (string, error) {
				lease, err := lister.Leases("east").Get("one")
				if err != nil {
					return "", err
				}
				return *lease.Spec.HolderIdentity, nil
			}
		}
	}
	for _, test := range []struct {
		name, want string
		list       runtime.Object
		// make returns a factory with one informer, and a function that reads "me" from the object.
		make func(*rest.Config) (anyFactory, func() (string, error))
	}{
		{"a built-in kind", acceptsProtobuf, leases, ofLeases()},
		{"a built-in kind without protobuf", acceptsJSON, leases, ofLeases(cache.WithoutProtobuf())},
		{"a kind with --prefers-protobuf", acceptsProtobuf, berths, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := appliedinformers.NewSharedInformerFactory(applied.NewForConfigOrDie(config), 0)
			lister := factory.Harbor().V1().Berths().Lister()
			return factory, func() (string, error) {
				berth, err := lister.Berths("east").Get("one")
				if err != nil {
					return "", err
				}
				return berth.Spec.Ship, nil
			}
		}},
		{"a view of a kind with --prefers-protobuf", acceptsProtobuf, berths, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := appliedinformers.NewSharedInformerFactory(applied.NewForConfigOrDie(config), 0)
			lister := factory.Harbor().V1().Moorings().Lister()
			return factory, func() (string, error) {
				mooring, err := lister.Moorings("east").Get("one")
				if err != nil {
					return "", err
				}
				return mooring.Status.Ship, nil
			}
		}},
		{"a view of a built-in kind", acceptsProtobuf, pods, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := informers.NewSharedInformerFactory(versioned.NewForConfigOrDie(config), 0)
			lister := factory.Io().V1().PodSummaries().Lister()
			return factory, func() (string, error) {
				summary, err := lister.PodSummaries("east").Get("one")
				if err != nil {
					return "", err
				}
				return summary.Spec.NodeName, nil
			}
		}},
		{"an alias of a built-in kind, with the clientset of client-go", acceptsProtobuf, secrets, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := existinginformers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
			lister := factory.Core().V1().Secrets().Lister()
			return factory, func() (string, error) {
				found, err := lister.ByType("me")
				if err != nil || len(found) != 1 {
					return "", fmt.Errorf("%v, %w", found, err)
				}
				return string(found[0].Type), nil
			}
		}},
		{"a view of a built-in kind, with the clientset of client-go", acceptsProtobuf, pods, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := existinginformers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
			lister := factory.Core().V1().PodNames().Lister()
			return factory, func() (string, error) {
				pod, err := lister.PodNames("east").Get("one")
				if err != nil {
					return "", err
				}
				return pod.Spec.NodeName, nil
			}
		}},
		{"a kind without protobuf", acceptsJSON, towers, func(config *rest.Config) (anyFactory, func() (string, error)) {
			factory := importedinformers.NewSharedInformerFactory(imported.NewForConfigOrDie(config), 0)
			lister := factory.Fort().V1().Towers().Lister()
			return factory, func() (string, error) {
				tower, err := lister.Get("me")
				if err != nil {
					return "", err
				}
				return tower.Name, nil
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			accepted := make(chan string, 1)
			server := httptest.NewServer(negotiate(test.list, accepted))
			t.Cleanup(server.Close)
			factory, read := test.make(&rest.Config{Host: server.URL})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			factory.Start(t.Context())
			t.Cleanup(factory.Shutdown)
			if err := factory.WaitForCacheSync(ctx); err != nil {
				t.Fatal(err)
			}
			if got, err := read(); got != "me" || err != nil {
				t.Errorf("the object has %q, %v", got, err)
			}
			if got := <-accepted; got != test.want {
				t.Errorf("the informer accepts %s, want %s", got, test.want)
			}
		})
	}
}

// negotiate answers each LIST with list, and sends the first Accept header of one to accepted.
func negotiate(list runtime.Object, accepted chan<- string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			w.Header().Set("Content-Type", acceptsJSON)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		accept := strings.Join(r.Header.Values("Accept"), " and ")
		select {
		case accepted <- accept:
		default:
		}
		if accept == acceptsProtobuf {
			w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
			_ = protobuf.NewSerializer(nil, nil).Encode(list, w)
			return
		}
		w.Header().Set("Content-Type", acceptsJSON)
		_ = json.NewEncoder(w).Encode(list)
	}
}
