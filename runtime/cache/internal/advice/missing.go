package advice

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// maxNames is the number of namespaces that a text names.
	maxNames = 3
	// maxName is the number of bytes of a name in a text.
	maxName = 253
)

// name returns the resource with its group.
func (f *Failure) name() string {
	if f.Resource.Resource == "" {
		return "the resource"
	}
	return printable.Text(printable.Cut(f.Resource.GroupResource().String(), 2*maxName))
}

// isClusterWide reports whether the requests were not limited to a namespace.
func (f *Failure) isClusterWide() bool { return len(f.Namespaces) == 0 || f.Namespaces[0] == "" }

// Names returns a short list of namespaces, such as "a, b, c and 197 more".
func Names(namespaces []string) string {
	var shown []string
	for _, namespace := range namespaces[:min(len(namespaces), maxNames)] {
		if namespace == "" {
			namespace = "all namespaces"
		}
		shown = append(shown, printable.Text(printable.Cut(namespace, maxName)))
	}
	text := strings.Join(shown, ", ")
	if more := len(namespaces) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// where names the namespaces in a sentence, with a space before; empty for all.
func (f *Failure) where() string {
	switch {
	case len(f.Namespaces) == 0:
		return ""
	case f.isClusterWide():
		return " in all namespaces"
	case len(f.Namespaces) == 1:
		return " in namespace " + Names(f.Namespaces)
	}
	return fmt.Sprintf(" in %d namespaces (%s)", len(f.Namespaces), Names(f.Namespaces))
}

// forbidden returns the missing rule. It has both verbs even though the server has refused one of
// them: the informer needs both, and the server checks the second one later. A streaming list is a
// request to watch.
func (f *Failure) forbidden() Advice {
	refused := "list or watch"
	if f.Verb != "" {
		refused = f.Verb
	}
	who, subject := f.user()
	if f.Verb == "get" {
		return f.forbiddenGet(who, subject)
	}
	text := fmt.Sprintf("The server does not allow %s to %s %s%s. ", who, refused, f.name(), f.where())
	var comment string
	switch {
	case f.isClusterWide():
		text += "Add the rule to a ClusterRole, and bind it to " + subject + " with a ClusterRoleBinding."
		comment = "a rule of a ClusterRole"
	case len(f.Namespaces) == 1:
		text += "Add the rule to a Role in that namespace, and bind it to " + subject + " with a RoleBinding there."
		comment = "a rule of a Role in namespace " + Names(f.Namespaces)
	default:
		text += "Add the rule to a ClusterRole, and bind it to " + subject + " with a RoleBinding in each of these namespaces."
		comment = fmt.Sprintf("a rule of a ClusterRole, for a RoleBinding in each of %d namespaces: %s", len(f.Namespaces), Names(f.Namespaces))
	}
	if f.Resource.Resource == "" {
		return Advice{Text: text}
	}
	group, resource := quoted(f.Resource.Group), quoted(f.Resource.Resource)
	return Advice{
		Text:     text,
		Rule:     fmt.Sprintf(`{apiGroups: [%s], resources: [%s], verbs: ["list", "watch"]}`, group, resource),
		Manifest: fmt.Sprintf("# %s\n- apiGroups: [%s]\n  resources: [%s]\n  verbs: [\"list\", \"watch\"]\n", comment, group, resource),
		Check:    f.canI(),
	}
}

// forbiddenGet is forbidden for the read of one object, which the error names.
func (f *Failure) forbiddenGet(who, subject string) Advice {
	return Advice{
		Text: fmt.Sprintf("The server does not allow %s to get an object of %s that is not in the cache. Add what refers to it to crcache.WithReferenced; or add the rule to a Role in its namespace, and bind that to %s.",
			who, f.name(), subject),
		Rule: fmt.Sprintf(`{apiGroups: [%s], resources: [%s], verbs: ["get"]}`, quoted(f.Resource.Group), quoted(f.Resource.Resource)),
	}
}

// quoted returns a name as a scalar of YAML.
func quoted(name string) string { return fmt.Sprintf("%q", printable.Text(name)) }

// userInError finds the name of the user in the message of a server that refuses a request:
//
//	User "system:serviceaccount:team-a:operator" cannot list resource "foos" in API group …
var userInError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`User "([^"]{1,500})" cannot `) })

// userName returns the name that the server knows the program by, or "".
func (f *Failure) userName() string {
	if f.Err == nil {
		return ""
	}
	if found := userInError().FindStringSubmatch(f.Err.Error()); found != nil {
		return found[1]
	}
	return ""
}

// user returns the name of the refused user, and the subject that gets the right.
func (f *Failure) user() (who, subject string) {
	name := f.userName()
	if name == "" {
		return "the program", "the service account of the program"
	}
	if account, ok := strings.CutPrefix(name, "system:serviceaccount:"); ok {
		if namespace, account, ok := strings.Cut(account, ":"); ok {
			named := fmt.Sprintf("service account %s of namespace %s", printable.Text(account), printable.Text(namespace))
			return named, "that service account"
		}
	}
	return "user " + printable.Text(name), "that user"
}

// notServed has the texts about a resource, or a request to it, that the server does not serve: the end of a
// sentence, sentences, and a command.
type notServed struct{ brief, text, check string }

// notServed names the CRD, or the causes that a resource of Kubernetes can have.
func (f *Failure) notServed() notServed {
	r := f.Resource
	if r.Resource == "" {
		return notServed{"; is the resource installed?", "The server does not serve the resource. Install it: most have a CustomResourceDefinition.", ""}
	}
	version, resource := printable.Text(r.GroupVersion().String()), printable.Text(r.Resource)
	switch {
	case apierrors.IsMethodNotSupported(f.Err):
		what := cmp.Or(f.Verb, "request")
		return notServed{
			"; its API server knows no " + what,
			fmt.Sprintf("The server serves %s in %s, but this %s is not among its methods. An informer needs list and watch, so none can follow it.", resource, version, what),
			command([]string{f.name()}, "kubectl", "api-resources", "-o", "wide", `--api-group="`+r.Group+`"`),
		}
	case isBuiltIn(r.Group):
		return notServed{
			fmt.Sprintf("; it is a part of Kubernetes, so the server is too old or too new for %s, has disabled it, or is no API server", version),
			fmt.Sprintf("The server does not serve %s in %s, which is a part of Kubernetes and needs no CustomResourceDefinition. The server is too old or too new for that version, or its --runtime-config disables it: use one that the server has. Or the URL is not that of an API server: check its host and its path.",
				resource, version),
			command(nil, "kubectl", "api-resources", `--api-group="`+r.Group+`"`),
		}
	}
	return notServed{
		"; is its CRD installed?",
		fmt.Sprintf("The server does not serve %s in %s. Install the CustomResourceDefinition %s; if it is installed, it has to serve the version %s.",
			resource, version, f.name(), printable.Text(r.Version)),
		f.getCRD(),
	}
}

// decode names the object if the error is about one.
func (f *Failure) decode() Advice {
	a := Advice{Text: "An object, or a whole answer, cannot be decoded or transformed: the error says which, and where. Correct the object or the Go type. With WithSkipUndecodable the informer goes on without such objects."}
	if object := (*wire.DecodeError)(nil); errors.As(f.Err, &object) {
		a.Check = f.get(object.Namespace, object.Name)
	}
	return a
}

// builtIn are the groups of kube-apiserver. A CRD may be in other groups that end in k8s.io.
var builtIn = map[string]bool{
	"": true, "apps": true, "autoscaling": true, "batch": true, "extensions": true, "policy": true,
	"admissionregistration.k8s.io": true, "apiextensions.k8s.io": true, "apiregistration.k8s.io": true,
	"authentication.k8s.io": true, "authorization.k8s.io": true, "certificates.k8s.io": true,
	"coordination.k8s.io": true, "discovery.k8s.io": true, "events.k8s.io": true,
	"flowcontrol.apiserver.k8s.io": true, "internal.apiserver.k8s.io": true, "lifecycle.k8s.io": true,
	"networking.k8s.io": true, "node.k8s.io": true, "rbac.authorization.k8s.io": true, "resource.k8s.io": true,
	"scheduling.k8s.io": true, "storage.k8s.io": true, "storagemigration.k8s.io": true,
}

// isBuiltIn reports whether a kube-apiserver serves the group without a CRD.
func isBuiltIn(group string) bool { return builtIn[group] }
