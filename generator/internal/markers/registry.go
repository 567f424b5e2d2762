package markers

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// Spec describes one marker.
type Spec struct {
	// Name is the name after the +, without arguments.
	Name string
	// Form is the text after the name: nothing, a value, or the arguments.
	Form string
	// On are the declarations that may have the marker.
	On Target
	// Doc is the meaning in one line of Markdown.
	Doc string

	// hasColon reports whether arguments follow the name after a colon.
	hasColon bool
	read     func(reader) Value
}

// Target is a set of sorts of declarations.
type Target int

const (
	OnType Target = 1 << iota
	OnPackage
)

// registry has the markers that informer-gen reads, in the order of docs/markers.md.
var registry = []Spec{
	{Name: "genclient", On: OnType, read: readGenclient,
		Doc: "The type is a kind: it gets a client, a fake client, a lister and an informer."},
	{Name: "genclient:nonNamespaced", On: OnType, read: always(NonNamespaced{}),
		Doc: "The kind is cluster-scoped."},
	{Name: "genclient:noStatus", On: OnType, read: always(NoStatus{}),
		Doc: "The client has no `UpdateStatus`, although the type has a field `Status`."},
	{Name: "genclient:noVerbs", On: OnType, read: always(NoVerbs{}),
		Doc: "The client has no methods."},
	{Name: "genclient:onlyVerbs", Form: "=…", On: OnType, read: func(r reader) Value { return OnlyVerbs(r.verbs()) },
		Doc: "The client has only the methods for these verbs."},
	{Name: "genclient:skipVerbs", Form: "=…", On: OnType, read: func(r reader) Value { return SkipVerbs(r.verbs()) },
		Doc: "The client has no methods for these verbs."},
	{Name: "genclient:readonly", On: OnType, read: always(OnlyVerbs(model.ReadOnlyVerbs)),
		Doc: "The client has only `Get`, `List` and `Watch`."},
	{Name: "genclient:method", Form: "=Name,verb=…,subresource=…,input=…,result=…", On: OnType, read: reader.method,
		Doc: "The client has one more method."},
	{Name: "resourceName", Form: "=…", On: OnType, read: readResourceName,
		Doc: "The name of the resource in URLs."},
	{Name: "groupName", Form: "=…", On: OnPackage, read: func(r reader) Value { return GroupName(r.text()) },
		Doc: "The name of the API group, above a package clause."},
	{Name: "groupGoName", Form: "=…", On: OnPackage, read: func(r reader) Value { return GroupGoName(r.text()) },
		Doc: "The name of the group in Go, above a package clause."},
	{Name: "kubebuilder:object:root", Form: "=true", On: OnType, read: readRoot,
		Doc: "The type is a kind if it has a list type."},
	{Name: "kubebuilder:resource", Form: ":path=…,scope=…", On: OnType, hasColon: true, read: readResource,
		Doc: "The name of the resource in URLs, and the scope `Namespaced` or `Cluster`."},
	{Name: "kubebuilder:subresource:status", On: OnType, read: always(Status{}),
		Doc: "The client has `UpdateStatus`."},
	{Name: "kubebuilder:subresource:scale", Form: ":specpath=…,statuspath=…", On: OnType, hasColon: true, read: readScale,
		Doc: "The client has `GetScale` and `UpdateScale`."},
	{Name: "kubebuilder:skip", On: OnType | OnPackage, read: always(Unserved{}),
		Doc: "The generator ignores the type or, above a package clause, all kinds."},
	{Name: "kubebuilder:skipversion", On: OnType, read: always(Unserved{}),
		Doc: "The generator ignores the type."},
	{Name: "kubebuilder:unservedversion", On: OnType, read: always(Unserved{}),
		Doc: "The generator ignores the type."},
	{Name: IndexName, Form: ":name=…,path=…", On: OnType, hasColon: true, read: readIndex,
		Doc: "The lister has a method that finds objects by the field."},
	{Name: SelectableFieldName, Form: ":JSONPath=…", On: OnType, hasColon: true, read: readSelectableField,
		Doc: "The client has a typed field selector."},
	{Name: ViewName, Form: "=…", On: OnType, hasColon: true, read: readView,
		Doc: "The struct has some fields of a kind, and gets an informer and a lister."},
}

// closed has the families of controller-gen that have no other options than these and the ones in the
// registry.
var closed = map[string][]string{
	"kubebuilder:object":      {"generate"},
	"kubebuilder:subresource": nil,
}

// find returns the marker with that name, which may have arguments after a colon, or nil.
func find(name string) *Spec {
	at := slices.IndexFunc(registry, func(s Spec) bool {
		return s.Name == name || s.hasColon && strings.HasPrefix(name, s.Name+":")
	})
	if at < 0 {
		return nil
	}
	return &registry[at]
}

// families returns the families of the markers for a target, without repetition.
func families(on Target) []string {
	var all []string
	for _, s := range registry {
		if f := family(s.Name); s.On&on != 0 && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// options returns the words that may follow the family and a colon.
func options(family string) []string {
	var all []string
	for _, s := range registry {
		if option, ok := strings.CutPrefix(s.Name, family+":"); ok {
			all = append(all, option)
		}
	}
	return all
}

// misspelled returns the marker that was probably meant by an unknown name, or "". Most unknown
// markers are for other tools. A name is misspelled if one byte is added, removed or replaced, if two
// neighbors are swapped, or if a hyphen replaces a colon. Case is ignored.
func misspelled(name string) string {
	first, option, hasOption := strings.Cut(name, ":")
	for _, word := range options("informer") { // +informer-view
		if ours := "informer:" + word; spelling.IsNear(strings.ToLower(first), ours) {
			return strings.TrimSuffix(ours+":"+option, ":")
		}
	}
	for _, ours := range families(OnType | OnPackage) {
		hasOptions := ours == "genclient" || ours == "informer"
		if first == ours || hasOption && !hasOptions || strings.HasPrefix(ours, "kubebuilder:") {
			continue
		}
		if spelling.IsNear(strings.ToLower(first), strings.ToLower(ours)) {
			return ours + name[len(first):]
		}
	}
	return ""
}
