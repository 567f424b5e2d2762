// Package fieldmask tells which fields of objects are kept: all but some, or only some.
//
//	path.go  Path: a field, as a program writes it
//	mask.go  Mask: the tree of the fields that are kept
package fieldmask

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Mask tells which members of a value are kept. It is a tree: a member may have a Mask of its own. The Mask of a list is
// that of each of its items. nil keeps everything. A Mask does not change.
type Mask struct {
	// named has the masks of some members.
	named map[string]*Mask
	// others is set if the members that named does not have are kept.
	others bool
	// isMap is set if the members are keys of a map.
	isMap bool
}

// nothing keeps no member.
var nothing = &Mask{}

// always are the fields that every object keeps: an informer, and whoever reads it, identifies objects by them and ends them. The
// generation costs nothing, and predicates of controller-runtime that compare it would ignore all changes without it.
var always = func() (all []Path) {
	for _, text := range []string{
		"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
		"metadata.generation", "metadata.deletionTimestamp", "metadata.finalizers", "metadata.ownerReferences",
	} {
		path, _ := Parse(text)
		all = append(all, path)
	}
	return all
}()

// Read returns the Mask of the fields with these paths; see New.
func Read(only, without []string) (*Mask, error) {
	var errs []error
	parse := func(texts []string) (paths []Path) {
		for _, text := range texts {
			path, err := Parse(text)
			if errs = append(errs, err); err == nil {
				paths = append(paths, path)
			}
		}
		return paths
	}
	mask, err := New(parse(only), parse(without))
	return mask, errors.Join(append(errs, err)...)
}

// New returns the Mask of only some fields, or of all if only is empty, without others. It returns nil if everything is
// kept. What identifies an object is kept in any case.
func New(only, without []Path) (*Mask, error) {
	var m *Mask
	if len(only) > 0 {
		m = nothing
		for _, path := range only {
			m = m.With(path)
		}
	}
	for _, path := range without {
		for _, kept := range always {
			if kept.covers(path) {
				return nil, fmt.Errorf("%s always stays; remove it", kept)
			}
		}
		m = m.without(path)
	}
	for _, path := range always {
		m = m.With(path)
	}
	return m, nil
}

// Without is New for fields that are known to be left out.
func Without(paths ...Path) (m *Mask) {
	for _, path := range paths {
		m = m.without(path)
	}
	return m
}

// With returns a Mask that also keeps a field.
func (m *Mask) With(path Path) *Mask {
	if m == nil || len(path) == 0 {
		return nil
	}
	inner := m.At(path[0].Name).With(path[1:])
	if inner == nil && m.others {
		return m.set(path[0], nil, true)
	}
	return m.set(path[0], inner, false)
}

// without returns a Mask that does not keep a field.
func (m *Mask) without(path Path) *Mask {
	if len(path) == 0 {
		return nothing
	}
	if m == nil {
		m = &Mask{others: true}
	}
	inner := m.At(path[0].Name).without(path[1:])
	return m.set(path[0], inner, inner.KeepsNothing() && !m.others)
}

// set returns a Mask in which a member has a Mask of its own, or has none if remove is set.
func (m *Mask) set(at Step, inner *Mask, remove bool) *Mask {
	changed := &Mask{named: maps.Clone(m.named), others: m.others, isMap: m.isMap || at.IsKey}
	if changed.named == nil {
		changed.named = map[string]*Mask{}
	}
	if changed.named[at.Name] = inner; remove {
		delete(changed.named, at.Name)
	}
	if changed.others && len(changed.named) == 0 {
		return nil
	}
	return changed
}

// At returns the Mask of a member.
func (m *Mask) At(name string) *Mask {
	if m == nil {
		return nil
	}
	inner, isNamed := m.named[name]
	if !isNamed && !m.others {
		return nothing
	}
	return inner
}

// AtText is At without a string. m is not nil.
func (m *Mask) AtText(name []byte) *Mask {
	inner, isNamed := m.named[string(name)]
	if !isNamed && !m.others {
		return nothing
	}
	return inner
}

// KeepsNothing reports whether the value itself is left out.
func (m *Mask) KeepsNothing() bool { return m != nil && !m.others && len(m.named) == 0 }

// IsMap reports whether the value is a map, of which some keys are left out. A map that keeps none of its keys is left out
// itself, because protobuf has no empty maps. m is not nil.
func (m *Mask) IsMap() bool { return m.isMap }

// Named returns the members that have a Mask of their own.
func (m *Mask) Named() map[string]*Mask {
	if m == nil {
		return nil
	}
	return m.named
}

// KeepsOthers reports whether members are kept that have no Mask of their own.
func (m *Mask) KeepsOthers() bool { return m == nil || m.others }

// String returns a text that is the same for equal Masks only.
func (m *Mask) String() string {
	if m == nil {
		return "all"
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(m.named)) {
		text += fmt.Sprintf("%q:%v ", name, m.named[name])
	}
	return fmt.Sprintf("{%s%t %t}", text, m.others, m.isMap)
}
