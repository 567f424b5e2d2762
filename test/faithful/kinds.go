package faithful

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/apitest"
)

// Option makes apitest what testserver is: built-in kinds have their Go types, and nothing is
// deleted with its owner.
func Option() apitest.Option {
	return func(server *apitest.Server) error {
		for _, option := range []apitest.Option{apitest.WithScheme(scheme.Scheme), apitest.WithoutGarbageCollection()} {
			if err := option(server); err != nil {
				return err
			}
		}
		return nil
	}
}

// Kinds are those of the scripts as a user declares them without a CustomResourceDefinition, so
// without schemas. They are the same as in testdata/crds.
func Kinds() []apitest.Kind {
	kind := func(version, name, resource string) apitest.Kind {
		return apitest.Kind{
			GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: name},
			Resource:         resource, Namespaced: true,
		}
	}
	widget := kind("v1", "Widget", "widgets")
	widget.ShortNames = []string{"wd"}
	widget.Categories = []string{"all", "shapes"}
	widget.Status = true
	old := widget
	old.Version = "v1beta1"
	old.Warning = "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"

	widget.Scale = &apitest.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", SelectorPath: ".status.selector"}
	widget.SelectableFields = []string{"spec.color", "spec.size"}
	gadget := kind("v1", "Gadget", "gadgets")
	gadget.Status = true
	gear := kind("v1", "Gear", "gears")
	gear.Namespaced = false
	return []apitest.Kind{widget, old, gadget, gear, kind("v1", "Note", "notes")}
}
