package apitest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/fields"
)

// endpoint is where objects of a kind are written.
type endpoint struct {
	kind        *Kind
	subresource string
}

// manager returns what keeps the managed fields of writes through an endpoint.
func (g *registry) manager(kind *Kind, subresource string) (*fields.Manager, error) {
	e := endpoint{kind, subresource}
	if m := g.managers[e]; m != nil {
		return m, nil
	}
	config := kind.managed()
	if subresource == "scale" {
		config = fields.Config{GVK: scaleKind, Type: &scaleObject{}}
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

// managed returns what a manager has to know of a kind.
func (k *Kind) managed() fields.Config {
	config := fields.Config{GVK: k.GroupVersionKind, Type: k.Type, HasStatus: k.Status}
	if k.Schema != nil {
		config.Converter = k.Schema.TypeConverter()
		config.Default = k.Schema.Default
	}
	return config
}

// versions returns the other versions of a kind.
func (g *registry) versions(kind *Kind) []*Kind {
	var others []*Kind
	for other := range g.all() {
		if other.GroupKind() == kind.GroupKind() && other.Version != kind.Version {
			others = append(others, other)
		}
	}
	return others
}

// manage sets the managedFields of obj, which manager writes in place of old. old is nil if obj is
// new.
func (s *Server) manage(r *request, old map[string]any, obj *unstructured.Unstructured, manager string) error {
	m, err := s.kinds.manager(r.kind, r.subresource)
	if err != nil {
		return err
	}
	if _, ok := obj.Object["metadata"].(map[string]any); !ok {
		obj.Object["metadata"] = map[string]any{}
	}
	obj.Object, err = m.Update(old, obj.Object, manager, s.now())
	return err
}

// keepTimes gives obj the managedFields of old if the two objects differ in the times of these only.
// So a write that changes nothing makes no new version.
func (s *Server) keepTimes(obj *unstructured.Unstructured, old map[string]any) {
	obj.Object = fields.KeepTimes(old, obj.Object)
}
