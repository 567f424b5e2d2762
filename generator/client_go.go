package generator

import (
	"github.com/typedinformers/informer-gen/generator/internal/clientgo"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// clientGoOf returns the form of client-go's informers that the options ask for, and that the user's client-go has.
func clientGoOf(run *input.Run, library clientgo.Library) model.ClientGo {
	switch {
	case !run.ClientGo:
		return ""
	case library.HasShardSelectors:
		return model.ClientGoSharded
	case library.HasTypedInformers:
		return model.ClientGoTyped
	case library.HasInformerNames:
		return model.ClientGoNamed
	}
	return model.ClientGoPlain
}

// dropTyped removes from a set what informers with the API of client-go do not have, and warns of it.
func dropTyped(set *model.Set) {
	for _, gv := range set.GroupVersions() {
		for _, view := range gv.Views {
			set.Warnings = append(set.Warnings, model.Errorf(view.Pos, "the view %s has no informer, because --informers=client-go has none of views; remove the marker, or use typed informers", view.Name))
		}
		gv.Views = nil
		for _, k := range gv.Kinds {
			if len(k.Indexes) > 0 {
				set.Warnings = append(set.Warnings, model.Errorf(k.Pos, "the indexes of %s have no effect, because --informers=client-go has none in listers; pass Indexers to the informer, or use typed informers", k.Name))
			}
		}
	}
	model.SortErrors(set.Warnings)
}
