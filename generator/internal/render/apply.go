package render

import (
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// GoType returns an expression for a type.
func (f *file) GoType(t model.GoType) code {
	var b strings.Builder
	for _, part := range t {
		b.WriteString(part.Text)
		if part.Ref.IsZero() {
			continue
		}
		if qualifier := f.qualifier(part.Ref); qualifier != "" {
			b.WriteString(qualifier)
			b.WriteByte('.')
		}
		b.WriteString(f.name(part.Ref.Name))
	}
	return f.typeExpression(b.String())
}

// qualifier returns the name of the package of a type, or "" if that is the package of the file.
func (f *file) qualifier(ref model.TypeRef) string {
	own := path.Join(f.Set.Layout.OutputPackage, path.Dir(f.path))
	if api := f.api(); api != nil {
		own = api.Path
	}
	if ref.Path == own || ref.Path == "" {
		return ""
	}
	if name, ok := f.imports.names[ref.Path]; ok {
		return name
	}
	name, _, _ := strings.Cut(f.Type(ref), ".")
	return name
}

// applyVersion is a group version, and the types of its packages that have apply configurations.
type applyVersion struct {
	GroupVersion *model.GroupVersion
	Types        []packagedApplyType
}

// packagedApplyType is a type, and the package of the types around it.
type packagedApplyType struct {
	*model.ApplyType
	Package *model.ApplyPackage
}

// ApplyVersions returns the group versions whose types have apply configurations. If types in two packages have
// the same name, it has the one that is a kind, or else the first one.
func (f *file) ApplyVersions() []*applyVersion {
	var all []*applyVersion
	for _, pkg := range f.Set.Apply.Packages {
		if pkg.GroupVersion == nil {
			continue
		}
		at := slices.IndexFunc(all, func(v *applyVersion) bool { return v.GroupVersion == pkg.GroupVersion })
		if at < 0 {
			at, all = len(all), append(all, &applyVersion{GroupVersion: pkg.GroupVersion})
		}
		for _, t := range pkg.Types {
			all[at].add(packagedApplyType{t, pkg})
		}
	}
	return all
}

func (v *applyVersion) add(t packagedApplyType) {
	at := slices.IndexFunc(v.Types, func(other packagedApplyType) bool { return other.Name == t.Name })
	switch {
	case at < 0:
		v.Types = append(v.Types, t)
	case v.Types[at].Kind == nil && t.Kind != nil:
		v.Types[at] = t
	}
}

// APIVersion returns the API version of the objects of gv.
func (f *file) APIVersion(gv *model.GroupVersion) string {
	return strings.TrimPrefix(gv.Group.Name+"/"+gv.Version, "/")
}

// ApplyInternal returns the package that the apply configurations share.
func (f *file) ApplyInternal() string {
	return f.emitted(path.Join(f.Set.Apply.Dir, model.ApplyInternalDir), "internal", "applyinternal")
}

// ApplyRoot returns the package with the converter for the schemas of the kinds.
func (f *file) ApplyRoot() string {
	return f.emitted(f.Set.Apply.Dir, path.Base(f.Set.Apply.Dir), "apply"+path.Base(f.Set.Apply.Dir))
}

// ApplyConfigs returns the package of the apply configurations of the types of an API package.
func (f *file) ApplyConfigs(of *model.ApplyPackage) string {
	importPath := path.Join(f.Set.ApplyPackage, of.Dir)
	alias := "apply" + externalAlias(importPath)
	return f.imports.use(importPath, alias, "other"+alias)
}
