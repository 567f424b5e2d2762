package mutate

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// corpus are the packages that are mutated: small ones, with both sorts of markers, and our own
// with the markers and shapes that no published package has.
var corpus = []string{
	"k8s.io/api/apps/v1",
	"k8s.io/api/autoscaling/v2",
	"k8s.io/api/batch/v1",
	"k8s.io/api/certificates/v1",
	"k8s.io/api/coordination/v1",
	"k8s.io/api/discovery/v1",
	"k8s.io/api/networking/v1",
	"k8s.io/api/policy/v1",
	"k8s.io/api/rbac/v1",
	"k8s.io/api/resource/v1beta1",
	"k8s.io/api/scheduling/v1",
	"k8s.io/api/storage/v1",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"github.com/typedinformers/informer-gen/examples/operator/api/v1",
}

// ownRoot is the folder of packages with the shapes that few published packages have: lists of
// pointers, metadata of other packages, views, aliases, generic types. They are in a module that
// this one cannot import.
const ownRoot = "../../testdata/apis"

// ownPath is what these packages import each other by.
const ownPath = "github.com/typedinformers/informer-gen/testdata/apis"

// ownCorpus are packages there, each with the packages that it imports.
var ownCorpus = [][]string{{"fleet/v1"}, {"forms/v1", "forms/base"}, {"io/v1", "shop/v1"}, {"plant/v1"}, {"shapes/v1", "shapes/slim"}, {"shop/v1"}}

// apiPackage is a package of the corpus.
type apiPackage struct {
	path  string
	files []sourceFile
	// imported are packages in folders of their own, which are not mutated.
	imported []apiPackage
}

type sourceFile struct {
	name  string
	lines []string
}

// load reads the corpus once.
var load = sync.OnceValues(func() ([]apiPackage, error) {
	config := &packages.Config{Mode: packages.NeedName | packages.NeedFiles}
	listed, err := packages.Load(config, corpus...)
	if err != nil {
		return nil, err
	}
	var all []apiPackage
	for _, p := range listed {
		pkg := apiPackage{path: p.PkgPath}
		for _, name := range p.GoFiles {
			base := filepath.Base(name)
			if strings.HasSuffix(base, ".pb.go") || strings.Contains(base, "swagger") || strings.Contains(base, "model_name") {
				continue // most of the bytes, and nothing that the generator reads
			}
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			pkg.files = append(pkg.files, sourceFile{base, strings.SplitAfter(string(content), "\n")})
		}
		all = append(all, pkg)
	}
	for _, folders := range ownCorpus {
		pkg, err := readOwn(folders[0])
		if err != nil {
			return nil, err
		}
		for _, folder := range folders[1:] {
			imported, err := readOwn(folder)
			if err != nil {
				return nil, err
			}
			pkg.imported = append(pkg.imported, imported)
		}
		all = append(all, pkg)
	}
	slices.SortFunc(all, func(a, b apiPackage) int { return strings.Compare(a.path, b.path) })
	return all, nil
})

// readOwn reads a package below ownRoot.
func readOwn(folder string) (apiPackage, error) {
	pkg := apiPackage{path: path.Join(ownPath, folder)}
	names, err := filepath.Glob(filepath.Join(ownRoot, folder, "*.go"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no Go files in %s", folder)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return pkg, err
		}
		pkg.files = append(pkg.files, sourceFile{filepath.Base(name), strings.SplitAfter(string(content), "\n")})
	}
	return pkg, err
}

// moveTo makes the packages import each other from a module.
func (p apiPackage) moveTo(module string) {
	for _, f := range p.files {
		for i, line := range f.lines {
			f.lines[i] = strings.ReplaceAll(line, ownPath, module)
		}
	}
}

// clone returns a copy whose lines can be changed.
func (p apiPackage) clone() apiPackage {
	p.files = slices.Clone(p.files)
	for i := range p.files {
		p.files[i].lines = slices.Clone(p.files[i].lines)
	}
	p.imported = slices.Clone(p.imported)
	for i := range p.imported {
		p.imported[i] = p.imported[i].clone()
	}
	return p
}

// folder is the end of the path that says group and version.
func (p apiPackage) folder() string {
	return path.Join(path.Base(path.Dir(p.path)), path.Base(p.path))
}

// write writes the files into a folder.
func (p apiPackage) write(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(strings.Join(f.lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
