package decide

import (
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// readGenclient reads the markers of code-generator.
func (a *assembly) readGenclient(t *input.Type) reading {
	resource, _, _ := single[markers.ResourceName](a, t.Markers)
	r := reading{namespaced: true, hasStatus: t.HasStatus, resource: string(resource)}
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.ResourceName:
		case markers.Genclient:
			r.isKind = !v.Off
		case markers.NonNamespaced:
			r.namespaced = false
		case markers.NoStatus:
			r.hasStatus = false
		case markers.NoVerbs:
			r.verbs.none = true
		case markers.OnlyVerbs:
			if len(m.Problems) == 0 || a.pkg.Dependency { // otherwise the unknown verb may be any
				r.verbs.only = append(r.verbs.only, v...)
			}
		case markers.SkipVerbs:
			r.verbs.skipped = append(r.verbs.skipped, v...)
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
			continue // of kubebuilder, or about a field
		}
		a.ignoreProblems(m)
	}
	return r
}
