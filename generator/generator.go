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
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/manifest"
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
	setup, err := options.setup()
	if err != nil {
		return nil, err
	}
	var mistakes model.Errors
	loaded, in, err := setup.read(ctx, options.From, &mistakes)
	if err != nil {
		return nil, err
	}
	in.PrefersProtobuf, in.ClientGo = options.PrefersProtobuf, options.Informers == InformersClientGo
	read := time.Now()
	set := decide.Decide(in, &mistakes)
	set.DiscoveryType, set.KeepsSerializer = loaded.ClientGo.DiscoveryType, loaded.ClientGo.HasDeleteWithResult
	if set.ClientGo = clientGoOf(options, loaded.ClientGo); set.ClientGo != "" {
		dropTyped(set)
	}
	setup.dropExpanded(set)
	set.InlineTag = loaded.ClientGo.InlineTag
	if err := setup.complete(ctx, set, loaded, in, &mistakes); err != nil {
		return nil, err
	}
	if err := mistakes.Join(); err != nil {
		return nil, err
	}
	result := &Result{outputDir: setup.outputDir, outputPackage: setup.outputPackage, Kinds: len(set.Kinds()), Views: len(set.Informed()) - len(set.Kinds()), GroupVersions: len(set.GroupVersions()), Loaded: loaded.Notes, PassedOver: passedOver(loaded, set)}
	if result.Kinds+result.Views == 0 {
		return nil, nothingLeft(options, loaded, set.Warnings, setup.load.Exclude)
	}
	if set.Clientset != nil && !slices.ContainsFunc(set.Informed(), (*model.Kind).HasLister) {
		return nil, optionError("VersionedClientsetPackage", "no kind in %s can be listed, so there is nothing to generate with {VersionedClientsetPackage}; name other packages, or remove {VersionedClientsetPackage}", strings.Join(options.Patterns, " "))
	}
	files, err := render.Render(ctx, render.Options{
		Set:         set,
		Boilerplate: setup.boilerplate,
		HandWritten: func(path string) bool { return exists(setup.outputDir, path) },
	})
	if err != nil {
		return nil, err
	}
	if err := setup.checkCycles(set, in.Packages, files, loaded); err != nil {
		return nil, err
	}
	rendered := time.Now()
	if result.plan, err = write.NewPlan(ctx, setup.outputs(files, loaded)...); err != nil {
		return nil, err
	}
	if in.Clientset != nil && result.deletesFrom(in.Clientset.Packages(), setup.outputPackage) {
		return nil, optionError("VersionedClientsetPackage", "{VersionedClientsetPackage}=%s is in {OutputDir}, or imports clients from there, and this run would delete them, because it does not generate them; use another {OutputDir}, or remove {VersionedClientsetPackage}", setup.clientset)
	}
	if missing := loaded.ClientGo.Missing; missing != "" && setup.isInModule() {
		return nil, errors.New(missing)
	}
	result.Timing = Timing{Load: read.Sub(started), Render: rendered.Sub(read), Compare: time.Since(rendered)}
	if warning := cmp.Or(loaded.ClientGo.Missing, loaded.ClientGo.Warning); warning != "" {
		result.Warnings = append(result.Warnings, warning) // first, because a run without -v prints one
	}
	result.describe(set, setup)
	return result, nil
}

// read loads the packages, those that their markers name, the clientset that exists, and the CRDs.
func (s *setup) read(ctx context.Context, from From, mistakes *model.Errors) (*load.Result, decide.Input, error) {
	in := decide.Input{Naming: s.naming, From: from, Exclude: s.load.Exclude, OutputPackage: s.outputPackage, ClientsetName: s.clientsetName, ApplyPackage: s.applyPackage, GeneratesApply: s.applyName != "", Registers: s.register, Copies: s.deepCopy, ApplyExternals: s.applyExternals}
	loaded, err := load.Load(ctx, s.load, s.emitted(), mistakes)
	if err != nil {
		return nil, in, err
	}
	in.HasDeleteWithResult = loaded.ClientGo.HasDeleteWithResult
	named := decide.NamedPackages(loaded.Packages, s.applyPackage)
	if in.GeneratesApply {
		named = append(decide.NamedPackages(loaded.Packages, ""), decide.ApplyPackages(loaded.Packages, s.applyExternals)...)
	}
	if s.register {
		named = append(named, register.NamedPackages(loaded.Packages)...)
		slices.Sort(named)
		named = slices.Compact(named)
	}
	if err := load.Externals(ctx, s.load, named, loaded); err != nil {
		return nil, in, err
	}
	if s.clientset != "" {
		if in.Clientset, err = load.Clientset(ctx, s.load, s.clientset, loaded); err != nil {
			return nil, in, err
		}
	}
	in.Packages, in.Externals = loaded.Packages, loaded.Externals
	in.Manifests, err = manifest.Read(ctx, manifest.Options{Paths: s.crds, Schemas: in.GeneratesApply}, mistakes)
	return loaded, in, err
}

// complete adds what needs the Go types of the kinds to the set: apply configurations, deep copies and
// registrations.
func (s *setup) complete(ctx context.Context, set *model.Set, loaded *load.Result, in decide.Input, mistakes *model.Errors) error {
	if s.applyName == "" && !s.deepCopy && !s.register || mistakes.Len() > 0 || len(in.Packages) == 0 {
		return nil
	}
	if err := s.checkOwnPackages(in.Packages, loaded.TestsOnly); err != nil {
		return err
	}
	kinds := map[model.TypeRef]bool{}
	for _, k := range set.Kinds() {
		kinds[k.Ref()] = true
	}
	loaded.KeepLists(func(ref model.TypeRef) bool { return kinds[ref] })
	if s.applyName != "" || s.deepCopy {
		if err := s.completeTypes(ctx, set, loaded, in, mistakes); err != nil || mistakes.Len() > 0 {
			return err
		}
	}
	if s.register {
		set.Registrations = register.Decide(in.Packages, in.Externals, set, mistakes)
	}
	return nil
}

// completeTypes adds apply configurations and deep copies.
func (s *setup) completeTypes(ctx context.Context, set *model.Set, loaded *load.Result, in decide.Input, mistakes *model.Errors) error {
	declared, err := load.Declared(ctx, s.load, loaded, mistakes)
	if err != nil || mistakes.Len() > 0 {
		return err
	}
	if s.applyName != "" {
		set.Apply = applyconfig.Decide(applyconfig.Input{Types: declared, Packages: in.Packages, Set: set, Externals: s.applyExternals, Dir: s.applyName}, mistakes)
		set.Apply.Schema, err = merge.Decide(ctx, merge.Input{Types: declared, Set: set, Manifests: in.Manifests, OpenAPI: s.openAPI}, mistakes)
	}
	if s.deepCopy {
		set.DeepCopies = deepcopy.Decide(deepcopy.Input{Types: declared, Packages: in.Packages, Set: set}, mistakes)
	}
	return err
}

// nothingLeft returns the error of a run without a kind, with the reasons if packages or types
// were ignored.
func nothingLeft(options Options, loaded *load.Result, reasons []*model.Error, exclude *input.Exclusions) error {
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
	case slices.ContainsFunc(loaded.Packages, func(pkg *input.Package) bool { return options.From.IgnoresMarkers(pkg.Types) }):
		return optionError("From", "no kind to generate for in %s, because {From}=%s ignores the markers there; remove {From}", where, options.From)
	case len(all) > 1:
		all[0] = fmt.Errorf("no kind to generate for in %s; see the reasons below", where)
	case exclude.Any():
		all[0] = optionError("Exclude", "no kind is left to generate for in %s, because of {Exclude}; correct it", where)
	case len(loaded.Packages) > 0 && !slices.ContainsFunc(loaded.Packages, isOwn):
		all[0] = fmt.Errorf("no kind to generate for in %s, because no type there has +genclient or +kubebuilder:object:root=true; %s", where, decide.AliasAdvice(loaded.Packages[0]))
	default:
		all[0] = fmt.Errorf("no kind to generate for in %s; write // +genclient or // +kubebuilder:object:root=true above the type of a kind%s", where, load.OrNested(loaded.Dir)+load.OrIncluded(loaded.Dir, options.Patterns, options.BuildTags))
	}
	return errors.Join(all...)
}

// passedOver returns the packages without a kind and without deep copies. It leaves out apply configurations of
// code-generator, which a pattern such as ./... matches too.
func passedOver(loaded *load.Result, set *model.Set) []string {
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
