package kinds

import (
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
)

// Manager returns the keeper of the managed fields of writes through an endpoint.
func (g *Registry) Manager(kind *Kind, subresource string) (*fields.Manager, error) {
	e := endpoint{kind, subresource}
	if m := g.managers[e]; m != nil {
		return m, nil
	}
	config := kind.managed()
	if subresource == "scale" {
		config = fields.Config{GVK: ScaleKind, Type: &ScaleObject{}}
	} else {
		for _, other := range g.versions(kind) {
			config.Others = append(config.Others, other.managed())
		}
	}
	config.Subresource = subresource
	m, err := fields.New(config)
	if err != nil {
		return nil, err
	}
	if g.managers == nil {
		g.managers = map[endpoint]*fields.Manager{}
	}
	g.managers[e] = m
	return m, nil
}

// managed returns the facts about a kind that a manager has to know.
func (k *Kind) managed() fields.Config {
	config := fields.Config{GVK: k.GroupVersionKind, Type: k.Type, HasStatus: k.Status}
	switch {
	case k.Schema != nil:
		config.Converter = k.Schema.TypeConverter()
		config.Default = k.Schema.Default
	case k.TypeConverter != nil:
		config.Converter = fields.Open(k.TypeConverter, k.GroupVersionKind)
	}
	return config
}

// versions returns the other versions of a kind.
func (g *Registry) versions(kind *Kind) []*Kind {
	var others []*Kind
	for other := range g.All() {
		if other.GroupKind() == kind.GroupKind() && other.Version != kind.Version {
			others = append(others, other)
		}
	}
	return others
}

// ReplicasPaths returns where each version of a kind has the number of replicas. The path is nil in
// a version without the subresource.
func (g *Registry) ReplicasPaths(kind *Kind) managedfields.ResourcePathMappings {
	paths := managedfields.ResourcePathMappings{}
	for _, k := range append(g.versions(kind), kind) {
		path := paths[""] // nil
		if k.Scale != nil {
			for _, name := range PathOf(k.Scale.SpecReplicasPath) {
				// The compiler knows the type of an element, whose package has another path in each major version.
				element := managedfields.ResourcePathMappings{"": {{FieldName: &name}}}
				path = append(path, element[""]...)
			}
		}
		paths[k.APIVersion()] = path
	}
	return paths
}
