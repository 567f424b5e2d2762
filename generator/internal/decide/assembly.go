package decide

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// assembly is the state of one Decide.
type assembly struct {
	Input
	naming *naming
	// externals are the packages outside the input, by import path.
	externals map[string]*input.External
	// clientset is the clientset that exists. It is nil if the run generates one.
	clientset *input.Clientset
	groups    map[string]*model.Group
	// applyDirs become the field of the same name of model.Set.
	applyDirs map[string]string
	// pkg is the current package.
	pkg  *input.Package
	errs *model.Errors
	// faulty are the kinds with a reported mistake, by package. They are in no group, so that no later check
	// reports a consequence of the mistake.
	faulty map[string][]*model.Kind
	// warnings report input that has no effect.
	warnings []*model.Error
}

func newAssembly(in Input, errs *model.Errors) *assembly {
	return &assembly{
		Input: in, naming: newNaming(in.Run), groups: map[string]*model.Group{}, errs: errs, faulty: map[string][]*model.Kind{},
	}
}

// elsewhere returns an assembly for reading pkg without an effect on a.
func (a *assembly) elsewhere(pkg *input.Package) *assembly {
	other := newAssembly(a.Input, &model.Errors{})
	other.naming, other.externals, other.clientset, other.applyDirs, other.pkg = a.naming, a.externals, a.clientset, a.applyDirs, pkg
	return other
}

// sortedGroups returns the groups that have a version.
func (a *assembly) sortedGroups() []*model.Group {
	var groups []*model.Group
	for _, g := range a.groups {
		if len(g.Versions) > 0 {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(x, y *model.Group) int {
		return cmp.Or(strings.Compare(x.Dir, y.Dir), strings.Compare(x.Name, y.Name))
	})
	return groups
}

// refuseOrWarn reports something in the current package that has no effect on the output. In the user's
// module that is an error, which ends with fix. The user cannot edit a dependency, so there it is a
// warning, which ends with done, the action that the generator took instead.
func (a *assembly) refuseOrWarn(pos token.Position, problem, fix, done string) {
	if a.pkg.Dependency {
		a.warn(pos, "%s; %s", problem, done)
		return
	}
	a.errs.Add(pos, "%s; %s", problem, fix)
}

// reports reports whether mistakes in the markers of a type are errors of this run.
func (a *assembly) reports(pkg *input.Package, t *input.Type) bool {
	return !pkg.Dependency && slices.Contains(a.Packages, pkg) && !a.Exclude.Type(pkg.Path, t.Name)
}

// ignored is the done of most warnings.
const ignored = "the marker is ignored"

// ignoreProblems reports the problems of a marker like refuseOrWarn.
func (a *assembly) ignoreProblems(m markers.Marker) {
	for _, p := range m.Problems {
		a.refuseOrWarn(m.Pos, p.What, p.Fix, cmp.Or(p.Done, ignored))
	}
}

// single returns the value and the position of the first marker with a value of type T. It refuses another one with
// another value.
func single[T interface {
	markers.Value
	~string
}](a *assembly, list markers.List) (value T, pos token.Position, ok bool) {
	for _, m := range list {
		switch v, isT := m.Value.(T); {
		case !isT:
		case !ok:
			value, pos, ok = v, m.Pos, true
		case v != value:
			a.refuseOrWarn(m.Pos, fmt.Sprintf("+%s is %q here and %q at %s", m.Name, v, value, pos), "remove one of the two", ignored)
		}
	}
	return value, pos, ok
}

// refuse reports the problems of a marker as errors. It reports whether there are any.
func (a *assembly) refuse(m markers.Marker) bool {
	for _, p := range m.Problems {
		a.errs.Add(m.Pos, "%s; %s", p.What, p.Fix)
	}
	return len(m.Problems) > 0
}

// ignoring runs read. In a dependency, the errors that it adds become warnings.
func (a *assembly) ignoring(read func()) {
	before := a.errs.Len()
	read()
	if a.pkg.Dependency {
		a.warnOf(a.errs.Cut(before), ignored)
	}
}

// warnOf adds warnings that replace errors. done replaces the fix of each error.
func (a *assembly) warnOf(errs []*model.Error, done string) {
	for _, err := range errs {
		a.warn(err.Pos, "%s; %s", withoutFix(err.Message), done)
	}
}

func (a *assembly) warn(pos token.Position, format string, args ...any) {
	a.warnings = append(a.warnings, model.Errorf(pos, format, args...))
}

// withoutFix returns a message without its fix.
func withoutFix(message string) string {
	before, _, _ := strings.Cut(message, "; ")
	return before
}

// advice returns the fix of an error in the current package: own in the user's module, and
// elsewhere in a dependency, which the user cannot edit.
func (a *assembly) advice(own, elsewhere string) string {
	if a.pkg.Dependency {
		return elsewhere
	}
	return own
}

// withoutFlags returns a fix without the flags of this run.
func (a *assembly) withoutFlags(fix string) string {
	if a.Register {
		fix = strings.TrimPrefix(fix, input.RegisterFix)
	}
	if a.DeepCopy {
		fix = strings.TrimPrefix(fix, input.CopyFix)
	}
	return fix
}

// leaveOut returns how to continue without a type of a dependency.
func (a *assembly) leaveOut(t *input.Type) string {
	return "leave it out with --exclude=" + a.pkg.Path + "." + t.Name
}
