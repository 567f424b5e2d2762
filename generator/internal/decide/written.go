package decide

import (
	"path"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// addWritten sets which expansions the user has declared, and removes the methods of +kubebuilder:subresource:scale that the
// user has written.
func (a *assembly) addWritten(set *model.Set) {
	hasFile := func(folder string, k *model.Kind) bool {
		return a.Code.HasFile(path.Join(folder, k.ExpansionFile+".go"))
	}
	for _, k := range set.Informed() {
		k.ListerExpanded = hasFile(a.Layout.Listers(k.GroupVersion), k)
	}
	if set.Clientset != nil {
		return
	}
	isOfScale := func(m *model.Method) bool { return m.FromScale }
	for _, k := range set.Kinds() {
		typed := a.Layout.Typed(k.GroupVersion)
		k.ClientExpanded = hasFile(typed, k)
		if slices.ContainsFunc(k.Methods, isOfScale) {
			written := a.Code.MethodsOf(typed, k.PluralPrivate)
			k.Methods = slices.DeleteFunc(k.Methods, func(m *model.Method) bool { return m.FromScale && slices.Contains(written, m.Name) })
		}
	}
}
