package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// sample returns a Set that executes every branch of the templates. Each name that comes from the
// input contains zebra, gnu or yak, in any case.
func sample() *model.Set {
	const apply = "example.com/applyyak"
	group := &model.Group{Name: "yak.example.com", Dir: "yak", Package: "yak", GoName: "Yak", GoPrivate: "yak"}
	version := func(name, variable string, kinds ...*model.Kind) *model.GroupVersion {
		upper := strings.ToUpper(name)
		gv := &model.GroupVersion{Group: group, Version: name, Dir: name, GoVersion: upper, Alias: "yak" + name, Kinds: kinds}
		gv.Packages = []*model.Package{{GroupVersion: gv, Path: "example.com/yak/" + name, SchemeGroupVersion: variable, RegistersTypes: variable == ""}}
		for _, k := range kinds {
			k.GroupVersion, k.Package = gv, gv.Packages[0]
		}
		group.Versions = append(group.Versions, gv)
		return gv
	}
	kind := func(name string, namespaced bool, verbs ...model.Verb) *model.Kind {
		lower := strings.ToLower(name)
		return &model.Kind{
			Name: name, Private: lower, Param: lower, Plural: name + "s", PluralPrivate: lower + "s", Resource: lower + "s",
			File: lower, FakeFile: "fake_" + lower, ExpansionFile: lower + "_expansion", Namespaced: namespaced, Verbs: verbs,
			Summary: name + " is an animal", Deprecated: []string{"Deprecated: it is extinct."},
		}
	}
	text := model.ValueType{Basic: "string"}
	field := func(value model.ValueType, ops ...model.StepOp) *model.Field {
		f := &model.Field{Value: value}
		for _, op := range ops {
			f.Steps = append(f.Steps, model.Step{Op: op, Name: "Zebra"})
		}
		return f
	}
	everything := slices.Concat(model.Verbs, model.ApplyVerbs)

	zebra := kind("Zebra", true, everything...)
	zebra.Apply = model.TypeRef{Path: apply + "/yak/v1", Name: "ZebraApplyConfiguration"}
	for _, verb := range model.MethodVerbs {
		scale := model.TypeRef{Path: "example.com/yakscale/v1", Name: "ZebraScale"}
		name := "Zebra" + strings.ToUpper(string(verb))
		zebra.Methods = append(zebra.Methods,
			&model.Method{Name: name, Verb: verb, Input: scale, Result: scale},
			&model.Method{Name: name + "Part", Verb: verb, Subresource: "yakpart", Input: scale, Result: scale})
	}
	zebra.Indexes = []*model.Index{
		{Name: "byZebra", Method: "ByZebra", Path: "yak", Field: field(text, model.StepField, model.StepPointer, model.StepField)},
		{Name: "byGnu", Method: "ByGnu", Path: "gnu[*]", Field: field(
			model.ValueType{Basic: "int32", Named: model.TypeRef{Path: "example.com/yak/v1", Name: "Yak"}, Defined: true},
			model.StepField, model.StepEach, model.StepEach)},
		{Name: "byYak", Method: "ByYak", Path: "yak[gnu]", Field: field(model.ValueType{Basic: "bool"}, model.StepField, model.StepKey)},
	}
	zebra.SelectableFields = []*model.SelectableField{{GoName: "Zebra", Path: "yak", Value: text, Pos: token.Position{Line: 1}}}
	zebra.Served = model.Served{
		Singular: "zebra", ShortNames: []string{"zebra", "gnu"}, Categories: []string{"yak"}, Status: true,
		Scale: &model.Scale{SpecReplicasPath: ".yak", StatusReplicasPath: ".gnu", SelectorPath: ".zebra"},
	}
	zebra.Protobuf = true
	gnu := kind("Gnu", false, everything...)
	gnu.Apply, gnu.ListForm = zebra.Apply, model.ListForm{ItemsArePointers: true, Meta: model.ListMetaMethods}
	view, elsewhere := kind("ZebraView", true, "list", "watch"), kind("GnuView", true, "list", "watch")
	view.View = &model.View{Of: model.TypeRef{Path: "example.com/yak/v1", Name: "Zebra"}, Kind: zebra, Group: group.Name, Version: "v1"}
	elsewhere.View = &model.View{Of: model.TypeRef{Path: "example.com/yak/v3", Name: "Gnu"}, Group: group.Name, Version: "v3"}
	elsewhere.Protobuf = true
	v1 := version("v1", "SchemeGroupVersion", zebra, gnu)
	v1.Views = []*model.Kind{view, elsewhere}
	view.GroupVersion, elsewhere.GroupVersion = v1, v1
	view.Package, elsewhere.Package = v1.Packages[0], v1.Packages[0]
	version("v2", "", kind("Zebra", true, everything...)).Kinds[0].Apply = zebra.Apply
	return &model.Set{
		Layout:        model.Layout{OutputPackage: "example.com/yakout", ClientsetName: "yakset"},
		DiscoveryType: "DiscoveryInterface", KeepsSerializer: true,
		Groups: []*model.Group{group}, ApplyPackage: apply,
		DeepCopies: []*model.DeepCopy{sampleCopies()}, Registrations: sampleRegistrations(), Apply: sampleApply(zebra, gnu),
	}
}

// sampleRegistrations returns a registration for every way to register types.
func sampleRegistrations() []*model.Registration {
	var all []*model.Registration
	for _, builder := range []model.Builder{model.FuncBuilder, model.ObjectBuilder, model.AddToSchemeBuilder} {
		all = append(all, &model.Registration{
			APIPackage: model.APIPackage{Path: "example.com/" + string(builder), Name: "yak", Dir: "/" + string(builder)},
			Group:      "yak.example.com", Version: "v1", GroupVersion: "ZebraGroupVersion",
			WritesGroupName: builder == model.FuncBuilder, WritesGroupVersion: true, WritesKind: true, WritesResource: true,
			WritesBuilder: builder == model.FuncBuilder, WritesAddToScheme: true, Builder: builder, Types: []string{"Gnu", "Zebra", "ZebraList"}, Renamed: []string{"Gnu"},
			Lists: []*model.MissingList{
				{Kind: "Zebra", Name: "ZebraList", Plural: "Zebras", WritesCopy: true, CopiesInto: true},
				{Kind: "Gnu", Name: "GnuList", Plural: "Gnus", WritesCopy: true},
			},
		})
	}
	return append(all, &model.Registration{
		APIPackage: model.APIPackage{Path: "example.com/renamed", Name: "yak", Dir: "/renamed"},
		Group:      "yak.example.com", Version: "v1", GroupVersion: "ZebraGroupVersion", Builder: model.ObjectBuilder, Types: []string{"Gnu"}, Renamed: []string{"Gnu"},
	})
}

// sampleApply returns apply configurations with fields and methods of all forms.
func sampleApply(zebra, gnu *model.Kind) *model.Apply {
	ref := model.TypeRef{Path: "example.com/yak/v1", Name: "Gnu"}
	named := model.GoType{{Text: "[]", Ref: ref}}
	direct, pointer := &model.ApplyEmbedded{Name: "Zebra"}, &model.ApplyEmbedded{Name: "Gnu", IsPointer: true}
	t := func(name string, k *model.Kind) *model.ApplyType {
		return &model.ApplyType{
			Of: ref, Name: name, File: strings.ToLower(name), Kind: k, HasTypeMeta: true, Doc: []string{"Zebra.", "", "Gnu."},
			Fields: []model.ApplyField{{Type: model.GoType{{Text: "*", Ref: ref}}}, {Name: "Gnu", Type: model.GoType{{Text: "string"}}, Tag: "gnu", Doc: []string{"Gnu."}}},
			Setters: []model.ApplySetter{
				{Field: "Zebra1", Form: model.ApplySet, Argument: named},
				{Field: "Zebra2", Form: model.ApplyAddress, Argument: named},
				{Field: "Zebra3", Form: model.ApplyAppend, Argument: named},
				{Field: "Zebra4", Form: model.ApplyAppendElements, Argument: named},
				{Field: "Zebra5", Form: model.ApplyAppendThrough, Argument: named},
				{Field: "Zebra6", Form: model.ApplyPut, Argument: model.GoType{{Text: "map[string]"}, {Ref: ref}}},
				{Field: "Zebra7", Form: model.ApplyPut, Argument: model.GoType{{Text: "map[string]string"}}, Through: direct},
				{Field: "Zebra8", Form: model.ApplyAppend, Argument: named, Through: pointer},
			},
			Getters: []model.ApplyGetter{{Field: "Zebra1"}, {Field: "Zebra7", Through: direct}, {Field: "Zebra8", Through: pointer, IsNested: true}},
		}
	}
	kind, cluster, part := t("Zebra", zebra), t("Gnu", gnu), t("ZebraPart", nil)
	kind.SchemaName, cluster.SchemaName = "yak.Zebra", "yak.Gnu"
	kind.Subresources = []model.ApplySubresource{{Name: "yak", GoName: "Yak"}}
	parts := &model.ApplyPackage{Path: "example.com/yakparts", Dir: "example.com/yakparts", Types: []*model.ApplyType{t("GnuPart", nil)}}
	return &model.Apply{Dir: model.ApplyRoot, Schema: sampleSchema(), Packages: []*model.ApplyPackage{
		{Path: ref.Path, Dir: "yak/v1", GroupVersion: zebra.GroupVersion, Types: []*model.ApplyType{kind, cluster, part}}, parts,
	}}
}

// sampleSchema returns a schema with types of all forms.
func sampleSchema() *model.Schema {
	gnu := model.SchemaRef{Named: "yak.Gnu"}
	atoms := []model.SchemaAtom{
		{Scalar: "string"}, {Scalar: "numeric"}, {Scalar: "boolean"}, {Scalar: "untyped"},
		{List: &model.SchemaList{Element: gnu, Relationship: model.Atomic}},
		{List: &model.SchemaList{Element: gnu, Relationship: model.Associative}},
		{List: &model.SchemaList{Element: gnu, Relationship: model.Associative, Keys: []string{"gnu"}}},
		{Map: &model.SchemaMap{Element: &gnu, Relationship: model.Separable}},
		{Map: &model.SchemaMap{Fields: []model.SchemaField{{Name: "gnu", Type: gnu, Default: `"gnu"`}}, Element: &gnu, Relationship: model.Atomic}},
	}
	all := model.SchemaAtom{Scalar: "untyped", List: atoms[4].List, Map: atoms[7].Map}
	schema := &model.Schema{Types: []model.SchemaType{{Name: "yak.All", Atom: all}}}
	for _, relationship := range []model.Relationship{"", model.Atomic, model.Separable} {
		element := gnu
		element.Relationship = relationship
		atoms = append(atoms, model.SchemaAtom{Map: &model.SchemaMap{Element: &element, Relationship: model.Separable}})
	}
	for _, atom := range atoms {
		schema.Types = append(schema.Types, model.SchemaType{Name: "yak.Gnu", Atom: atom})
	}
	return schema
}

// sampleCopies returns deep copies with every sort of copy.
func sampleCopies() *model.DeepCopy {
	slice := &model.Copy{Op: model.CopySlice}
	for range 3 {
		slice = &model.Copy{Op: model.CopySlice, Elem: slice}
	}
	body := &model.Copy{Op: model.CopyFields}
	for _, copied := range []*model.Copy{
		slice,
		{Op: model.CopyMap}, {Op: model.CopyMap, Type: model.GoType{{Text: "map[string]", Ref: model.TypeRef{Path: "example.com/gnu", Name: "Gnu"}}}, Elem: &model.Copy{Op: model.CopyInto}},
		{Op: model.CopyPointer}, {Op: model.CopyByCall, Method: "DeepCopyYak", Guarded: true, Indirect: true},
	} {
		body.Fields = append(body.Fields, model.CopiedField{Name: "Zebra", Copy: copied})
	}
	return &model.DeepCopy{
		APIPackage: model.APIPackage{Path: "example.com/yak/v1", Name: "v1", Dir: "/yak/v1"},
		Types: []*model.CopiedType{
			{Name: "Zebra", Into: body, NeedsDeepCopy: true, Interfaces: []model.CopiedInterface{
				{Interface: model.TypeRef{Path: "example.com/yak", Name: "Zebra"}}, {Interface: model.TypeRef{Path: "example.com/yak", Name: "Gnu"}, ByValue: true},
			}},
			{Name: "Zebras", IsReference: true, Into: slice, NeedsDeepCopy: true},
		},
	}
}

// rendered is a file of the sample.
type rendered struct {
	*file
	text string
	ast  *ast.File
}

func renderSample(t *testing.T) []rendered {
	t.Helper()
	parsed, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	var all []rendered
	var sources []*file
	for _, form := range []model.ClientGo{"", model.ClientGoPlain, model.ClientGoNamed, model.ClientGoTyped, model.ClientGoSharded} {
		set := sample()
		set.ClientGo = form
		for _, f := range sourcesOf(set) {
			if form == "" || strings.HasPrefix(f.template, "clientgo_") {
				sources = append(sources, f)
			}
		}
	}
	for _, f := range sources {
		content, err := f.render(parsed.Lookup(f.template), nil)
		if err != nil {
			t.Fatal(err)
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.path, content, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rendered{f, string(content), syntax})
	}
	return all
}

// TestSample checks that the files of the sample contain all text of the templates, so that TestReserved
// and TestLocals see every name.
func TestSample(t *testing.T) {
	var all strings.Builder
	for _, f := range renderSample(t) {
		all.WriteString(f.text)
	}
	parsed, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	for _, tmpl := range parsed.Templates() {
		if tmpl.Tree == nil || tmpl.Name() == "aliases.go.tmpl" { // the user's own file, of which nothing is reserved
			continue
		}
		eachText(tmpl.Root, func(text string) {
			words := strings.Fields(" x" + text + "x ")
			for _, word := range words[1:max(len(words)-1, 1)] { // the others may go on in an action
				if !strings.Contains(all.String(), word) {
					t.Errorf("%s: no file of the sample has the text %q", tmpl.Name(), word)
				}
			}
		})
	}
}

func eachText(node parse.Node, do func(string)) {
	branch := func(n *parse.BranchNode) {
		eachText(n.List, do)
		if n.ElseList != nil {
			eachText(n.ElseList, do)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, n := range n.Nodes {
			eachText(n, do)
		}
	case *parse.TextNode:
		do(string(n.Text))
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}

// isInput reports whether a name comes from the sample.
func isInput(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "zebra") || strings.Contains(lower, "gnu") || strings.Contains(lower, "yak")
}

// TestReserved compares Reserved with the files of the sample.
func TestReserved(t *testing.T) {
	var want model.Reserved
	members := map[string]map[string]bool{} // by package and type
	for _, f := range renderSample(t) {
		addMembers(members, path.Dir(f.path), f.ast)
	}
	of := func(types ...string) []string {
		all := map[string]bool{}
		for _, name := range types {
			if members[name] == nil {
				t.Errorf("no template declares the type %s", name)
			}
			maps.Copy(all, members[name])
		}
		return slices.Sorted(maps.Keys(all))
	}
	const typed, fake, listers, version = "clientset/yakset/typed/yak/v1.", "clientset/yakset/typed/yak/v1/fake.", "listers/yak/v1.", model.InformersDir + "/yak/v1."
	want.Group = of(model.InformersDir+".SharedInformerFactory", model.InformersDir+".sharedInformerFactory")
	want.Index = of(listers+"ZebraLister", listers+"zebraLister", listers+"GnuLister", listers+"gnuLister", listers+"ZebraNamespaceLister", listers+"zebraNamespaceLister")
	want.Plural = of(listers+"ZebraLister", listers+"zebraLister", listers+"GnuLister", listers+"gnuLister",
		typed+"YakV1Interface", typed+"YakV1Client", fake+"FakeYakV1", version+"Interface", version+"version")
	isOther := func(name string) bool { // which addMethods compares with the kind's
		verb := model.Verb(strings.ToLower(name[:1]) + name[1:])
		return slices.Contains(model.Verbs, verb) || slices.Contains(model.ApplyVerbs, verb) || strings.HasSuffix(name, "ClientWithListAndApply")
	}
	want.Method = slices.DeleteFunc(of(typed+"zebras", typed+"ZebraInterface", fake+"fakeZebras"), isOther)

	uses, params, kindDirs, others := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range renderSample(t) {
		if strings.HasPrefix(f.template, "typed_") {
			maps.Copy(uses, qualifiers(f.ast))
			ast.Inspect(f.ast, func(n ast.Node) bool { addScope(uses, params, n); return true })
		}
		if f.Kind != nil {
			kindDirs[path.Dir(f.path)] = true
		}
	}
	for _, f := range renderSample(t) {
		if name := strings.TrimSuffix(path.Base(f.path), ".go"); f.Kind == nil && kindDirs[path.Dir(f.path)] {
			others[name] = true
		}
		if dir := path.Dir(f.path); path.Dir(dir) == model.InformersDir && !isInput(path.Base(dir)) {
			want.GroupDir = append(want.GroupDir, path.Base(dir))
		}
	}
	want.GroupDir = slices.Compact(want.GroupDir)
	want.PluralPrivate, want.Param, want.File = fromTemplates(uses), fromTemplates(params), fromTemplates(others)

	got := model.ReservedNames()
	for _, list := range []struct {
		name      string
		got, want []string
	}{
		{"Group", got.Group, want.Group}, {"Plural", got.Plural, want.Plural}, {"Index", got.Index, want.Index}, {"Method", got.Method, want.Method},
		{"PluralPrivate", got.PluralPrivate, want.PluralPrivate}, {"Param", got.Param, want.Param}, {"File", got.File, want.File}, {"GroupDir", got.GroupDir, want.GroupDir},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Errorf("model.ReservedNames().%s is\n%q, but the templates have\n%q", list.name, list.got, list.want)
		}
	}
}

func fromTemplates(names map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), isInput)
}

// addMembers adds the exported members of each type that a file declares: fields, methods, and the
// names that functions select from a receiver or a parameter of the type.
func addMembers(members map[string]map[string]bool, dir string, f *ast.File) {
	add := func(typeName, member string) {
		if key := dir + "." + typeName; token.IsExported(member) && !isInput(member) {
			if members[key] == nil {
				members[key] = map[string]bool{}
			}
			members[key][member] = true
		}
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					if members[dir+"."+spec.Name.Name] == nil {
						members[dir+"."+spec.Name.Name] = map[string]bool{}
					}
					for _, field := range fieldsOf(spec.Type) {
						if len(field.Names) == 0 {
							add(spec.Name.Name, baseName(field.Type))
						}
						for _, name := range field.Names {
							add(spec.Name.Name, name.Name)
						}
					}
				}
			}
		case *ast.FuncDecl:
			typeOf := map[string]string{}
			var lists []*ast.Field
			if decl.Recv != nil {
				lists = slices.Clone(decl.Recv.List)
				add(baseName(decl.Recv.List[0].Type), decl.Name.Name)
			}
			for _, field := range append(lists, decl.Type.Params.List...) {
				if isQualified(field.Type) {
					continue // a type of another package may have the same name
				}
				for _, name := range field.Names {
					typeOf[name.Name] = baseName(field.Type)
				}
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := selector.X.(*ast.Ident); ok && typeOf[x.Name] != "" {
						add(typeOf[x.Name], selector.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func fieldsOf(expr ast.Expr) []*ast.Field {
	switch t := expr.(type) {
	case *ast.StructType:
		return t.Fields.List
	case *ast.InterfaceType:
		return t.Methods.List
	}
	return nil
}

// isQualified reports whether a type, or the type that it points to, is of another package.
func isQualified(expr ast.Expr) bool {
	if pointer, ok := expr.(*ast.StarExpr); ok {
		expr = pointer.X
	}
	_, qualified := expr.(*ast.SelectorExpr)
	return qualified
}

// baseName returns the name of a type without its package, pointers and arguments.
func baseName(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return baseName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.IndexExpr:
		return baseName(t.X)
	case *ast.IndexListExpr:
		return baseName(t.X)
	}
	return ""
}

// addScope adds to uses the parameters of a function that makes a typed client, and to params those
// next to one that is named after a kind.
func addScope(uses, params map[string]bool, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if strings.HasPrefix(n.Name.Name, "new") {
			for _, field := range n.Type.Params.List {
				uses[field.Names[0].Name] = true
			}
		}
	case *ast.FuncType:
		names := map[string]bool{}
		for _, field := range n.Params.List {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
		if names["zebra"] {
			maps.Copy(params, names)
		}
	}
}

// TestLocals checks that no package gets the name of something else in scope, and that a template declares
// each name in locals.
func TestLocals(t *testing.T) {
	files := renderSample(t)
	private, stale := map[string][]string{}, maps.Clone(locals)
	for _, f := range files {
		for _, name := range f.declared {
			delete(stale, name)
			if !token.IsExported(name) {
				private[path.Dir(f.path)] = append(private[path.Dir(f.path)], name)
			}
		}
	}
	for _, f := range files {
		named := map[string]bool{} // the packages whose names are chosen
		for _, spec := range f.ast.Imports {
			if strings.HasPrefix(spec.Path.Value, `"example.com/`) {
				named[path.Base(strings.Trim(spec.Path.Value, `"`))] = true
				if spec.Name != nil {
					named[spec.Name.Name] = true
				}
			}
		}
		check := func(name, where string) {
			if f.imports.isFree(name) && !isInput(name) {
				t.Errorf("%s: a package may be called %s, which %s declares; add it to locals", f.template, name, where)
			}
		}
		if len(named) > 0 {
			for _, name := range private[path.Dir(f.path)] {
				check(name, "the package")
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			var body *ast.BlockStmt
			var names []string
			switch n := n.(type) {
			case *ast.FuncDecl:
				body, names = n.Body, declaredIn(n.Body, n.Recv, n.Type.Params, n.Type.Results)
			case *ast.FuncLit:
				body, names = n.Body, declaredIn(n.Body, n.Type.Params, n.Type.Results)
			default:
				return true
			}
			for _, name := range names {
				delete(stale, name)
				if usesPackage(body, named) {
					check(name, "a function")
				}
			}
			return true
		})
	}
	if len(stale) > 0 {
		t.Errorf("locals has %q, which no template declares", slices.Sorted(maps.Keys(stale)))
	}
}

// declaredIn returns the names that a function declares, without those of functions in it.
func declaredIn(body *ast.BlockStmt, lists ...*ast.FieldList) []string {
	var names []string
	add := func(exprs ...ast.Expr) {
		for _, expr := range exprs {
			if ident, ok := expr.(*ast.Ident); ok && ident.Name != "_" {
				names = append(names, ident.Name)
			}
		}
	}
	for _, list := range lists {
		if list != nil {
			for _, field := range list.List {
				for _, name := range field.Names {
					add(name)
				}
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			add(n.Key, n.Value)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name)
			}
		}
		return true
	})
	return names
}

func usesPackage(body *ast.BlockStmt, named map[string]bool) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && named[x.Name] {
				found = true
			}
		}
		return !found
	})
	return found
}

// TestLayout checks that each file is in a root, and that its path has its group version.
func TestLayout(t *testing.T) {
	for _, f := range renderSample(t) {
		if f.dir() != "" {
			continue // in an API package
		}
		root, _, _ := strings.Cut(f.path, "/")
		if !slices.Contains(model.Roots(""), root) {
			t.Errorf("%s is in none of %v", f.path, model.Roots(""))
		}
		want := ""
		if f.GV != nil {
			want = f.GV.Folders()
		}
		if got := model.FoldersOf(f.path); got != want {
			t.Errorf("%s is of the group version %q, want %q", f.path, got, want)
		}
	}
}
