package decide

import (
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// served returns the properties of k on a server. It reads the markers of controller-gen also in a
// package of +genclient, because controller-gen makes the CRD from them. scale may be nil.
func served(t *input.Type, k *model.Kind, hasStatus bool, scale *scaleMarker) model.Served {
	s := model.Served{Status: hasStatus}
	if scale != nil {
		s.Scale = &scale.paths
	} else if slices.ContainsFunc(k.Methods, func(m *model.Method) bool { return m.Subresource == "scale" }) {
		s.Scale = usualScale()
	}
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.Resource:
			s.Singular, s.ShortNames, s.Categories = v.Singular, v.ShortNames, v.Categories
		case markers.Status:
			s.Status = true
		}
	}
	return s
}

// followVersion corrects s by a version of the CRD.
func followVersion(s *model.Served, version input.ManifestVersion) {
	s.Status = version.Status
	switch {
	case !version.Scale:
		s.Scale = nil
	case s.Scale == nil:
		s.Scale = usualScale()
	}
}
