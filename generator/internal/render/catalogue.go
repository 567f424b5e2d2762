package render

import (
	"path"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// row is a template and the files that it makes.
type row struct {
	template string
	// each returns the subjects of the files.
	each each
	// path returns the path of a file, relative to the output folder or to the folder of the API package.
	path func(l model.Layout, s subject) string
	// when reports whether there is a file for a subject. It is nil if there always is.
	when func(s subject) bool
}

type each func(*model.Set) []subject

// generated returns the subjects of a file of a clientset. There are none if the clientset exists.
func generated(of each) each {
	return func(set *model.Set) []subject {
		if set.Clientset != nil {
			return nil
		}
		return of(set)
	}
}

// existing returns the subjects of a file that replaces one of a clientset. There are none unless the
// clientset exists.
func existing(of each) each {
	return func(set *model.Set) []subject {
		if set.Clientset == nil {
			return nil
		}
		return of(set)
	}
}

// typed returns the subjects of a file of typed informers.
func typed(of each) each {
	return func(set *model.Set) []subject {
		if set.ClientGo != "" {
			return nil
		}
		return of(set)
	}
}

// asClientGo returns the subjects of a file of informers with the API of client-go.
func asClientGo(of each) each {
	return func(set *model.Set) []subject {
		if set.ClientGo == "" {
			return nil
		}
		return of(set)
	}
}

// catalogue has all emitted files. To emit another one, add a template and a row.
var catalogue = []row{
	{"clientset.go.tmpl", generated(once), func(l model.Layout, _ subject) string { return path.Join(l.Clientset(), "clientset.go") }, nil},
	{"scheme.go.tmpl", generated(once), func(l model.Layout, _ subject) string { return path.Join(l.Scheme(), "register.go") }, nil},
	{"typed_group.go.tmpl", generated(eachVersion), func(l model.Layout, s subject) string { return path.Join(l.Typed(s.GV), s.Group.Dir+"_client.go") }, hasClient},
	{"typed_kind.go.tmpl", generated(eachKind), func(l model.Layout, s subject) string { return path.Join(l.Typed(s.GV), s.Kind.File+".go") }, nil},
	{"typed_fields.go.tmpl", generated(eachKind), func(l model.Layout, s subject) string { return path.Join(l.Typed(s.GV), s.Kind.File+"_fields.go") }, hasFields},
	{"typed_expansion.go.tmpl", generated(eachVersion), func(l model.Layout, s subject) string { return path.Join(l.Typed(s.GV), "generated_expansion.go") }, hasClient},

	{"fake_clientset.go.tmpl", generated(once), func(l model.Layout, _ subject) string { return path.Join(l.FakeClientset(), "clientset_generated.go") }, nil},
	{"fake_server.go.tmpl", generated(once), func(l model.Layout, _ subject) string { return path.Join(l.FakeClientset(), "server_generated.go") }, nil},
	{"fake_register.go.tmpl", generated(once), func(l model.Layout, _ subject) string { return path.Join(l.FakeClientset(), "register.go") }, nil},
	{"fake_group.go.tmpl", generated(eachVersion), func(l model.Layout, s subject) string {
		return path.Join(l.Fake(s.GV), "fake_"+s.Group.Dir+"_client.go")
	}, hasClient},
	{"fake_kind.go.tmpl", generated(eachKind), func(l model.Layout, s subject) string { return path.Join(l.Fake(s.GV), s.Kind.FakeFile+".go") }, nil},

	{"clientgo_lister.go.tmpl", asClientGo(eachKind), func(l model.Layout, s subject) string { return path.Join(l.Listers(s.GV), s.Kind.File+".go") }, hasLister},
	{"clientgo_factory.go.tmpl", asClientGo(once), func(model.Layout, subject) string { return model.FactoryFile }, hasInformer},
	{"clientgo_generic.go.tmpl", asClientGo(once), func(model.Layout, subject) string { return path.Join(model.InformersDir, "generic.go") }, hasInformer},
	{"clientgo_interfaces.go.tmpl", asClientGo(once), func(l model.Layout, _ subject) string { return path.Join(l.Internal(), "factory_interfaces.go") }, hasInformer},
	{"clientgo_group.go.tmpl", asClientGo(eachGroup), func(l model.Layout, s subject) string { return path.Join(l.InformerGroup(s.Group), "interface.go") }, hasInformer},
	{"clientgo_version.go.tmpl", asClientGo(eachVersion), func(l model.Layout, s subject) string { return path.Join(l.Informers(s.GV), "interface.go") }, hasInformer},
	{"clientgo_informer.go.tmpl", asClientGo(eachKind), func(l model.Layout, s subject) string { return path.Join(l.Informers(s.GV), s.Kind.File+".go") }, hasInformer},

	{"lister.go.tmpl", typed(eachInformed), func(l model.Layout, s subject) string { return path.Join(l.Listers(s.GV), s.Kind.File+".go") }, hasLister},
	{"lister_expansion.go.tmpl", eachVersion, func(l model.Layout, s subject) string { return path.Join(l.Listers(s.GV), "expansion_generated.go") }, hasLister},

	{"factory.go.tmpl", typed(once), func(model.Layout, subject) string { return model.FactoryFile }, hasInformer},
	{"factory_generic.go.tmpl", typed(once), func(model.Layout, subject) string { return path.Join(model.InformersDir, "generic.go") }, hasInformer},
	{"factory_interfaces.go.tmpl", typed(once), func(l model.Layout, _ subject) string { return path.Join(l.Internal(), "factory_interfaces.go") }, hasInformer},
	{"informer_group.go.tmpl", typed(eachGroup), func(l model.Layout, s subject) string { return path.Join(l.InformerGroup(s.Group), "interface.go") }, hasInformer},
	{"informer_version.go.tmpl", typed(eachVersion), func(l model.Layout, s subject) string { return path.Join(l.Informers(s.GV), "interface.go") }, hasInformer},
	{"typed_fields.go.tmpl", existing(typed(eachKind)), func(l model.Layout, s subject) string { return path.Join(l.Informers(s.GV), s.Kind.File+"_fields.go") }, func(s subject) bool { return hasInformer(s) && hasFields(s) }},
	{"informer.go.tmpl", typed(eachInformed), func(l model.Layout, s subject) string { return path.Join(l.Informers(s.GV), s.Kind.File+".go") }, hasInformer},

	{"apply_type.go.tmpl", eachApplyType, func(l model.Layout, s subject) string {
		return path.Join(s.Set.Apply.Dir, s.Apply.Dir, s.ApplyType.File+".go")
	}, nil},
	{"apply_utils.go.tmpl", onceForApply, func(l model.Layout, s subject) string { return path.Join(s.Set.Apply.Dir, "utils.go") }, nil},
	{"apply_schema.go.tmpl", onceForApply, func(l model.Layout, s subject) string {
		return path.Join(s.Set.Apply.Dir, model.InternalDir, "schema.go")
	}, nil},
	{"deepcopy.go.tmpl", eachDeepCopy, func(model.Layout, subject) string { return model.DeepCopyFile }, nil},
	{"register.go.tmpl", eachRegistration, func(model.Layout, subject) string { return model.RegisterFile }, nil},
}
