package fields

import (
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// metaModels is the beginning of the names of the types of metadata in schemas of Kubernetes.
const metaModels = "io.k8s.apimachinery.pkg.apis.meta.v1."

// opened has the types of the open copies of schemas, by Source.ID.
var opened sync.Map

// Open returns a TypeConverter for a kind with the schema of converter, in which each struct may have other
// fields. These are merged as their values suggest. Structs of metadata are as they were. A server without
// the schema of a CustomResourceDefinition stores such fields, and could not merge their objects otherwise.
//
// It returns converter if that has no schema for the kind.
func Open(converter managedfields.TypeConverter, gvk schema.GroupVersionKind) managedfields.TypeConverter {
	closed, found := smd.SourceOf(converter, gvk)
	if !found {
		return converter
	}
	known, ok := opened.Load(closed.ID)
	if !ok {
		known, _ = opened.LoadOrStore(closed.ID, smd.Types(openSchema(closed.Copy())))
	}
	return known.(func(smd.TypeRef) smd.Type)(closed.Root).Converter
}

func openSchema(closed *smd.Schema) *smd.Schema {
	next := &smd.Schema{}
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

func openAtom(atom smd.Atom) smd.Atom {
	if atom.List != nil {
		list := *atom.List
		list.ElementType.Inlined = openAtom(list.ElementType.Inlined)
		atom.List = &list
	}
	if atom.Map != nil {
		m := &smd.Map{ElementType: atom.Map.ElementType, ElementRelationship: atom.Map.ElementRelationship}
		m.ElementType.Inlined = openAtom(m.ElementType.Inlined)
		if m.ElementType == (smd.TypeRef{}) {
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
