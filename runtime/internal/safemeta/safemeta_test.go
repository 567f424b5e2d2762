package safemeta

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type pointed struct {
	*metav1.TypeMeta
	*metav1.ObjectMeta
}

func (*pointed) DeepCopyObject() runtime.Object { panic("no test copies it") }

func TestNilMetadata(t *testing.T) {
	for name, obj := range map[string]*pointed{"nil": nil, "of nothing": {}} {
		if got, err := NameOf(obj); got != "" || !errors.Is(err, ErrNone) {
			t.Errorf("%s: the name is %q, %v", name, got, err)
		}
		if kind := KindOf(obj); !kind.Empty() {
			t.Errorf("%s: the kind is %v", name, kind)
		}
	}
}

func TestMetadata(t *testing.T) {
	obj := &pointed{&metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, &metav1.ObjectMeta{Name: "a"}}
	if name, err := NameOf(obj); name != "a" || err != nil {
		t.Errorf("the name is %q, %v", name, err)
	}
	if kind := KindOf(obj); kind != (schema.GroupVersionKind{Version: "v1", Kind: "Pod"}) {
		t.Errorf("the kind is %v", kind)
	}
}
