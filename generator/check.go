package generator

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/cycle"
	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// checkSet returns an error for a decision with which there is nothing to generate, or for which an option has no effect.
func checkSet(options Options, run *input.Run, loaded *load.Loaded, set *model.Set) error {
	if len(loaded.Packages) > 0 {
		if err := checkOwnPackages(run, loaded); err != nil {
			return err
		}
	}
	switch informed := set.Informed(); {
	case len(informed) == 0:
		return noKinds(options.From, run, loaded, set.Warnings)
	case set.Clientset != nil && !slices.ContainsFunc(informed, (*model.Kind).HasLister):
		return optionError("VersionedClientsetPackage",
			"no kind in %s can be listed, so there is nothing to generate with {VersionedClientsetPackage}; "+
				"name other packages, or remove {VersionedClientsetPackage}", strings.Join(run.Patterns, " "))
	}
	return nil
}

// checkOwnPackages returns an error if a flag has no effect because all packages are dependencies.
func checkOwnPackages(run *input.Run, loaded *load.Loaded) error {
	option := "DeepCopy"
	if run.Register {
		option = "Register"
	}
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	if !run.Register && !run.DeepCopy || slices.ContainsFunc(loaded.Packages, isOwn) {
		return nil
	}
	fix := "remove it"
	for _, nested := range golist.Nested(run.Dir) {
		if slices.ContainsFunc(loaded.Packages, func(pkg *input.Package) bool {
			return strings.HasPrefix(pkg.Dir, filepath.Join(run.Dir, nested)+string(filepath.Separator))
		}) {
			fix = "run informer-gen in " + nested + ", or remove it"
		}
	}
	if len(loaded.TestsOnly) > 0 {
		return optionError(option, "{"+option+"} writes to packages of the main module with Go files, "+
			"and %s has only _test.go files; name the package with the types, or remove {"+option+"}", loaded.TestsOnly[0])
	}
	return optionError(option, "{"+option+"} writes to packages of the main module, "+
		"and this run names only packages of other modules; %s", fix)
}

// noKinds returns the error of a run without a kind, with the reasons if packages or types
// were ignored.
func noKinds(from From, run *input.Run, loaded *load.Loaded, reasons []*model.Error) error {
	where := strings.Join(run.Patterns, " ")
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	all := []error{nil}
	if len(loaded.Packages) == 0 {
		for _, path := range loaded.TestsOnly {
			all = append(all, fmt.Errorf("%s has only _test.go files, which no other package can import; "+
				"name the package with the types", path))
		}
	}
	for _, reason := range reasons {
		all = append(all, reason)
	}
	switch {
	case slices.ContainsFunc(loaded.Packages, func(pkg *input.Package) bool { return decide.IgnoresMarkers(run.From, pkg.Types) }):
		return optionError("From", "no kind to generate for in %s, because {From}=%s ignores the markers there; remove {From}", where, from)
	case len(all) > 1:
		all[0] = fmt.Errorf("no kind to generate for in %s; see the reasons below", where)
	case run.Exclude.Any():
		all[0] = optionError("Exclude", "no kind is left to generate for in %s, because of {Exclude}; correct it", where)
	case len(loaded.Packages) > 0 && !slices.ContainsFunc(loaded.Packages, isOwn):
		all[0] = fmt.Errorf("no kind to generate for in %s, because no type there has +genclient or +kubebuilder:object:root=true; %s",
			where, decide.AliasAdvice(loaded.Packages[0]))
	default:
		all[0] = fmt.Errorf("no kind to generate for in %s; write // +genclient or // +kubebuilder:object:root=true above the type "+
			"of a kind%s", where, golist.OrElsewhere(run))
	}
	return errors.Join(all...)
}

// checkCycles returns an error for each import cycle among API packages, packages that they import, and generated ones.
func checkCycles(run *input.Run, set *model.Set, packages []*input.Package, files []render.File) error {
	in := cycle.Input{Modules: map[string]string{}, Generated: map[string][][]byte{}, BuildTags: run.BuildTags}
	for _, pkg := range packages {
		if len(pkg.Within) > 0 {
			in.Modules[pkg.Module] = pkg.Within[len(pkg.Within)-1]
		}
	}
	for _, p := range set.Packages() {
		in.Packages = append(in.Packages, p.Path)
	}
	for _, f := range files {
		if f.Dir == "" {
			of := path.Join(run.Layout.OutputPackage, path.Dir(f.Path))
			in.Generated[of] = append(in.Generated[of], f.Content)
		}
	}
	var errs model.Errors
	cycle.Find(in, &errs)
	return errs.Join()
}

// checkPlan returns an error for a plan that deletes the clientset with which informers list and watch, or whose files cannot
// compile without another module.
func checkPlan(run *input.Run, loaded *load.Loaded, set *model.Set, plan *write.Plan) error {
	if set.Clientset != nil && deletesFrom(plan, run, set.Clientset.Packages) {
		return optionError("VersionedClientsetPackage",
			"{VersionedClientsetPackage}=%s is in {OutputDir}, or imports clients from there, and this run would delete them, "+
				"because it does not generate them; use another {OutputDir}, or remove {VersionedClientsetPackage}", run.ClientsetPackage)
	}
	if missing := loaded.Library.Missing; missing != "" && isInModule(run) {
		return errors.New(missing)
	}
	return nil
}

// deletesFrom reports whether a plan deletes a file from the folder of one of the packages.
func deletesFrom(plan *write.Plan, run *input.Run, importPaths []string) bool {
	return slices.ContainsFunc(plan.Changes, func(c write.Change) bool {
		return c.New == nil && c.Dir == run.OutputDir && slices.Contains(importPaths, path.Join(run.Layout.OutputPackage, path.Dir(c.Path)))
	})
}

// isInModule reports whether the go command looks for packages in the module that the generated code is in. If not,
// that module may require packages that the go command does not find.
func isInModule(run *input.Run) bool {
	of, err := findGoMod(run.OutputDir)
	in, inErr := findGoMod(run.Dir)
	return err == nil && inErr == nil && of == in
}
