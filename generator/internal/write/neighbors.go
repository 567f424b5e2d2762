package write

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// checkNeighbors returns errors for the user's files in the packages of generated files that would not compile with
// the generated ones: they are of another package, or declare the same names. Files that the run replaces or deletes
// do not matter.
func (f *folder) checkNeighbors(root *os.Root, output Output) (errs []error) {
	deleted := map[string]bool{}
	for _, change := range f.changes {
		deleted[change.Path] = change.New == nil
	}
	generated := map[string][]string{}
	for name := range output.Files {
		generated[path.Dir(name)] = append(generated[path.Dir(name)], name)
	}
	for dir, names := range generated {
		in, err := root.OpenRoot(dir)
		if err != nil {
			continue // it does not exist, or compare has returned the error
		}
		entries, _ := readDir(in)
		for _, entry := range entries {
			name := path.Join(dir, entry.Name())
			if entry.IsDir() || output.Files[name] != nil || deleted[name] || strings.HasSuffix(name, "_test.go") ||
				f.isWritten(name, output) {
				continue
			}
			if content, err := regular.Read(in.OpenFile, entry.Name()); err == nil && isCompiled(entry.Name(), content) {
				errs = append(errs, f.checkNeighbor(name, content, names, output)...)
			}
		}
		_ = in.Close()
	}
	return errs
}

// isCompiled reports whether go build compiles a file without build tags.
func isCompiled(name string, content []byte) bool {
	context := build.Default
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	compiles, err := context.MatchFile(".", name)
	return compiles && err == nil && strings.HasSuffix(name, ".go")
}

// checkNeighbor compares a file with the generated ones in its folder.
func (f *folder) checkNeighbor(name string, content []byte, generated []string, output Output) (errs []error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.file(name), content, parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler reports it without generated files too
	}
	add := func(at token.Pos, format string, args ...any) {
		pos := fset.Position(at)
		errs = append(errs, &fileError{pos.String(), fmt.Sprintf(format, args...)})
	}
	declared := declarations(file)
	for _, other := range slices.Sorted(slices.Values(generated)) {
		theirs, err := parser.ParseFile(token.NewFileSet(), "", output.Files[other], parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		if theirs.Name.Name != file.Name.Name {
			add(file.Name.Pos(), "this file is of package %s, but the run generates package %s in its folder; "+
				"rename the package, move the file to another folder, or %s", file.Name.Name, theirs.Name.Name, f.otherwise(name))
			return errs
		}
		for what := range declarations(theirs) {
			if at, ok := declared[what]; ok {
				add(at, "this file declares %s, which the run generates in %s; rename it, or move the file to another folder", what,
					path.Base(other))
			}
		}
	}
	return errs
}

// declarations returns the positions of the names that a file declares. A method has the name of its type before its own.
func declarations(file *ast.File) map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				of := decl.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				if receiver, ok := of.(*ast.Ident); ok {
					name = receiver.Name + "." + name
				}
			}
			found[name] = decl.Name.Pos()
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					found[spec.Name.Name] = spec.Name.Pos()
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						found[name.Name] = name.Pos()
					}
				}
			}
		}
	}
	delete(found, "init")
	delete(found, "_")
	return found
}
