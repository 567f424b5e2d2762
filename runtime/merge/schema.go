// Package merge has the parts that generated apply configurations share: the schema by which the fields of objects are merged and
// owned, and the helpers of their methods. Programs call the generated functions instead.
package merge

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// Schema has the types of kinds, by their names in OpenAPI documents. Its methods may be called concurrently.
type Schema struct {
	text string
	// read is called once, when the schema is first needed.
	read func() schema
}

type schema struct {
	all   *smd.Schema
	types func(smd.TypeRef) smd.Type
}

// NewSchema returns the schema that has a text in JSON, in the format of sigs.k8s.io/structured-merge-diff. It is read when
// it is first needed. A text that is no schema makes that call panic.
func NewSchema(text string) *Schema {
	return &Schema{text: text, read: sync.OnceValue(func() schema {
		all, err := smd.Parse(text)
		if err != nil {
			panic(fmt.Sprintf("the schema of the apply configurations cannot be read; generate it again: %v", err))
		}
		return schema{all, smd.Types(all)}
	})}
}

// String returns the text of s.
func (s *Schema) String() string { return s.text }

// TypeConverter returns a converter for the types of a scheme.
func (s *Schema) TypeConverter(scheme *runtime.Scheme) managedfields.TypeConverter {
	return smd.SchemeConverter(scheme, s.read().all)
}

// Object is an object of a kind.
type Object interface {
	metav1.Object
	runtime.Object
}

// Extract sets the fields of into that fieldManager owns in obj through a subresource, or "" for the object
// itself. name is the name of the type of obj in s. Without managed fields, an object from a server would
// look as if fieldManager owned nothing, and applying the result would remove all of its fields. So that is an error.
func (s *Schema) Extract(obj Object, name, fieldManager string, into any, subresource string) error {
	if obj.GetResourceVersion() != "" && len(obj.GetManagedFields()) == 0 {
		return fmt.Errorf("cannot extract what %q has applied to %s %s: the object has no managedFields; read it with a client, or from an informer that keeps them (cache.WithoutFields leaves them out)",
			fieldManager, name[strings.LastIndexByte(name, '.')+1:], strings.TrimPrefix(obj.GetNamespace()+"/"+obj.GetName(), "/"))
	}
	// Take the JSON that the server has of obj. The managedfields package can read Go values too, but it panics for
	// some types, such as uint64 and arrays, and its names of map keys that are no strings are wrong.
	data, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	sent := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &sent.Object); err != nil {
		return err
	}
	var owned map[string]any
	if err := s.read().types(smd.TypeRef{NamedType: &name}).Extract(sent, fieldManager, &owned, subresource); err != nil {
		return err
	}
	if data, err = json.Marshal(owned); err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
