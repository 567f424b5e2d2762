package cache

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// counted counts how often one of it is decoded.
type counted struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec countedSpec `json:"spec"`
}

func (c *counted) DeepCopyObject() runtime.Object { return &counted{c.TypeMeta, *c.DeepCopy(), c.Spec} }

type countedSpec struct{ Text string }

var decoded atomic.Int64

func (s *countedSpec) UnmarshalJSON(text []byte) error {
	decoded.Add(1)
	s.Text = string(text)
	return nil
}

// openCounted opens the collection of a namespace, which has ten objects that never change.
func openCounted(namespace string) bodies.OpenFunc {
	var items []string
	for i := range 10 {
		items = append(items, fmt.Sprintf(`{"metadata":{"namespace":%q,"name":"w%d","uid":"%[1]s-%[2]d","resourceVersion":"5"},"spec":"text"}`, namespace, i))
	}
	list := `{"kind":"WidgetList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + strings.Join(items, ",") + `]}`
	return func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
		if !options.Watch {
			return io.NopCloser(strings.NewReader(list)), nil
		}
		reader, writer := io.Pipe()
		context.AfterFunc(ctx, func() { writer.Close() })
		return reader, nil
	}
}

// TestAddedScopesKnowWhatIsCached lists all scopes again, those that the informer began with and those of SetScopes. Nothing has
// changed, so no object is decoded, and no handler is called.
func TestAddedScopesKnowWhatIsCached(t *testing.T) {
	all := []Scope{{Namespace: "a"}, {Namespace: "b"}, {Namespace: "c"}}
	for first := 1; first <= len(all); first++ {
		t.Run(fmt.Sprintf("begins with %d scopes", first), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := Kind[*counted]{Resource: widgets, Namespaced: true, Open: openCounted}.NewInformer(WithScopes(all[:first]...))
				if err != nil {
					t.Fatal(err)
				}
				var updates atomic.Int64
				if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[*counted]{UpdateFunc: func(_, _ *counted) { updates.Add(1) }}); err != nil {
					t.Fatal(err)
				}
				cachetest.Run(t, s.Run)
				if err := s.SetScopes(all...); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if n := s.GetIndexer().Len(); n != 30 {
					t.Fatalf("the cache has %d objects, want 30", n)
				}
				before := decoded.Load()
				for _, r := range s.machine.(*sharedInformer).set.reflectors() {
					r.Reflector.Relist("a test")
				}
				time.Sleep(time.Minute)
				if n := decoded.Load() - before; n != 0 || updates.Load() != 0 {
					t.Errorf("an unchanged relist decodes %d objects, and calls OnUpdate %d times", n, updates.Load())
				}
			})
		})
	}
}
