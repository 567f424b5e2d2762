package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

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
var ofKubernetes = regexp.MustCompile(`^(admission|admissionregistration|apps|authentication|authorization|autoscaling|batch|certificates|coordination|discovery|events|networking|node|policy|resource|scheduling|storage)(v\d+(?:(?:alpha|beta)\d+)?)$`)

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
	case conventionalName(from) == qualifier.Name:
		found.text += "add the import " + strconv.Quote(from)
	default:
		found.text += "add the import " + qualifier.Name + " " + strconv.Quote(from)
	}
	return found
}

// importFor returns the path of the package that a qualifier in p probably stands for, or "": a package that
// another file imports under that name, one of the module that declares the name, or a usual one.
func (p *part) importFor(qualifier, name string) string {
	for _, file := range p.src.files {
		if file == nil {
			continue
		}
		if from := importPath(file, qualifier); from != "" {
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
	if p.src.module == "" || p.listed.Module == nil {
		return ""
	}
	_ = filepath.WalkDir(p.src.module, func(dir string, entry fs.DirEntry, err error) error { // a folder that cannot be read has no match
		if err != nil || !entry.IsDir() {
			return nil
		}
		base := entry.Name()
		if dir != p.src.module && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "vendor" || base == "testdata" || hasGoMod(dir)) {
			return fs.SkipDir
		}
		folder, err := filepath.Rel(p.src.module, dir)
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
		if err == nil && slices.Contains(namesIn(file), name) {
			return true
		}
	}
	return false
}
