package typecheck

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
	"github.com/typedinformers/informer-gen/internal/spelling"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// reachable returns d and all declarations that it needs, the nearest first.
func (d *declaration) reachable() iter.Seq[*declaration] {
	return func(yield func(*declaration) bool) {
		seen := map[*declaration]bool{d: true}
		for queue := []*declaration{d}; len(queue) > 0; queue = queue[1:] {
			if !yield(queue[0]) {
				return
			}
			for _, used := range queue[0].uses {
				if !seen[used] {
					seen[used] = true
					queue = append(queue, used)
				}
			}
		}
	}
}

// cause returns the reason why a question about root stays open: the nearest reference to a missing
// declaration, or else the first error of the type checker.
func (c *closure) cause(root *declaration) (problem, bool) {
	var found []types.Error
	fix := "; fix it"
	for d := range root.reachable() {
		if len(d.problems) > 0 {
			return d.problems[0], true
		}
		if d.part != nil && len(found) == 0 && len(d.part.typeErrors) > 0 {
			found, fix = d.part.typeErrors, fix+d.part.src.OrNewerGo()
		}
	}
	if len(found) == 0 {
		return problem{}, false
	}
	return problem{c.fset.Position(found[0].Pos), found[0].Msg + fix}, true
}

// undeclared returns the reason why a package does not declare a name that is used at pos.
func (c *closure) undeclared(p *part, name string, pos token.Pos) problem {
	for i, err := range p.src.Failures {
		var list scanner.ErrorList
		if errors.As(err, &list) {
			return problem{list[0].Pos, list[0].Msg + "; fix the file" + p.src.OrNewerGo()}
		} else if err != nil {
			text := fmt.Sprintf("cannot read the file: %v; make it readable", regular.WithoutPath(err))
			return problem{token.Position{Filename: p.src.Names[i]}, text}
		}
	}
	found := problem{c.fset.Position(pos), "undefined: " + name + "; declare it"}
	switch {
	case len(p.src.Files) == 0 && len(p.listed.Errors) > 0:
		found.text = golist.Message(strings.Join(strings.Fields(p.listed.Errors[0].Msg), " "))
		if listed := golist.Position(c.run.Dir, p.listed.Errors[0]); listed.Filename != "" {
			found.pos = listed
		}
		if strings.Contains(found.text, "build constraints") {
			found.text += "; use --build-tags"
		} else if sum, _, ok := strings.Cut(found.text, "; to add: "); ok && strings.HasPrefix(sum, "missing go.sum entry") {
			// The go command names the importing package, which may be the user's own.
			found.text = sum + "; to add it: " + terminal.Quote("go", "get", p.path)
		} else if !strings.Contains(found.text, "; ") {
			found.text += "; add the package"
		}
	case len(p.src.Files) == 0:
		found.text = "package " + p.path + " has no Go files; add it"
	case len(p.listed.IgnoredFiles) > 0:
		found.text += ", or use --build-tags if a build constraint excludes its file"
	}
	return found
}

// usualImports are the packages that API types often use, by the names under which they are imported.
var usualImports = map[string]string{
	"apiextensionsv1": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"corev1":          "k8s.io/api/core/v1",
	"intstr":          "k8s.io/apimachinery/pkg/util/intstr",
	"json":            "encoding/json",
	"metav1":          "k8s.io/apimachinery/pkg/apis/meta/v1",
	"rbacv1":          "k8s.io/api/rbac/v1",
	"resource":        "k8s.io/apimachinery/pkg/api/resource",
	"runtime":         "k8s.io/apimachinery/pkg/runtime",
	"schema":          "k8s.io/apimachinery/pkg/runtime/schema",
	"time":            "time",
	"types":           "k8s.io/apimachinery/pkg/types",
	"v1":              "k8s.io/api/core/v1",
}

// ofKubernetes matches the names under which other packages of k8s.io/api are imported.
var ofKubernetes = regexp.MustCompile(`^(admission|admissionregistration|apps|authentication|authorization|autoscaling|batch|` +
	`certificates|coordination|discovery|events|networking|node|policy|resource|scheduling|storage)(v\d+(?:(?:alpha|beta)\d+)?)$`)

// unimported returns the reason why a qualifier is unknown: its file does not import the package.
func (c *closure) unimported(d *declaration, qualifier, name *ast.Ident) problem {
	found := problem{c.fset.Position(qualifier.Pos()), "undefined: " + qualifier.Name + "." + name.Name + "; "}
	switch from := d.part.importFor(qualifier.Name, name.Name); {
	case from == "":
		var known []string
		for _, spec := range d.file.Imports {
			written, _ := strconv.Unquote(spec.Path.Value)
			if spec.Name != nil {
				known = append(known, spec.Name.Name)
			} else {
				known = append(known, c.packageName(d.part.imported(written)))
			}
		}
		if meant := spelling.Nearest(qualifier.Name, known); meant != "" {
			found.text += "did you mean " + meant + "." + name.Name + "?"
			return found
		}
		found.text += "import the package of " + qualifier.Name
	case syntax.ConventionalName(from) == qualifier.Name:
		found.text += "add the import " + strconv.Quote(from)
	default:
		found.text += "add the import " + qualifier.Name + " " + strconv.Quote(from)
	}
	return found
}

// importFor returns the path of the package that a qualifier in p probably stands for, or "": a package that
// another file imports under that name, one of the module that declares the name, or a usual one.
func (p *part) importFor(qualifier, name string) string {
	for _, file := range p.src.Files {
		if file == nil {
			continue
		}
		if from := syntax.ImportPath(file, qualifier); from != "" {
			return from
		}
	}
	if from := p.inModule(qualifier, name); from != "" {
		return from
	}
	if from := usualImports[qualifier]; from != "" {
		return from
	}
	if parts := ofKubernetes.FindStringSubmatch(qualifier); parts != nil {
		return "k8s.io/api/" + parts[1] + "/" + parts[2]
	}
	return ""
}

// inModule returns the path of the first package of the user's module that declares a type of that name, in a
// folder named after the qualifier: shop, or shop/v1 for shopv1.
func (p *part) inModule(qualifier, name string) (found string) {
	if p.src.Module() == "" || p.listed.Module == nil {
		return ""
	}
	_ = filepath.WalkDir(p.src.Module(), func(dir string, entry fs.DirEntry, err error) error { // a folder that cannot be read has no match
		if err != nil || !entry.IsDir() {
			return nil
		}
		base := entry.Name()
		if dir != p.src.Module() && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "vendor" ||
			base == "testdata" || hasGoMod(dir)) {
			return fs.SkipDir
		}
		folder, err := filepath.Rel(p.src.Module(), dir)
		if err != nil || base != qualifier && filepath.Base(filepath.Dir(dir))+base != qualifier || !declaresType(dir, name) {
			return nil
		}
		found = path.Join(p.listed.Module.Path, filepath.ToSlash(folder))
		return fs.SkipAll
	})
	return found
}

func hasGoMod(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// declaresType reports whether a Go file in a folder declares a type.
func declaresType(dir, name string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		content, err := regular.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), content, parser.SkipObjectResolution)
		if err == nil && slices.Contains(syntax.Declared(file), name) {
			return true
		}
	}
	return false
}
