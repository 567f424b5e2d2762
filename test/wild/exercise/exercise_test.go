package exercise

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

var example = Generated[*fake.Clientset]{
	Interface:    reflect.TypeFor[versioned.Interface](),
	NewClientset: fake.NewClientset,
	NewFactory:   func(c *fake.Clientset) Factory { return externalversions.NewSharedInformerFactory(c, 0) },
}

func TestKinds(t *testing.T) {
	if got := Kinds(t, example); got.Kinds != 3 || len(got.Failures) > 0 {
		t.Errorf("got %+v, want 3 kinds without failures", got)
	}
}

// TestFailures has a server that fails one step for one kind.
func TestFailures(t *testing.T) {
	failure := errors.New("no")
	for name, test := range map[string]struct {
		verb  string
		react clienttesting.ReactionFunc
		want  string
	}{
		"create": {"create", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, failure }, "create: "},
		"get": {"get", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, &v1.Database{ObjectMeta: metav1.ObjectMeta{Name: "example"}}, nil
		}, "get before create: "},
		"list": {"list", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &v1.DatabaseList{}, nil }, "list: got 0 objects"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := example
			broken.NewClientset = func(objects ...runtime.Object) *fake.Clientset {
				clientset := fake.NewClientset(objects...)
				clientset.PrependReactor(test.verb, "databases", test.react)
				return clientset
			}
			got := Kinds(t, broken)
			if got.Kinds != 3 || len(got.Failures) != 1 || !strings.HasPrefix(got.Failures[0], "DataV1().Databases: "+test.want) {
				t.Errorf("got %+v, want one failure of %s", got, test.want)
			}
		})
	}
}

// silent is a factory whose informers learn of nothing, because they have another server.
type silent struct{ Factory }

func (s silent) WaitForCacheSync(context.Context) error { return nil }

func TestInformerWithoutObject(t *testing.T) {
	broken := example
	broken.NewFactory = func(*fake.Clientset) Factory { return silent{example.NewFactory(fake.NewClientset())} }
	got := Kinds(t, broken)
	if len(got.Failures) != 3 || slices.ContainsFunc(got.Failures, func(f string) bool { return !strings.Contains(f, ": informer: ") }) {
		t.Errorf("got %+v, want a failure of each informer", got)
	}
}
