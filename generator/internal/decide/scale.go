package decide

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// scaleMarker is +kubebuilder:subresource:scale above a kind, with paths that servers accept.
type scaleMarker struct {
	paths model.Scale
	pos   token.Position
}

// scale returns the last marker +kubebuilder:subresource:scale of a kind, or nil. It refuses paths that no server accepts.
func (a *assembly) scale(t *input.Type) (found *scaleMarker) {
	for _, m := range t.Markers {
		v, ok := m.Value.(markers.Scale)
		if !ok || v.Spec.Text == "" || v.Status.Text == "" { // refuseMisspelled reports what is missing
			continue
		}
		before := a.errs.Len()
		for _, path := range []scalePath{
			{"specpath", v.Spec, []string{"spec"}, "an integer"},
			{"statuspath", v.Status, []string{"status"}, "an integer"},
			{"selectorpath", v.Selector, []string{"status", "spec"}, "a string"},
		} {
			if path.Text == "" {
				continue
			}
			if problem := path.problem(t.Fields[path.Text]); problem != "" {
				a.errs.Add(m.Pos, "%s: %s", path.argument, problem)
			}
		}
		if a.errs.Len() == before {
			paths := model.Scale{SpecReplicasPath: v.Spec.Text, StatusReplicasPath: v.Status.Text, SelectorPath: v.Selector.Text}
			found = &scaleMarker{paths, m.Pos}
		}
	}
	return found
}

// scalePath is one argument of the marker.
type scalePath struct {
	argument string
	markers.FieldPath
	// below are the fields of the object that may hold the field.
	below []string
	// want is the form of the field in JSON.
	want string
}

// problem returns the reason why a server cannot use the field at the path, and the fix, or "".
func (p scalePath) problem(field *model.Field) string {
	isIndexed := func(e markers.PathElement) bool { return e.Each || e.Key }
	isEach := func(step model.Step) bool { return step.Op == model.StepEach }
	form := "an integer"
	switch {
	case field.Quoted || field.Value.Basic == "string":
		form = "a string"
	case field.Value.Basic == "bool":
		form = "a boolean"
	}
	path := strings.TrimPrefix(p.Text, ".")
	switch {
	case field.Problem != "" && !field.EncodesItself:
		return strings.Replace(field.Problem, "a string, an integer or a boolean", p.want, 1)
	case slices.ContainsFunc(p.Path, isIndexed) || slices.ContainsFunc(field.Steps, isEach):
		return path + " has brackets or is in a list, which servers do not accept; name a field that each object has once"
	case !slices.ContainsFunc(p.below, func(name string) bool { return strings.HasPrefix(path, name+".") }):
		return fmt.Sprintf("servers do not accept %s, which is not below %s; name a field there", path, strings.Join(p.below, " or "))
	case path == p.Text:
		return fmt.Sprintf("servers do not accept %s without a dot at the beginning; write %s=.%s", path, p.argument, path)
	case field.EncodesItself || form == p.want:
		return ""
	}
	return fmt.Sprintf("%s is %s; name %s", path, form, p.want)
}

// methods returns the methods of a marker, which may be nil, as far as the verbs of the kind allow them and its own methods
// do not have their names.
func (s *scaleMarker) methods(k *model.Kind, own []*model.Method) (all []*model.Method) {
	if s == nil {
		return nil
	}
	scale := model.TypeRef{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}
	for _, m := range []*model.Method{
		{Name: "GetScale", Verb: "get", Subresource: "scale", Result: scale, FromScale: true, Pos: s.pos},
		{Name: "UpdateScale", Verb: "update", Subresource: "scale", Input: scale, Result: scale, FromScale: true, Pos: s.pos},
	} {
		hasName := func(other *model.Method) bool { return other.Name == m.Name }
		if k.Has(string(m.Verb)) && !slices.ContainsFunc(own, hasName) {
			all = append(all, m)
		}
	}
	return all
}

// usualScale returns the paths of a kind whose markers have no paths.
func usualScale() *model.Scale {
	return &model.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
}
