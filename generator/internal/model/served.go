package model

import "slices"

// Served is what a server has to know about the resource of a kind, besides what its client needs.
// The fake clientset tells it to its server.
type Served struct {
	// Singular is empty unless a marker sets it.
	Singular               string
	ShortNames, Categories []string
	// Status reports whether status is a subresource. It is independent of the verbs.
	Status bool
	// Scale is nil unless scale is a subresource.
	Scale *Scale
}

// Scale has the JSON paths of the fields behind the subresource scale, such as .spec.replicas.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}

// Served returns the kinds of the clients, in the order of Kinds. Of several kinds with one resource
// it has only the first one, because a server has only one.
func (s *Set) Served() []*Kind {
	var kinds []*Kind
	for _, gv := range s.Clients() {
		of := len(kinds)
		for _, k := range gv.Kinds {
			if !slices.ContainsFunc(kinds[of:], func(first *Kind) bool { return first.Resource == k.Resource }) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

// ServedFields returns the paths of the selectable fields of the kind that not every server has.
func (k *Kind) ServedFields() []string {
	var paths []string
	for _, f := range k.SelectableFields {
		if f.Pos.IsValid() {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
