package decide

import "github.com/typedinformers/informer-gen/generator/internal/model"

// clientGo returns the form of client-go's informers that the user asks for, and that the user's client-go has.
func (a *assembly) clientGo() model.ClientGo {
	switch {
	case !a.ClientGo:
		return ""
	case a.Library.HasShardSelectors:
		return model.ClientGoSharded
	case a.Library.HasTypedInformers:
		return model.ClientGoTyped
	case a.Library.HasInformerNames:
		return model.ClientGoNamed
	}
	return model.ClientGoPlain
}

// dropTyped removes views and warns of indexes, because informers with the API of client-go have neither.
func (a *assembly) dropTyped(set *model.Set) {
	for _, gv := range set.GroupVersions() {
		for _, view := range gv.Views {
			a.warn(view.Pos, "the view %s has no informer, because --informers=client-go has none of views; "+
				"remove the marker, or use typed informers", view.Name)
		}
		gv.Views = nil
		for _, k := range gv.Kinds {
			if len(k.Indexes) > 0 {
				a.warn(k.Pos, "the indexes of %s have no effect, because --informers=client-go has none in listers; "+
					"pass Indexers to the informer, or use typed informers", k.Name)
			}
		}
	}
}
