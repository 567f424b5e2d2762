// Package scoping has the client's rules of a scope, a part of a collection that is listed and watched
// on its own: the normal form of its selectors, and which objects it cannot have.
package scoping

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Rule tells which objects a scope cannot have. The zero value and nil exclude no object.
type Rule struct {
	Shard sharding.Selector
	// Others, if it is not nil, has the namespaces that the scope is limited to: those without a scope of their own.
	Others *Others
	terms  []term
}

// term is a condition on the name or on the namespace of an object.
type term struct {
	isName, isEqual bool
	value           string
}

// NewRule returns the Rule of a scope. It ignores a selector that does not parse: that is reported
// elsewhere.
func NewRule(byFields string, shard sharding.Selector) Rule {
	r := Rule{Shard: shard}
	selector, err := fields.ParseSelector(byFields)
	if err != nil {
		return r
	}
	for _, requirement := range selector.Requirements() {
		isName := requirement.Field == "metadata.name"
		if !isName && requirement.Field != "metadata.namespace" {
			continue
		}
		r.terms = append(r.terms, term{isName, requirement.Operator != selection.NotEquals, requirement.Value})
	}
	return r
}

// OneName returns the name of the only object that a field selector selects in a namespace, or "".
func OneName(selector string) string {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return ""
	}
	name, _ := parsed.RequiresExactMatch("metadata.name")
	return name
}

// Selector returns the shard. It selects all objects if r is nil.
func (r *Rule) Selector() sharding.Selector {
	if r == nil {
		return sharding.Selector{}
	}
	return r.Shard
}

// HasTerms reports whether there is a condition on the name or the namespace, besides Namespace.
func (r *Rule) HasTerms() bool { return r != nil && (len(r.terms) > 0 || r.Others != nil) }

// Excludes reports whether the conditions leave out an object with these names. A server may
// ignore those of a field selector, as fakes do, and does not know Others.
func (r *Rule) Excludes(namespace, name string) bool {
	if r == nil {
		return false
	}
	if !r.Others.Has(namespace) {
		return true
	}
	for i := range r.terms {
		t := &r.terms[i]
		has := namespace
		if t.isName {
			has = name
		}
		if (has == t.value) != t.isEqual {
			return true
		}
	}
	return false
}

// Labels returns the normal form of a label selector: two that select the same by the same conditions
// are equal.
func Labels(selector string) (string, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return "", err
	}
	var all []string
	requirements, _ := parsed.Requirements()
	for i := range requirements {
		r := &requirements[i]
		if r.Operator() == selection.DoubleEquals {
			if r, err = labels.NewRequirement(r.Key(), selection.Equals, r.ValuesUnsorted()); err != nil {
				return "", err
			}
		}
		all = append(all, r.String())
	}
	return join(all), nil
}

// Fields is Labels for a field selector.
func Fields(selector string) (string, error) {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return "", err
	}
	var all []string
	for _, requirement := range parsed.Requirements() {
		one := fields.OneTermEqualSelector(requirement.Field, requirement.Value)
		if requirement.Operator == selection.NotEquals {
			one = fields.OneTermNotEqualSelector(requirement.Field, requirement.Value)
		}
		all = append(all, one.String())
	}
	return join(all), nil
}

func join(conditions []string) string {
	slices.Sort(conditions)
	return strings.Join(slices.Compact(conditions), ",")
}
