package decide

import (
	"context"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/register"
)

// Decide returns the model of the code to generate for the packages. It leaves out packages without a kind
// or a view. It adds contradictions to errs. The Set is valid only if there are no errors. Its error comes
// from in.Code or ctx.
func Decide(ctx context.Context, in Input, errs *model.Errors) (*model.Set, error) {
	a, err := newAssemblyWithCode(ctx, in, errs)
	if err != nil {
		return nil, err
	}
	set := a.decideKinds()
	if needsTypes(in) && errs.Len() == 0 {
		if err := addTyped(ctx, in, set, errs); err != nil {
			return nil, err
		}
	}
	if in.Register && errs.Len() == 0 {
		set.Registrations = register.Decide(in.Packages, a.externals, set, errs)
	}
	return set, nil
}

// newAssemblyWithCode returns an assembly that knows the packages outside the input, and the clientset that exists.
func newAssemblyWithCode(ctx context.Context, in Input, errs *model.Errors) (a *assembly, err error) {
	a = newAssembly(in, errs)
	if paths := needed(in); len(paths) > 0 {
		if a.externals, err = in.Code.Externals(ctx, paths); err != nil {
			return nil, err
		}
	}
	if in.ClientsetPackage != "" {
		a.clientset, err = in.Code.Clientset(ctx, in.ClientsetPackage)
	}
	return a, err
}
