// Package safemeta reads objects whose methods may panic: the type embeds a nil pointer to
// its metadata or kind, or has only some of the fields of apimachinery's metadata.
package safemeta

import (
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNone is the error of an object without metadata.
var ErrNone = errors.New("it has no metadata")

// NameOf returns the name of an object. The error wraps ErrNone if a method panics; then
// no other method of its metadata can be called.
func NameOf(obj metav1.Object) (name string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: GetName panics: %v", ErrNone, reason)
		}
	}()
	return obj.GetName(), nil
}

// KindOf returns the kind of an object. It is empty if a method panics.
func KindOf(obj runtime.Object) (kind schema.GroupVersionKind) {
	defer func() {
		if recover() != nil {
			kind = schema.GroupVersionKind{}
		}
	}()
	return obj.GetObjectKind().GroupVersionKind()
}

// SetMissingKind is SetKind for an object that has no kind, and reports whether it had none.
func SetMissingKind(obj runtime.Object, kind *metav1.TypeMeta) bool {
	if !KindOf(obj).Empty() {
		return false
	}
	SetKind(obj, kind)
	return true
}

// SetKind sets the kind of an object. An object whose methods panic keeps none.
func SetKind(obj runtime.Object, kind *metav1.TypeMeta) {
	defer func() { _ = recover() }()
	switch of := obj.GetObjectKind().(type) {
	case *metav1.TypeMeta:
		*of = *kind
	default:
		of.SetGroupVersionKind(kind.GroupVersionKind())
	}
}

// AppliedShard returns the shard selector that a server has applied to a list: that of ListMeta.ShardInfo, which apimachinery
// has from v0.36 on (KEP-5866). It is empty if there is none. Reflection finds out which version it is, because no build
// constraint can.
func AppliedShard(list metav1.ListInterface) string {
	get := reflect.ValueOf(list).MethodByName("GetShardInfo")
	if !get.IsValid() || get.Type().NumIn() != 0 || get.Type().NumOut() != 1 {
		return ""
	}
	info := get.Call(nil)[0]
	if info.Kind() != reflect.Pointer || info.IsNil() || info.Elem().Kind() != reflect.Struct {
		return ""
	}
	if selector := info.Elem().FieldByName("Selector"); selector.Kind() == reflect.String {
		return selector.String()
	}
	return ""
}
