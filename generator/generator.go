package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/applyconfig"
	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/deepcopy"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/merge"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/register"
	"github.com/typedinformers/informer-gen/generator/internal/render"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Generate reads the packages that options name, and returns the generated files compared with
// those on disk. It writes nothing. Its errors about the input begin with a position; errors about
// options are of type *OptionError.
func Generate(ctx context.Context, options Options) (*Result, error) {
	started := time.Now()
	run, err := options.run()
	if err != nil {
		return nil, err
	}
	var mistakes model.Errors
	loaded, in, err := read(ctx, run, &mistakes)
	if err != nil {
		return nil, err
	}
	wasRead := time.Now()
	set := decide.Decide(in, &mistakes)
	set.DiscoveryType, set.KeepsSerializer = loaded.ClientGo.DiscoveryType, loaded.ClientGo.HasDeleteWithResult
	if set.ClientGo = clientGoOf(run, loaded.ClientGo); set.ClientGo != "" {
		dropTyped(set)
	}
	dropExpanded(run, set)
	set.InlineTag = loaded.ClientGo.InlineTag
	if err := complete(ctx, run, set, loaded, in, &mistakes); err != nil {
		return nil, err
	}
	if err := mistakes.Join(); err != nil {
		return nil, err
	}
	result := &Result{
		outputDir: run.OutputDir, outputPackage: run.Layout.OutputPackage, Kinds: len(set.Kinds()), Views: len(set.Informed()) - len(set.Kinds()), GroupVersions: len(set.GroupVersions()),
		Loaded: loaded.Notes, PassedOver: passedOver(loaded, set),
	}
	if result.Kinds+result.Views == 0 {
		return nil, nothingLeft(options, run, loaded, set.Warnings)
	}
	if set.Clientset != nil && !slices.ContainsFunc(set.Informed(), (*model.Kind).HasLister) {
		return nil, optionError("VersionedClientsetPackage", "no kind in %s can be listed, so there is nothing to generate with {VersionedClientsetPackage}; name other packages, or remove {VersionedClientsetPackage}", strings.Join(options.Patterns, " "))
	}
	files, err := render.Render(ctx, render.Options{
		Set:         set,
		Boilerplate: run.Boilerplate,
		HandWritten: func(path string) bool { return exists(run.OutputDir, path) },
	})
	if err != nil {
		return nil, err
	}
	if err := checkCycles(run, set, in.Packages, files); err != nil {
		return nil, err
	}
	rendered := time.Now()
	if result.plan, err = write.NewPlan(ctx, outputs(run, loaded.Packages, files)...); err != nil {
		return nil, err
	}
	if in.Clientset != nil && result.deletesFrom(in.Clientset.Packages(), run.Layout.OutputPackage) {
		return nil, optionError("VersionedClientsetPackage", "{VersionedClientsetPackage}=%s is in {OutputDir}, or imports clients from there, and this run would delete them, because it does not generate them; use another {OutputDir}, or remove {VersionedClientsetPackage}", run.ClientsetPackage)
	}
	if missing := loaded.ClientGo.Missing; missing != "" && isInModule(run) {
		return nil, errors.New(missing)
	}
	result.Timing = Timing{Load: wasRead.Sub(started), Render: rendered.Sub(wasRead), Compare: time.Since(rendered)}
	if warning := cmp.Or(loaded.ClientGo.Missing, loaded.ClientGo.Warning); warning != "" {
		result.Warnings = append(result.Warnings, warning) // first, because a run without -v prints one
	}
	result.describe(set, run)
	return result, nil
}

// read loads the packages, those that their markers name, the clientset that exists, and the CRDs.
func read(ctx context.Context, run *input.Run, mistakes *model.Errors) (*load.Loaded, decide.Input, error) {
	in := decide.Input{Run: run}
	loaded, err := load.Load(ctx, run, mistakes)
	if err != nil {
		return nil, in, err
	}
	in.Packages, in.Manifests, in.HasDeleteWithResult = loaded.Packages, loaded.Manifests, loaded.ClientGo.HasDeleteWithResult
	named := decide.NamedPackages(loaded.Packages, run.ApplyPackage)
	if run.GeneratesApply() {
		named = append(decide.NamedPackages(loaded.Packages, ""), decide.ApplyPackages(loaded.Packages, run.ApplyExternals)...)
	}
	if run.Register {
		named = append(named, register.NamedPackages(loaded.Packages)...)
		slices.Sort(named)
		named = slices.Compact(named)
	}
	if in.Externals, err = loaded.Externals(ctx, named); err != nil {
		return nil, in, err
	}
	if run.ClientsetPackage != "" {
		in.Clientset, err = loaded.Clientset(ctx, run.ClientsetPackage)
	}
	return loaded, in, err
}

// complete adds what needs the Go types of the kinds to the set: apply configurations, deep copies and
// registrations.
func complete(ctx context.Context, run *input.Run, set *model.Set, loaded *load.Loaded, in decide.Input, mistakes *model.Errors) error {
	if !run.GeneratesApply() && !run.DeepCopy && !run.Register || mistakes.Len() > 0 || len(in.Packages) == 0 {
		return nil
	}
	if err := checkOwnPackages(run, loaded); err != nil {
		return err
	}
	if run.GeneratesApply() || run.DeepCopy {
		if err := completeTypes(ctx, run, set, loaded, in, mistakes); err != nil || mistakes.Len() > 0 {
			return err
		}
	}
	if run.Register {
		set.Registrations = register.Decide(in.Packages, in.Externals, set, mistakes)
	}
	return nil
}

// completeTypes adds apply configurations and deep copies.
func completeTypes(ctx context.Context, run *input.Run, set *model.Set, loaded *load.Loaded, in decide.Input, mistakes *model.Errors) error {
	kinds := map[model.TypeRef]bool{}
	for _, k := range set.Kinds() {
		kinds[k.Ref()] = true
	}
	declared, err := loaded.Types(ctx, func(ref model.TypeRef) bool { return kinds[ref] }, mistakes)
	if err != nil || mistakes.Len() > 0 {
		return err
	}
	if run.GeneratesApply() {
		set.Apply = applyconfig.Decide(applyconfig.Input{Types: declared, Packages: in.Packages, Set: set, Externals: run.ApplyExternals, Dir: run.ApplyDir}, mistakes)
		set.Apply.Schema, err = merge.Decide(ctx, merge.Input{Types: declared, Set: set, Manifests: in.Manifests, OpenAPI: run.OpenAPI}, mistakes)
	}
	if run.DeepCopy {
		set.DeepCopies = deepcopy.Decide(deepcopy.Input{Types: declared, Packages: in.Packages, Set: set}, mistakes)
	}
	return err
}

// nothingLeft returns the error of a run without a kind, with the reasons if packages or types
// were ignored.
func nothingLeft(options Options, run *input.Run, loaded *load.Loaded, reasons []*model.Error) error {
	where := strings.Join(options.Patterns, " ")
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	all := []error{nil}
	if len(loaded.Packages) == 0 {
		for _, path := range loaded.TestsOnly {
			all = append(all, fmt.Errorf("%s has only _test.go files, which no other package can import; name the package with the types", path))
		}
	}
	for _, reason := range reasons {
		all = append(all, reason)
	}
	switch {
	case slices.ContainsFunc(loaded.Packages, func(pkg *input.Package) bool { return decide.IgnoresMarkers(run.From, pkg.Types) }):
		return optionError("From", "no kind to generate for in %s, because {From}=%s ignores the markers there; remove {From}", where, options.From)
	case len(all) > 1:
		all[0] = fmt.Errorf("no kind to generate for in %s; see the reasons below", where)
	case run.Exclude.Any():
		all[0] = optionError("Exclude", "no kind is left to generate for in %s, because of {Exclude}; correct it", where)
	case len(loaded.Packages) > 0 && !slices.ContainsFunc(loaded.Packages, isOwn):
		all[0] = fmt.Errorf("no kind to generate for in %s, because no type there has +genclient or +kubebuilder:object:root=true; %s", where, decide.AliasAdvice(loaded.Packages[0]))
	default:
		all[0] = fmt.Errorf("no kind to generate for in %s; write // +genclient or // +kubebuilder:object:root=true above the type of a kind%s", where, golist.OrElsewhere(run))
	}
	return errors.Join(all...)
}

// passedOver returns the packages without a kind and without deep copies. It leaves out apply configurations of
// code-generator, which a pattern such as ./... matches too.
func passedOver(loaded *load.Loaded, set *model.Set) []string {
	taken := map[string]bool{}
	for _, p := range set.Packages() {
		taken[p.Path] = true
	}
	if set.Apply != nil {
		for _, pkg := range set.Apply.Packages {
			taken[pkg.Path] = true
		}
	}
	for _, copies := range set.DeepCopies {
		taken[copies.Path] = true
	}
	others := slices.Clone(loaded.TestsOnly)
	for _, pkg := range loaded.Packages {
		if !taken[pkg.Path] && !slices.Contains(strings.Split(pkg.Path, "/"), "applyconfiguration") {
			others = append(others, pkg.Path)
		}
	}
	slices.Sort(others)
	return others
}

func exists(dir, path string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil
}
