package later

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// copied are the modules of which AddMethods makes copies.
var copied = []string{"k8s.io/apimachinery", "k8s.io/client-go", "sigs.k8s.io/controller-runtime"}

// AddMethods makes the workspace use copies of modules, in which each of the interfaces has a method more, such as LaterStore of
// Store, and so has each type of these modules that implements the interface.
func (w *Workspace) AddMethods(ctx context.Context, loaded *Loaded, interfaces []string) error {
	c := copies{dirs: map[string]string{}, text: map[string][]byte{}}
	var pkgs []*packages.Package
	packages.Visit(loaded.Packages, nil, func(pkg *packages.Package) {
		if pkg.Module != nil && slices.Contains(copied, pkg.Module.Path) {
			pkgs = append(pkgs, pkg)
		}
	})
	work := []string{"work", "edit"}
	for _, pkg := range pkgs {
		if from := pkg.Module.Dir; c.dirs[from] == "" {
			name := path.Base(pkg.Module.Path)
			c.dirs[from] = filepath.Join(w.Dir, name)
			work = append(work, "-replace="+pkg.Module.Path+"=./"+name)
			if err := os.CopyFS(c.dirs[from], os.DirFS(from)); err != nil {
				return err
			}
		}
		for _, name := range pkg.Types.Scope().Names() {
			if named := namedOf(pkg.Types.Scope().Lookup(name)); named != nil && slices.Contains(interfaces, nameOf(named)) {
				c.extended = append(c.extended, named)
			}
		}
	}
	if len(c.extended) != len(interfaces) {
		return fmt.Errorf("the modules %v have %d of %d interfaces", copied, len(c.extended), len(interfaces))
	}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			if err := c.extend(pkg, file, loaded.Fset.File(file.FileStart)); err != nil {
				return err
			}
		}
		c.implement(pkg)
	}
	for file, text := range c.text {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
	}
	return w.Go(ctx, work...)
}

type copies struct {
	// dirs has the folder of each copy by that of its module.
	dirs map[string]string
	// extended are the interfaces that get a method.
	extended []*types.Named
	// text has the changed files of the copies.
	text map[string][]byte
}

// extend adds the methods to the interfaces in a file: to the extended ones, and to others that implement one of them, because
// their modules convert the one to the other.
func (c *copies) extend(pkg *packages.Package, file *ast.File, source *token.File) error {
	methods := map[int]string{} // by the offset of the end of an interface
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		literal, ok := spec.Type.(*ast.InterfaceType)
		named := namedOf(pkg.TypesInfo.Defs[spec.Name])
		if !ok || named == nil {
			return true
		}
		end := source.Offset(literal.Methods.Closing)
		for _, of := range c.extended {
			if named == of || types.Implements(named, of.Underlying().(*types.Interface)) && !embeds(named, of) {
				methods[end] += "\n" + methodOf(of) + "\n"
			}
		}
		return true
	})
	if len(methods) == 0 {
		return nil
	}
	text, err := os.ReadFile(source.Name())
	for _, end := range slices.Backward(slices.Sorted(maps.Keys(methods))) {
		text = slices.Insert(text, end, []byte(methods[end])...)
	}
	c.text[c.pathOf(pkg, source.Name())] = text
	return err
}

// implement adds the methods to the types of a package that have the other methods of an interface. It compares only the names of
// methods, because a type with a method too many does no harm.
func (c *copies) implement(pkg *packages.Package) {
	var text bytes.Buffer
	for _, name := range pkg.Types.Scope().Names() {
		named := namedOf(pkg.Types.Scope().Lookup(name))
		if named == nil || types.IsInterface(named) {
			continue
		}
		receiver := named.Obj().Name()
		if params := named.TypeParams().Len(); params > 0 {
			receiver += "[" + strings.TrimSuffix(strings.Repeat("_, ", params), ", ") + "]"
		}
		methods := map[string]bool{}
		for _, of := range c.extended {
			if inherits(named, of) {
				continue // a method of its own would hide that of the embedded interface
			}
			if hasMethods(named, of) {
				methods["func ("+receiver+") "+methodOf(of)] = true
			} else if hasMethods(types.NewPointer(named), of) {
				methods["func (*"+receiver+") "+methodOf(of)] = true
			}
		}
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			fmt.Fprintf(&text, "\n%s {}\n", method)
		}
	}
	if text.Len() > 0 {
		c.text[c.pathOf(pkg, filepath.Join(pkg.Dir, "later_methods.go"))] = append([]byte("package "+pkg.Name+"\n"), text.Bytes()...)
	}
}

func hasMethods(t types.Type, of *types.Named) bool {
	has, wanted := types.NewMethodSet(t), of.Underlying().(*types.Interface)
	for method := range wanted.Methods() {
		if has.Lookup(method.Pkg(), method.Name()) == nil {
			return false
		}
	}
	return true
}

// inherits reports whether a struct embeds an interface that gets the methods of another one.
func inherits(t types.Type, of *types.Named) bool {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if types.IsInterface(t) {
		return types.Implements(t, of.Underlying().(*types.Interface))
	}
	fields, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < fields.NumFields(); i++ {
		if field := fields.Field(i); field.Embedded() && inherits(field.Type(), of) {
			return true
		}
	}
	return false
}

// methodOf returns the method that an interface gets.
func methodOf(of *types.Named) string { return "Later" + of.Obj().Name() + "()" }

// pathOf returns the copy of a file.
func (c *copies) pathOf(pkg *packages.Package, file string) string {
	return c.dirs[pkg.Module.Dir] + strings.TrimPrefix(file, pkg.Module.Dir)
}
