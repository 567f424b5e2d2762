package decide

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/gobuffalo/flect"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// readKubebuilder reads the markers of controller-gen. A root object without a list type,
// such as a configuration file, is not a kind.
func (a *assembly) readKubebuilder(t *input.Type) reading {
	root := isRoot(t)
	r := reading{isKind: root && t.DeclaresList, namespaced: true}
	if root && !t.DeclaresList && t.HasObjectMeta {
		_, fix, _ := strings.Cut(t.ListProblem, "; ")
		a.warn(t.Pos, "%s is a root object without a list type, so nothing is generated for it; %s", t.Name,
			a.advice(a.withoutFlags(fix)+", or +kubebuilder:skip", "declare a type of your own with its list, if you need its client"))
	}
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.Unserved:
			return reading{}
		case markers.Status:
			r.hasStatus = true
		case markers.Resource:
			r.namespaced = v.Scope != "Cluster" // controller-gen takes the scope of the last marker
			if v.Path != "" {
				r.resource = v.Path
			}
		}
	}
	if r.resource == "" {
		r.resource = strings.ToLower(flect.Pluralize(t.Name)) // as controller-gen has it
	}
	return r
}

// followResource compares the markers of code-generator on a kind with +kubebuilder:resource, from
// which controller-gen makes the CRD. In a dependency it follows the latter, because a server has the
// CRD.
func (a *assembly) followResource(t *input.Type, r *reading) {
	resource := a.naming.resourceOf(t.Name, r.resource)
	for _, m := range t.Markers {
		v, ok := m.Value.(markers.Resource)
		if !ok {
			continue
		}
		if v.Path != "" && v.Path != resource {
			a.followPath(t, r, m.Pos, v.Path, resource)
		}
		if v.Scope != "" && (v.Scope == "Cluster") == r.namespaced {
			a.followScope(t, r, m.Pos)
		}
	}
}

func (a *assembly) followScope(t *input.Type, r *reading, pos token.Position) {
	is, was, fix := "namespaced", "cluster-scoped", "remove +genclient:nonNamespaced"
	if r.namespaced {
		is, was, fix = was, is, "add // +genclient:nonNamespaced"
	}
	a.refuseOrWarn(pos, fmt.Sprintf("kind %s is %s by +kubebuilder:resource, but %s by +genclient", t.Name, is, was), fix+", or correct scope",
		fmt.Sprintf("its client is %s, unlike that of client-gen", is))
	if a.pkg.Dependency {
		r.namespaced = !r.namespaced
	}
}

func (a *assembly) followPath(t *input.Type, r *reading, pos token.Position, path, resource string) {
	done := fmt.Sprintf("the client uses %q, because +resourceName or --plural-exceptions sets it", resource)
	others := terminal.Quote("--plural-exceptions=" + t.Name + ":" + upperFirst(path))
	if isRoot(t) {
		others += ", or --from=kubebuilder to read kinds from the markers of kubebuilder only"
	}
	if r.resource == "" && a.naming.exceptions[t.Name] == "" {
		done = fmt.Sprintf("the client uses %q, because controller-gen writes it to the CRD; "+
			"if that is wrong, use --plural-exceptions=%s:%s", path, t.Name, a.naming.goPlural(t.Name))
		if a.pkg.Dependency {
			r.resource = path
		}
	}
	a.refuseOrWarn(pos, fmt.Sprintf("the resource of kind %s is %q by +kubebuilder:resource, but %q by +genclient", t.Name, path, resource),
		fmt.Sprintf("add // +resourceName=%s, or use %s", path, others), done)
}
