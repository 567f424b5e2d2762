package model

import (
	"fmt"
	"slices"
	"strings"
)

// refuseStray refuses markers that have no effect, because the type is no kind.
func (a *assembly) refuseStray(t *Type, from From) {
	for _, m := range t.Markers {
		if a.refuseUnknown(m) {
			return
		}
		if !strings.HasPrefix(m.Name, "genclient:") && !strings.HasPrefix(m.Name, "informer:") {
			continue
		}
		problem, fix := m.withoutArguments()+" has no effect ", "remove the marker, or write it above a kind"
		isComplete := t.IsStruct && t.HasTypeMeta && t.HasObjectMeta
		switch of, isList := strings.CutSuffix(t.Name, "List"); {
		case isList && a.pkg.Declared[of]:
			problem += fmt.Sprintf("on %s, which is the list type of %s", t.Name, of)
			fix = "remove the marker, or write it above type " + of
		case t.unserved() != "":
			problem += fmt.Sprintf("on %s, because +%s excludes it", t.Name, t.unserved())
			fix = "remove one of the two markers"
		case from == FromKubebuilder:
			problem += fmt.Sprintf("on %s, which is not a kind", t.Name)
			if isComplete {
				fix = "remove the marker, or add // +kubebuilder:object:root=true"
				if !t.DeclaresList {
					fix += ", and a type " + t.Name + "List"
				}
			}
			if a.From == FromKubebuilder && strings.HasPrefix(m.Name, "genclient:") {
				fix += ", or leave --from=kubebuilder out"
			}
		default:
			problem += fmt.Sprintf("on %s without +genclient", t.Name)
			if isComplete {
				fix = "remove the marker, or add // +genclient above type " + t.Name
			}
		}
		a.ignore(m.Pos, problem, fix, ignored)
		return
	}
}

// withoutArguments returns the marker as it was written, up to its arguments.
func (m Marker) withoutArguments() string {
	for _, word := range informerMarkers {
		if _, ok := m.Arguments("informer:" + word); ok {
			return "+informer:" + word
		}
	}
	return "+" + m.Name
}

// unserved returns the marker of a root object that keeps it out of its CRD; empty for none.
func (t *Type) unserved() string {
	if !t.isRoot() {
		return ""
	}
	for _, m := range t.Markers {
		if slices.Contains(unservedMarkers, m.Name) {
			return m.Name
		}
	}
	return ""
}

// unservedMarkers are those with which no server has a version of a kind.
var unservedMarkers = []string{"kubebuilder:skip", "kubebuilder:skipversion", "kubebuilder:unservedversion"}

// refuseSkipped refuses markers on a type of a package that has views only.
func (a *assembly) refuseSkipped(t *Type) {
	for _, m := range t.Markers {
		if a.refuseUnknown(m) {
			continue
		}
		if _, ok := m.Arguments("informer"); ok {
			a.ignore(m.Pos, fmt.Sprintf("%s has no effect on %s, which is not a view, in a package with +kubebuilder:skip", m.withoutArguments(), t.Name),
				fmt.Sprintf("add // +%s=…, or remove the marker", ViewMarker), ignored)
		}
	}
}

// refuseMisspelt refuses markers that are ours but for a letter.
func (a *assembly) refuseMisspelt(markers []Marker) {
	for _, m := range markers {
		if meant := Misspelt(m.Name); meant != "" {
			a.ignore(m.Pos, "unknown marker +"+m.Name, "did you mean +"+meant+"?", ignored)
		}
	}
}

// refuseUnknown refuses a marker that begins as ours do and is not known, and reports
// whether it is one.
func (a *assembly) refuseUnknown(m Marker) bool {
	if option, ok := strings.CutPrefix(m.Name, "genclient:"); ok && !slices.Contains(genclient, option) {
		a.ignore(m.Pos, "unknown marker +"+m.Name, meantOneOf(option, genclient, "+genclient:"), ignored)
		return true
	}
	if _, ok := m.Arguments("informer"); !ok {
		return false
	}
	// +informer=view is none either.
	option, ok := strings.CutPrefix(m.Name, "informer:")
	word, _, _ := strings.Cut(option, ":")
	if ok && slices.Contains(informerMarkers, word) {
		return false
	}
	a.ignore(m.Pos, "unknown marker +"+m.Name, meantOneOf(word, informerMarkers, "+informer:"), ignored)
	return true
}

// followResource compares what +genclient says of a kind with +kubebuilder:resource, of which
// controller-gen makes the CRD. In a dependency the latter is followed, because it is what a
// server has.
func (a *assembly) followResource(t *Type, r *reading) {
	resource := a.Naming.resourceOf(t.Name, r.resource)
	for _, m := range t.Markers {
		arguments, _ := m.Arguments("kubebuilder:resource")
		for _, argument := range arguments {
			switch name, value := argument.Key, argument.Value; {
			case name == "scope" && (value == "Cluster") == r.namespaced:
				is, was, fix := "namespaced", "cluster-scoped", "remove +genclient:nonNamespaced"
				if r.namespaced {
					is, was, fix = was, is, "add // +genclient:nonNamespaced"
				}
				a.ignore(m.Pos, fmt.Sprintf("kind %s is %s by +kubebuilder:resource, but %s by +genclient", t.Name, is, was), fix+", or correct scope",
					fmt.Sprintf("its client is %s, unlike that of client-gen", is))
				if a.pkg.Dependency {
					r.namespaced = !r.namespaced
				}
			case name == "path" && value != resource && value != "":
				done := fmt.Sprintf("the client uses %q, because +resourceName or --plural-exceptions sets it", resource)
				others := fmt.Sprintf("--plural-exceptions=%s:%s", t.Name, upperFirst(value))
				if t.isRoot() {
					others += ", or --from=kubebuilder to read kinds from the markers of kubebuilder only"
				}
				if r.resource == "" && a.Naming.exceptions[t.Name] == "" {
					done = fmt.Sprintf("the client uses %q, because controller-gen writes it to the CRD; if that is wrong, use --plural-exceptions=%s:%s", value, t.Name, a.Naming.goPlural(t.Name))
					if a.pkg.Dependency {
						r.resource = value
					}
				}
				a.ignore(m.Pos, fmt.Sprintf("the resource of kind %s is %q by +kubebuilder:resource, but %q by +genclient", t.Name, value, resource),
					fmt.Sprintf("add // +resourceName=%s, or use %s", value, others), done)
			}
		}
	}
}
