package decide

import (
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// readGenclient reads the markers of code-generator.
func (a *assembly) readGenclient(t *input.Type) reading {
	r := reading{namespaced: true, hasStatus: t.HasStatus}
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.ResourceName:
			r.resource = string(v)
		case markers.Genclient:
			r.isKind = !v.Off
		case markers.NonNamespaced:
			r.namespaced = false
		case markers.NoStatus:
			r.hasStatus = false
		case markers.NoVerbs:
			r.verbs.none = true
		case markers.OnlyVerbs:
			r.verbs.keep(v)
		case markers.SkipVerbs:
			r.verbs.skip(v)
		case markers.Method:
			if len(m.Problems) == 0 {
				method := model.Method(v)
				r.methods = append(r.methods, &method)
			}
		case markers.Unknown:
			if !strings.HasPrefix(m.Name, "genclient:") {
				continue
			}
		default:
			continue // of kubebuilder, or on a field
		}
		a.ignoreProblems(m)
	}
	return r
}
