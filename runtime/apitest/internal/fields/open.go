package fields

import (
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// metaModels is the beginning of the names of the types of metadata in schemas of Kubernetes.
const metaModels = "io.k8s.apimachinery.pkg.apis.meta.v1."

// opened has the open copies of schemas, which never change, by *smdschema.Schema.
var opened sync.Map

// Open returns a TypeConverter for a kind with the schema of converter, in which each struct may have other
// fields. These are merged as their values suggest. Structs of metadata are as they were. A server without
// the schema of a CustomResourceDefinition stores such fields, and could not merge their objects otherwise.
//
// It returns converter if that has no schema for the kind.
func Open(converter managedfields.TypeConverter, gvk schema.GroupVersionKind) managedfields.TypeConverter {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(gvk)
	value, err := converter.ObjectToTyped(empty)
	if err != nil {
		return converter
	}
	known, ok := opened.Load(value.Schema())
	if !ok {
		known, _ = opened.LoadOrStore(value.Schema(), openSchema(value.Schema()))
	}
	return &typeConverter{parseable: typed.ParseableType{Schema: known.(*smdschema.Schema), TypeRef: value.TypeRef()}}
}

func openSchema(closed *smdschema.Schema) *smdschema.Schema {
	next := &smdschema.Schema{}
	hasDeduced := false
	for _, t := range closed.Types {
		if !strings.HasPrefix(t.Name, metaModels) {
			t.Atom = openAtom(t.Atom)
		}
		hasDeduced = hasDeduced || t.Name == deducedName
		next.Types = append(next.Types, t)
	}
	if !hasDeduced {
		next.Types = append(next.Types, untypedTypes()...)
	}
	return next
}

func openAtom(atom smdschema.Atom) smdschema.Atom {
	if atom.List != nil {
		list := *atom.List
		list.ElementType.Inlined = openAtom(list.ElementType.Inlined)
		atom.List = &list
	}
	if atom.Map != nil {
		m := &smdschema.Map{ElementType: atom.Map.ElementType, ElementRelationship: atom.Map.ElementRelationship, Unions: atom.Map.Unions}
		m.ElementType.Inlined = openAtom(m.ElementType.Inlined)
		if m.ElementType == (smdschema.TypeRef{}) {
			m.ElementType = deducedRef
		}
		for _, field := range atom.Map.Fields {
			field.Type.Inlined = openAtom(field.Type.Inlined)
			m.Fields = append(m.Fields, field)
		}
		atom.Map = m
	}
	return atom
}
