package cache

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/scopes"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Scope is a part of a collection that an informer lists and watches separately: the objects of a
// namespace that all selectors select. An empty selector selects all objects.
//
// The scopes of an informer share no object. So each has a namespace of its own. Several scopes of one namespace are
// allowed only if each has the field selector metadata.name=, with another name: for rights that name a resource.
type Scope struct {
	// Namespace is empty for all namespaces. Such a scope has no others next to it.
	Namespace string
	// OtherNamespaces makes a scope of all namespaces that no other scope names. There is one at most, and its
	// Namespace is empty. It needs the rights to list and to watch all namespaces.
	OtherNamespaces              bool
	LabelSelector, FieldSelector string
	// ShardSelector is the String of a sharding.Selector, which may have several ranges. The informer sends it to
	// the server. A server may ignore it, so the informer also filters, before it decodes.
	ShardSelector string
}

// String returns the namespace, quoted, and the selectors.
func (s Scope) String() string {
	text := strconv.Quote(s.Namespace)
	if s.OtherNamespaces {
		text = "other namespaces"
	}
	if s.LabelSelector != "" {
		text += " labels " + s.LabelSelector
	}
	if s.FieldSelector != "" {
		text += " fields " + s.FieldSelector
	}
	if s.ShardSelector != "" {
		text += " shard " + s.ShardSelector
	}
	return text
}

func (s Scope) compare(other Scope) int {
	return cmp.Or(strings.Compare(s.Namespace, other.Namespace), strings.Compare(s.LabelSelector, other.LabelSelector),
		strings.Compare(s.FieldSelector, other.FieldSelector), strings.Compare(s.ShardSelector, other.ShardSelector),
		strings.Compare(s.String(), other.String()))
}

// name names a scope in errors.
func (s Scope) name() string {
	name := "namespace " + s.Namespace
	switch {
	case s.OtherNamespaces:
		name = "other namespaces"
	case s.Namespace == "":
		name = "all namespaces"
	}
	s.Namespace, s.OtherNamespaces = "", false
	if s != (Scope{}) {
		name += " (" + strings.TrimPrefix(s.String(), `"" `) + ")"
	}
	return name
}

// region returns the objects of a kind that the scope may have, apart from its selectors.
func (s Scope) region(isNamespaced bool) scopes.Region {
	name := scoping.OneName(s.FieldSelector)
	if s.Namespace == "" && (isNamespaced || name == "") {
		return scopes.Region{IsWide: true}
	}
	return scopes.Region{Namespace: s.Namespace, Name: name}
}

// normal returns the normal form of a scope. Scopes with the same conditions have equal normal forms.
func (s Scope) normal() (Scope, error) {
	// The name becomes a part of a URL. And a server returns no objects for a name that no namespace can have.
	if s.OtherNamespaces && s.Namespace != "" {
		return s, fmt.Errorf("a scope of OtherNamespaces has no namespace of its own, but this one has %q; remove one of them", s.Namespace)
	}
	if problems := validation.IsDNS1123Label(s.Namespace); s.Namespace != "" && len(problems) > 0 {
		return s, fmt.Errorf("%q cannot be the name of a namespace: %s", s.Namespace, strings.Join(problems, "; "))
	}
	normal, err := s, error(nil)
	if normal.LabelSelector, err = scoping.Labels(s.LabelSelector); err != nil {
		return s, fmt.Errorf("%q is not a label selector: %w; write for example app=web,tier!=cache", s.LabelSelector, err)
	}
	if normal.FieldSelector, err = scoping.Fields(s.FieldSelector); err != nil {
		return s, fmt.Errorf("%q is not a field selector: %w; write for example spec.nodeName=node-7", s.FieldSelector, err)
	}
	shard, err := sharding.Parse(s.ShardSelector)
	if err != nil {
		return s, err // it names the selector
	}
	normal.ShardSelector = shard.String()
	return normal, nil
}
