package deepcopy

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Names of the markers of controller-gen and of deepcopy-gen.
const (
	generateMarker      = "kubebuilder:object:generate"
	rootMarker          = "kubebuilder:object:root"
	enabledMarker       = "k8s:deepcopy-gen"
	interfacesMarker    = "k8s:deepcopy-gen:interfaces"
	nonPointerMarker    = "k8s:deepcopy-gen:nonpointer-interfaces"
	objectInterfaceName = "Object"
)

// object is the interface of all API objects.
var object = model.TypeRef{Path: "k8s.io/apimachinery/pkg/runtime", Name: objectInterfaceName}

// choice is the deep copy that markers choose: nothing, on, or off.
type choice int

const (
	unset choice = iota
	on
	off
)

// plan plans the methods of the types of a package.
func (d *decision) plan(pkg *input.Package, reached map[*types.TypeName]bool) {
	checked := d.Types.Packages[pkg.Path]
	if checked == nil {
		return
	}
	inPackage := d.packageChoice(pkg)
	for _, name := range checked.Scope().Names() {
		declared, ok := checked.Scope().Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() || !declared.Exported() {
			continue
		}
		read := d.readType(declared)
		isObject := d.objects[declared] || read.isObject
		enabled := cmp.Or(read.enabled, inPackage)
		if enabled == unset && (isObject || reached[declared]) {
			enabled = on
		}
		found := d.methodsOf(declared)
		switch {
		case enabled != on && d.objects[declared] && !found.has("DeepCopyObject"):
			d.errs.Add(d.Types.Position(declared), "kind %s needs the method DeepCopyObject, but a marker turns its deep copy off; "+
				"remove +%s=false or +%s=false, or write the method", name, generateMarker, enabledMarker)
			continue
		case enabled != on:
			continue
		case !canHaveMethods(declared) && !found.any():
			if read.enabled == on {
				d.errs.Add(read.pos, "type %s has a marker for deep copies, but it is %s; remove the marker", name, sort(declared.Type()))
			}
			continue
		}
		if isObject {
			read.interfaces = append(read.interfaces, model.CopiedInterface{Interface: object, ByValue: isReference(declared.Type())})
		}
		d.planned[declared] = &plan{name: declared, methods: found, interfaces: found.missing(read.interfaces)}
	}
}

// addObjects adds the types of all packages that clients and informers use.
func (d *decision) addObjects() {
	for _, pkg := range d.Packages {
		for name := range d.kindsOf(pkg) {
			declared := d.Types.Lookup(model.TypeRef{Path: pkg.Path, Name: name})
			if declared == nil {
				continue
			}
			if named, ok := types.Unalias(declared.Type()).(*types.Named); ok {
				d.objects[named.Obj()] = true
				d.roots = append(d.roots, named)
			}
		}
	}
}

// kindsOf returns the names of the kinds of a package, of its views and of their list types, and of the types
// that methods of any kind send or return.
func (d *decision) kindsOf(pkg *input.Package) map[string]bool {
	kinds := map[string]bool{}
	for _, k := range d.Set.Kinds() {
		for _, m := range k.Methods {
			for _, ref := range []model.TypeRef{m.Input, m.Result} {
				if ref.Path == pkg.Path {
					kinds[ref.Name] = true
				}
			}
		}
	}
	for _, k := range d.Set.Informed() {
		if k.Package.Path != pkg.Path {
			continue
		}
		kinds[k.Name] = true
		if k.NeedsList() || k.HasInformer() || pkg.Declared[k.List()] {
			kinds[k.List()] = true
		}
	}
	return kinds
}

// packageChoice returns the choice of the markers of a package for its types.
func (d *decision) packageChoice(pkg *input.Package) choice {
	found := map[string]choice{}
	for _, m := range pkg.Markers {
		name, value := cutMarker(strings.TrimPrefix(m.Text, "+"))
		switch name {
		case generateMarker:
			found[name] = d.choiceOf(m.Pos, name, value, "true")
		case enabledMarker:
			value, _, _ = strings.Cut(value, ",") // register has no effect anymore
			found[name] = d.choiceOf(m.Pos, name, value, "package")
		}
	}
	return cmp.Or(found[generateMarker], found[enabledMarker])
}

// cutMarker returns the name and the value of a marker, which controller-gen lets = or := separate.
func cutMarker(text string) (name, value string) {
	name, value, _ = strings.Cut(text, "=")
	return strings.TrimSuffix(name, ":"), value
}

// choiceOf returns the choice of a marker with a value, which must be yes or false.
func (d *decision) choiceOf(pos token.Position, name, value, yes string) choice {
	switch strings.TrimSpace(value) {
	case yes:
		return on
	case "false":
		return off
	}
	d.errs.Add(pos, "the value of +%s is %q; write +%s=%s or +%s=false", name, value, name, yes, name)
	return unset
}

// typeMarkers has the content of the markers of a type.
type typeMarkers struct {
	enabled choice
	// pos is the marker that enables the deep copy.
	pos        token.Position
	isObject   bool
	interfaces []model.CopiedInterface
}

// readType reads the markers of a type.
func (d *decision) readType(declared *types.TypeName) typeMarkers {
	var read typeMarkers
	found := map[string]choice{}
	byValue := false
	for _, m := range d.Types.Comment(declared).Markers {
		name, value := cutMarker(m.Text)
		switch name {
		case generateMarker, enabledMarker:
			value, _, _ = strings.Cut(value, ",")
			if found[name] = d.choiceOf(m.Pos, name, value, "true"); found[name] == on {
				read.pos = m.Pos
			}
		case rootMarker:
			read.isObject = d.choiceOf(m.Pos, name, value, "true") == on
		case nonPointerMarker:
			byValue = d.choiceOf(m.Pos, name, value, "true") == on
		case interfacesMarker:
			for text := range strings.SplitSeq(value, ",") {
				ref, ok := markers.ParseTypeRef(strings.TrimSpace(text))
				if !ok || ref.Path == "" {
					d.errs.Add(m.Pos, "+%s names %q, which is no interface with its import path; "+
						"write for example +%s=k8s.io/apimachinery/pkg/runtime.Object", name, text, name)
					continue
				}
				read.interfaces = append(read.interfaces, model.CopiedInterface{Interface: ref})
			}
		}
	}
	read.enabled = cmp.Or(found[generateMarker], found[enabledMarker])
	for i := range read.interfaces {
		read.interfaces[i].ByValue = byValue
	}
	return read
}

// missing returns the interfaces whose methods the type lacks, sorted by name, each once.
func (m methods) missing(interfaces []model.CopiedInterface) []model.CopiedInterface {
	slices.SortStableFunc(interfaces, func(a, b model.CopiedInterface) int {
		return cmp.Or(strings.Compare(a.Interface.Name, b.Interface.Name), strings.Compare(a.Interface.Path, b.Interface.Path))
	})
	interfaces = slices.CompactFunc(interfaces, func(a, b model.CopiedInterface) bool { return a.Interface == b.Interface })
	return slices.DeleteFunc(interfaces, func(i model.CopiedInterface) bool { return m.has("DeepCopy" + i.Interface.Name) })
}

// reachable returns the types that the kinds consist of.
func (d *decision) reachable() map[*types.TypeName]bool {
	reached, seen := map[*types.TypeName]bool{}, map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		if named, ok := t.(*types.Named); ok {
			reached[named.Obj()] = true
		}
		switch t := t.Underlying().(type) {
		case *types.Struct:
			for field := range t.Fields() {
				visit(field.Type())
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }: // a pointer, a slice, an array
			visit(t.Elem())
		}
	}
	for _, root := range d.roots {
		visit(root)
	}
	return reached
}
