package decide

import (
	"fmt"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// refuseMisspelled refuses markers that resemble one in the registry, and unknown words in the
// markers of controller-gen, which reads them on any type.
func (a *assembly) refuseMisspelled(list markers.List) {
	for _, m := range list {
		_, ok := m.Value.(markers.Misspelled)
		if ok || strings.HasPrefix(m.Name, "kubebuilder:") && m.Name != markers.SelectableFieldName {
			a.ignoreProblems(m)
		}
	}
}

// refuseUnknown refuses m if it has the family of a marker in the registry, but is not in it. It reports
// whether it refuses m.
func (a *assembly) refuseUnknown(m markers.Marker) bool {
	_, ok := m.Value.(markers.Unknown)
	if ok {
		a.ignoreProblems(m)
	}
	return ok
}

// refuseStray refuses the first marker that has no effect because the type is not a kind. A misspelled marker may
// be the one that makes it a kind.
func (a *assembly) refuseStray(t *input.Type, from input.From) {
	if markers.Has[markers.Misspelled](t.Markers) {
		return
	}
	for _, m := range t.Markers {
		if a.refuseUnknown(m) {
			return
		}
		if !strings.HasPrefix(m.Name, "genclient:") && !strings.HasPrefix(m.Name, "informer:") {
			continue
		}
		problem, fix := "+"+m.Name+" has no effect ", "remove the marker, or write it above a kind"
		isComplete := t.IsStruct && t.HasTypeMeta && t.HasObjectMeta
		unserved := unservedBy(t)
		switch of, isList := strings.CutSuffix(t.Name, "List"); {
		case isList && a.pkg.Declared[of]:
			problem += fmt.Sprintf("on %s, which is the list type of %s", t.Name, of)
			fix = "remove the marker, or write it above type " + of
		case unserved != "":
			problem += fmt.Sprintf("on %s, because +%s excludes it", t.Name, unserved)
			fix = "remove one of the two markers"
		case from == input.FromKubebuilder:
			problem += fmt.Sprintf("on %s, which is not a kind", t.Name)
			if isComplete {
				fix = "remove the marker, or add // +kubebuilder:object:root=true"
				if !t.DeclaresList {
					fix += ", and a type " + t.Name + "List"
				}
			}
			if a.From == input.FromKubebuilder && strings.HasPrefix(m.Name, "genclient:") {
				fix += ", or remove --from=kubebuilder"
			}
		default:
			problem += fmt.Sprintf("on %s without +genclient", t.Name)
			if isComplete {
				fix = "remove the marker, or add // +genclient above type " + t.Name
			}
		}
		a.refuseOrWarn(m.Pos, problem, fix, ignored)
		return
	}
}

// warnOfDetached warns of markers that do not count because of blank lines, as for code-generator. The user
// cannot move markers of a dependency.
func (a *assembly) warnOfDetached(t *input.Type) {
	for _, m := range t.Detached {
		if !a.pkg.Dependency {
			a.warn(m.Pos, "+%s has no effect, because more than one blank line is between it and type %s; remove the blank lines",
				m.Name, t.Name)
		}
	}
}

// warnOfTags warns of the first field of a package without a JSON name in a tag, and of the first one with the option
// embed. A field without a tag does no harm in a dependency.
func (a *assembly) warnOfTags(pkg *input.Package) {
	name := func(fields []input.Field) string {
		text := fmt.Sprintf("field %s of %s", fields[0].Name, fields[0].Of)
		if more := len(fields) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more in the package)", more)
		}
		return text
	}
	if fields := pkg.Untagged; len(fields) > 0 && !pkg.Dependency {
		tag := lowerFirst(fields[0].Name)
		if fields[0].IsEmbedded {
			tag = ",inline"
		}
		a.warn(fields[0].Pos, "%s has no JSON name in a tag, which controller-gen refuses or inlines; "+
			"write a tag such as `json:\"%s\"`", name(fields), tag)
	}
	if fields := pkg.Embedding; len(fields) > 0 {
		a.warn(fields[0].Pos, "%s has the JSON option embed, which Kubernetes does not decode; %s", name(fields),
			a.advice("embed the struct in Go, or give the field a JSON name", "do not set the field"))
	}
}

// unservedBy returns the name of the marker that keeps a root object out of its CRD, or "".
func unservedBy(t *input.Type) string {
	for _, m := range t.Markers {
		if _, ok := m.Value.(markers.Unserved); ok && isRoot(t) {
			return m.Name
		}
	}
	return ""
}

// refuseSkipped refuses markers on a type of a package that has views only.
func (a *assembly) refuseSkipped(t *input.Type) {
	for _, m := range t.Markers {
		if !a.refuseUnknown(m) && strings.HasPrefix(m.Name, "informer:") {
			problem := fmt.Sprintf("+%s has no effect on %s, which is not a view, in a package with +kubebuilder:skip", m.Name, t.Name)
			a.refuseOrWarn(m.Pos, problem, fmt.Sprintf("add // +%s=…, or remove the marker", markers.ViewName), ignored)
		}
	}
}
