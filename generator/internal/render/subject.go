package render

import (
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// subject is the set, group, version or kind of a file. Fields that are narrower than the file are nil.
type subject struct {
	Set   *model.Set
	Group *model.Group
	GV    *model.GroupVersion
	Kind  *model.Kind
	// Apply and ApplyType are set for apply configurations only.
	Apply     *model.ApplyPackage
	ApplyType *model.ApplyType
	// DeepCopy or Registers is set for a file in an API package.
	DeepCopy  *model.DeepCopy
	Registers *model.Registration
}

// api returns the API package that the file is in. It is nil for a file in the output folder.
func (s subject) api() *model.APIPackage {
	switch {
	case s.DeepCopy != nil:
		return &s.DeepCopy.APIPackage
	case s.Registers != nil:
		return &s.Registers.APIPackage
	}
	return nil
}

func once(set *model.Set) []subject { return []subject{{Set: set}} }

func eachGroup(set *model.Set) []subject {
	var all []subject
	for _, g := range set.Groups {
		all = append(all, subject{Set: set, Group: g})
	}
	return all
}

func eachVersion(set *model.Set) []subject {
	var all []subject
	for _, gv := range set.GroupVersions() {
		all = append(all, subject{Set: set, Group: gv.Group, GV: gv})
	}
	return all
}

func eachDeepCopy(set *model.Set) []subject {
	var all []subject
	for _, c := range set.DeepCopies {
		all = append(all, subject{Set: set, DeepCopy: c})
	}
	return all
}

func eachRegistration(set *model.Set) []subject {
	var all []subject
	for _, r := range set.Registrations {
		all = append(all, subject{Set: set, Registers: r})
	}
	return all
}

func eachKind(set *model.Set) []subject { return subjects(set, set.Kinds()) }

// eachInformed returns each kind and each view.
func eachInformed(set *model.Set) []subject { return subjects(set, set.Informed()) }

func subjects(set *model.Set, kinds []*model.Kind) []subject {
	var all []subject
	for _, k := range kinds {
		all = append(all, subject{Set: set, Group: k.GroupVersion.Group, GV: k.GroupVersion, Kind: k})
	}
	return all
}

// informed returns the kinds and views of a subject.
func (s subject) informed() []*model.Kind {
	switch {
	case s.Kind != nil:
		return []*model.Kind{s.Kind}
	case s.GV != nil:
		return s.GV.Informed()
	case s.Group != nil:
		return (&model.Set{Groups: []*model.Group{s.Group}}).Informed()
	}
	return s.Set.Informed()
}

// privateNames returns the unexported names of the file's package that are not in locals, and that no
// import may have.
func (s subject) privateNames() []string {
	if api := s.api(); api != nil {
		return api.Private
	}
	if s.GV == nil {
		return []string{ // of the fake clientset
			"actionOf", "codecs", "kinds", "laterFakeClient", "laterTracker", "methods", "passed", "scheme", "serverTracker", "typeConverter",
		}
	}
	var names []string
	for _, k := range s.GV.Kinds {
		names = append(names, k.PluralPrivate)
	}
	return names
}

// eachApplyType returns each type with an apply configuration.
func eachApplyType(set *model.Set) []subject {
	if set.Apply == nil {
		return nil
	}
	var all []subject
	for _, pkg := range set.Apply.Packages {
		for _, t := range pkg.Types {
			all = append(all, subject{Set: set, Apply: pkg, ApplyType: t})
		}
	}
	return all
}

// onceForApply returns the set if there are apply configurations.
func onceForApply(set *model.Set) []subject {
	if set.Apply == nil {
		return nil
	}
	return once(set)
}

func hasInformer(s subject) bool {
	return slices.ContainsFunc(s.informed(), (*model.Kind).HasInformer)
}

func hasLister(s subject) bool { return slices.ContainsFunc(s.informed(), (*model.Kind).HasLister) }

func hasClient(s subject) bool { return s.GV.HasClient() }

func hasInformerWithFields(s subject) bool { return hasInformer(s) && hasFields(s) }

func hasFields(s subject) bool { return len(s.Kind.SelectableFields) > 0 }
