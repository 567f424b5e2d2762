package fields

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// converter knows the versions of a kind. To convert an object between them is to set its apiVersion.
type converter struct {
	later

	types map[schema.GroupVersionKind]managedfields.TypeConverter
	// setDefaults may be nil.
	setDefaults func(map[string]any)
}

// later has the methods that a later version of apimachinery adds to the interfaces. They fail when they are called.
type later struct {
	runtime.ObjectConvertor
	runtime.ObjectDefaulter
	runtime.ObjectCreater
}

// ConvertToVersion implements runtime.ObjectConvertor.
func (c converter) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	gvk := in.GetObjectKind().GroupVersionKind()
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{gvk})
	if !ok {
		return nil, runtime.NewNotRegisteredErrForTarget("fields", nil, target)
	}
	if to == gvk {
		return in, nil
	}
	if _, ok := c.types[to]; !ok {
		return nil, runtime.NewNotRegisteredErrForKind("fields", to)
	}
	content := maps.Clone(in.(*unstructured.Unstructured).Object)
	content["apiVersion"] = to.GroupVersion().String()
	return &unstructured.Unstructured{Object: content}, nil
}

// Convert implements runtime.ObjectConvertor. Nothing calls it.
func (c converter) Convert(in, out, _ any) error {
	return fmt.Errorf("fields: cannot convert %T to %T", in, out)
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (c converter) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// New implements runtime.ObjectCreater.
func (c converter) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	return obj, nil
}

// Default implements runtime.ObjectDefaulter. A FieldManager calls it with the result of Apply, unless that
// is the live object.
func (c converter) Default(obj runtime.Object) {
	if u, ok := obj.(*unstructured.Unstructured); ok && c.setDefaults != nil {
		u.Object = runtime.DeepCopyJSON(u.Object) // it shares parts with the live object
		c.setDefaults(u.Object)
	}
}
