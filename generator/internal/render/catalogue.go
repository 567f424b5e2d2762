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
	// folder returns the folder of a file, relative to the output folder or to the folder of the API package, and name the name
	// in it.
	folder, name func(s subject) string
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

// existing returns the subjects of a file that replaces a file of a clientset. There are none unless
// the clientset exists.
func existing(of each) each {
	return func(set *model.Set) []subject {
		if set.Clientset == nil {
			return nil
		}
		return of(set)
	}
}

// asTyped returns the subjects of a file of typed informers.
func asTyped(of each) each {
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
	{"clientset.go.tmpl", generated(once), clientset, named("clientset.go"), nil},
	{"scheme.go.tmpl", generated(once), scheme, named("register.go"), nil},
	{"typed_group.go.tmpl", generated(eachVersion), typed, ofGroup("", "_client.go"), hasClient},
	{"typed_kind.go.tmpl", generated(eachKind), typed, ofKind(".go"), nil},
	{"typed_fields.go.tmpl", generated(eachKind), typed, ofKind("_fields.go"), hasFields},
	{"typed_expansion.go.tmpl", generated(eachVersion), typed, named("generated_expansion.go"), hasClient},

	{"fake_clientset.go.tmpl", generated(once), fakeClientset, named("clientset_generated.go"), nil},
	{"fake_server.go.tmpl", generated(once), fakeClientset, named("server_generated.go"), nil},
	{"fake_register.go.tmpl", generated(once), fakeClientset, named("register.go"), nil},
	{"fake_group.go.tmpl", generated(eachVersion), fake, ofGroup("fake_", "_client.go"), hasClient},
	{"fake_kind.go.tmpl", generated(eachKind), fake, func(s subject) string { return s.Kind.FakeFile + ".go" }, nil},

	{"clientgo_lister.go.tmpl", asClientGo(eachKind), listers, ofKind(".go"), hasLister},
	{"clientgo_factory.go.tmpl", asClientGo(once), at(model.InformersDir), named(model.FactoryFile), hasInformer},
	{"clientgo_generic.go.tmpl", asClientGo(once), at(model.InformersDir), named("generic.go"), hasInformer},
	{"clientgo_interfaces.go.tmpl", asClientGo(once), internal, named("factory_interfaces.go"), hasInformer},
	{"clientgo_group.go.tmpl", asClientGo(eachGroup), informerGroup, named("interface.go"), hasInformer},
	{"clientgo_version.go.tmpl", asClientGo(eachVersion), informers, named("interface.go"), hasInformer},
	{"clientgo_informer.go.tmpl", asClientGo(eachKind), informers, ofKind(".go"), hasInformer},

	{"lister.go.tmpl", asTyped(eachInformed), listers, ofKind(".go"), hasLister},
	{"lister_expansion.go.tmpl", eachVersion, listers, named("expansion_generated.go"), hasLister},

	{"factory.go.tmpl", asTyped(once), at(model.InformersDir), named(model.FactoryFile), hasInformer},
	{"factory_generic.go.tmpl", asTyped(once), at(model.InformersDir), named("generic.go"), hasInformer},
	{"factory_interfaces.go.tmpl", asTyped(once), internal, named("factory_interfaces.go"), hasInformer},
	{"informer_group.go.tmpl", asTyped(eachGroup), informerGroup, named("interface.go"), hasInformer},
	{"informer_version.go.tmpl", asTyped(eachVersion), informers, named("interface.go"), hasInformer},
	{"typed_fields.go.tmpl", existing(asTyped(eachKind)), informers, ofKind("_fields.go"), hasInformerWithFields},
	{"informer.go.tmpl", asTyped(eachInformed), informers, ofKind(".go"), hasInformer},

	{"apply_type.go.tmpl", eachApplyType, applyTypes, func(s subject) string { return s.ApplyType.File + ".go" }, nil},
	{"apply_utils.go.tmpl", onceForApply, applyRoot, named("utils.go"), nil},
	{"apply_schema.go.tmpl", onceForApply, applyInternal, named("schema.go"), nil},
	{"deepcopy.go.tmpl", eachDeepCopy, at(""), named(model.DeepCopyFile), nil},
	{"register.go.tmpl", eachRegistration, at(""), named(model.RegisterFile), nil},
}

func at(folder string) func(subject) string { return func(subject) string { return folder } }

func clientset(s subject) string     { return s.Set.Layout.Clientset() }
func fakeClientset(s subject) string { return s.Set.Layout.FakeClientset() }
func scheme(s subject) string        { return s.Set.Layout.Scheme() }
func typed(s subject) string         { return s.Set.Layout.Typed(s.GV) }
func fake(s subject) string          { return s.Set.Layout.Fake(s.GV) }
func listers(s subject) string       { return s.Set.Layout.Listers(s.GV) }
func internal(s subject) string      { return s.Set.Layout.Internal() }
func informerGroup(s subject) string { return s.Set.Layout.InformerGroup(s.Group) }
func informers(s subject) string     { return s.Set.Layout.Informers(s.GV) }
func applyRoot(s subject) string     { return s.Set.Apply.Dir }
func applyInternal(s subject) string { return path.Join(s.Set.Apply.Dir, model.ApplyInternalDir) }
func applyTypes(s subject) string    { return path.Join(s.Set.Apply.Dir, s.Apply.Dir) }

func named(name string) func(subject) string { return func(subject) string { return name } }

// ofKind returns the name of a file that begins with the name of a kind.
func ofKind(end string) func(subject) string {
	return func(s subject) string { return s.Kind.File + end }
}

// ofGroup returns the name of a file that has the folder of a group in it.
func ofGroup(begin, end string) func(subject) string {
	return func(s subject) string { return begin + s.Group.Dir + end }
}
