package model

import (
	"slices"
	"strings"

	"github.com/gobuffalo/flect"
)

// From says whose markers tell what is generated for a package.
type From string

const (
	// FromAuto takes those of code-generator in a package with any +genclient, and
	// otherwise those of kubebuilder.
	FromAuto        From = "auto"
	FromGenclient   From = "genclient"
	FromKubebuilder From = "kubebuilder"
)

// Froms are all of them.
var Froms = []From{FromAuto, FromGenclient, FromKubebuilder}

// from decides for one package.
func (a *assembly) from(pkg *Package) From {
	if a.From != FromAuto && a.From != "" {
		return a.From
	}
	isRoot := false
	for _, t := range pkg.Types {
		if slices.ContainsFunc(t.Markers, Marker.isGenclient) {
			return FromGenclient
		}
		isRoot = isRoot || t.isRoot()
	}
	if isRoot || pkg.skips() {
		return FromKubebuilder
	}
	return FromGenclient
}

// skips says whether controller-gen makes no CRDs of the package.
func (p *Package) skips() bool {
	return slices.ContainsFunc(p.Markers, func(m Marker) bool { return m.Is("kubebuilder:skip") })
}

// isGenclient says whether it is a marker of code-generator for clients.
func (m Marker) isGenclient() bool {
	_, ok := m.Arguments("genclient")
	return ok || Misspelt(m.Name) == "genclient"
}

// isRoot says whether the type is an object of its own for controller-gen.
func (t *Type) isRoot() bool {
	for _, m := range t.Markers {
		if m.Is("kubebuilder:object:root") && m.Value != "false" {
			return true
		}
	}
	return false
}

// MayBeKind says whether the type has a marker by which it can be a kind.
func (t *Type) MayBeKind() bool {
	return t.isRoot() || slices.ContainsFunc(t.Markers, func(m Marker) bool { return m.Is("genclient") })
}

// readKubebuilder reads the markers of controller-gen. A root object without a list
// type is none that a server keeps, such as a configuration file.
func (a *assembly) readKubebuilder(t *Type) reading {
	r := reading{isKind: t.isRoot() && t.DeclaresList, namespaced: true}
	if t.isRoot() && !t.DeclaresList && t.HasObjectMeta {
		_, fix, _ := strings.Cut(t.ListProblem, "; ")
		a.warn(t.Pos, "%s is a root object without a list type, so nothing is generated for it; %s", t.Name,
			a.advice(fix+", or +kubebuilder:skip", "declare a type of your own with its list, if you need its client"))
	}
	for _, m := range t.Markers {
		switch {
		case slices.Contains(unservedMarkers, m.Name):
			return reading{}
		case m.Is("kubebuilder:subresource:status"):
			r.hasStatus = true
		}
		if _, ok := m.Arguments("kubebuilder:subresource:scale"); ok && r.isKind {
			r.methods = scaleMethods(m)
		}
		arguments, ok := m.Arguments("kubebuilder:resource")
		if ok {
			r.namespaced = true // each of them says it anew for controller-gen
		}
		for _, argument := range arguments {
			switch argument.Key {
			case "path":
				r.resource = argument.Value
			case "scope":
				r.namespaced = argument.Value != "Cluster"
			}
		}
	}
	if r.resource == "" {
		r.resource = strings.ToLower(flect.Pluralize(t.Name)) // as controller-gen has it
	}
	return r
}

// scaleMethods are those of a kind with a subresource scale.
func scaleMethods(m Marker) []*Method {
	scale := TypeRef{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}
	return []*Method{
		{Name: "GetScale", Verb: "get", Subresource: "scale", Result: scale, Pos: m.Pos},
		{Name: "UpdateScale", Verb: "update", Subresource: "scale", Input: scale, Result: scale, Pos: m.Pos},
	}
}
