package decide

import (
	"context"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/applyconfig"
	"github.com/typedinformers/informer-gen/generator/internal/deepcopy"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/merge"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// needsTypes reports whether the run generates code for which the types of fields matter. Deep copies are written to packages
// of the main module only.
func needsTypes(in Input) bool {
	isOwn := func(pkg *input.Package) bool { return !pkg.Dependency }
	return len(in.Packages) > 0 && in.GeneratesApply() || in.DeepCopy && slices.ContainsFunc(in.Packages, isOwn)
}

// addTyped adds the apply configurations and the deep copies to the set, which has the kinds.
func addTyped(ctx context.Context, in Input, set *model.Set, errs *model.Errors) error {
	kinds := map[model.TypeRef]bool{}
	for _, k := range set.Kinds() {
		kinds[k.Ref()] = true
	}
	types, err := in.Code.Types(ctx, func(ref model.TypeRef) bool { return kinds[ref] }, errs)
	if err != nil || errs.Len() > 0 {
		return err
	}
	if in.GeneratesApply() {
		set.Apply = applyconfig.Decide(applyconfig.Input{Run: in.Run, Types: types, Packages: in.Packages, Set: set}, errs)
		set.Apply.Schema, err = merge.Decide(ctx, merge.Input{Run: in.Run, Types: types, Set: set, Manifests: in.Manifests}, errs)
	}
	if in.DeepCopy {
		set.DeepCopies = deepcopy.Decide(deepcopy.Input{Types: types, Packages: in.Packages, Set: set}, errs)
	}
	return err
}
