// Package builtin describes the kinds of Kubernetes, as k8s.io/kubernetes serves them. The table in
// kinds.txt says what the Go types do not: which resource a kind is, its subresources, and what its
// strategy allows.
package builtin

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed kinds.txt
var table string

// Kind is a kind of Kubernetes in one version.
type Kind struct {
	schema.GroupVersionKind
	Resource               string
	Namespaced             bool
	Status, Scale          bool
	ShortNames, Categories []string
	// Subresources are those besides status and scale.
	Subresources []string
	// KeepStatus lets a create set the status.
	KeepStatus bool
	// Conditional makes an update need a resourceVersion.
	Conditional bool
	// CreateOnUpdate lets a PUT create an object that does not exist.
	CreateOnUpdate bool
	// Virtual reports that a create answers and stores nothing.
	Virtual bool
	// Single reports that the objects are deleted one by one only.
	Single bool
	// Orphans keeps the dependents at a deletion that does not say what becomes of them.
	Orphans bool
	// NoDependents makes a propagation policy have no effect.
	NoDependents bool
	// Returned makes a deletion answer with the object, and not with a Status.
	Returned bool
	// TextData reports that requests may have text in stringData, which becomes data.
	TextData bool
	// Name is the rule for names: label, segment, or a DNS subdomain if it is empty.
	Name string
	// Counted are the fields whose changes the generation counts. Without any, objects of the kind have
	// no generation.
	Counted [][]string
	// Fields are the fields of field selectors besides the name and the namespace.
	Fields []Field
}

// Field is a field that a field selector can name. Its value is at Path, or Default if nothing is
// there.
type Field struct {
	Name    string
	Path    []string
	Default string
}

// Kinds returns all kinds. The preferred version of a kind is the first. The caller must not change
// them.
var Kinds = sync.OnceValue(func() []Kind {
	kinds, err := parse(table)
	if err != nil {
		panic(err)
	}
	return kinds
})

// parse reads the table.
func parse(table string) ([]Kind, error) {
	var kinds []Kind
	group := ""
	for number, line := range slices.Collect(strings.Lines(table)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
			continue
		case words[0] == "group":
			group = strings.Join(words[1:], "")
			continue
		case len(words) < 3:
			return nil, fmt.Errorf("kinds.txt:%d: %q needs a kind, a resource and a version", number+1, line)
		}
		kind := Kind{Resource: words[1]}
		for _, word := range words[3:] {
			if err := kind.set(word); err != nil {
				return nil, fmt.Errorf("kinds.txt:%d: %w", number+1, err)
			}
		}
		for version := range strings.SplitSeq(words[2], ",") {
			kind.GroupVersionKind = schema.GroupVersionKind{Group: group, Version: version, Kind: words[0]}
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// set reads one property.
func (k *Kind) set(property string) error {
	name, value, _ := strings.Cut(property, "=")
	list := strings.Split(value, ",")
	switch name {
	case "namespaced":
		k.Namespaced = true
	case "status":
		k.Status = true
	case "scale":
		k.Scale = true
	case "keepstatus":
		k.KeepStatus = true
	case "conditional":
		k.Conditional = true
	case "createonupdate":
		k.CreateOnUpdate = true
	case "virtual":
		k.Virtual = true
	case "single":
		k.Single = true
	case "orphans":
		k.Orphans = true
	case "nodependents":
		k.NoDependents = true
	case "returned":
		k.Returned = true
	case "textdata":
		k.TextData = true
	case "name":
		k.Name = value
		if value != "label" && value != "segment" {
			return fmt.Errorf("%s: unknown rule of names %q", k.Resource, value)
		}
	case "counts":
		for _, path := range list {
			k.Counted = append(k.Counted, strings.Split(path, "."))
		}
	case "short":
		k.ShortNames = list
	case "in":
		k.Categories = list
	case "sub":
		k.Subresources = list
	case "select":
		for _, text := range list {
			k.Fields = append(k.Fields, field(text))
		}
	default:
		return fmt.Errorf("%s: unknown property %q", k.Resource, property)
	}
	return nil
}

// field reads name, name:path, name=default or name:path=default.
func field(text string) Field {
	text, missing, _ := strings.Cut(text, "=")
	name, path, renamed := strings.Cut(text, ":")
	if !renamed {
		path = name
	}
	return Field{Name: name, Path: strings.Split(path, "."), Default: missing}
}
