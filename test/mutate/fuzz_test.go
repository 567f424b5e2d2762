package mutate

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnchanged generates for the corpus as it is: what follows is worth something only if this is
// accepted, and type-checks.
func TestUnchanged(t *testing.T) {
	all := sources(t)
	for i := range all {
		if got := play(t, i, 0, 0); !got.accepted || !got.checked {
			t.Errorf("%s: accepted is %v, type-checked is %v: %s", all[i].path, got.accepted, got.checked, got.stderr)
		}
	}
}

// TestMutated plays a few mutations that are always the same.
func TestMutated(t *testing.T) {
	checked := 0
	const runs = 24
	for seed := range uint64(runs) {
		if play(t, int(seed), seed, 1+int(seed%3)).checked {
			checked++
		}
	}
	if checked < runs/6 || checked == runs {
		t.Errorf("of %d mutated packages %d are accepted and type-checked, so the mutations do too much or too little", runs, checked)
	}
}

// FuzzMutated goes on with others.
func FuzzMutated(f *testing.F) {
	f.Add(uint8(0), uint64(1), uint8(1))
	f.Fuzz(func(t *testing.T, pkg uint8, seed uint64, count uint8) {
		play(t, int(pkg), seed, 1+int(count%4))
	})
}

func sources(t *testing.T) []apiPackage {
	t.Helper()
	all, err := load()
	if err != nil || len(all) != len(corpus)+len(ownCorpus) {
		t.Fatalf("%d packages of the corpus: %v", len(all), err)
	}
	return all
}

// play mutates a package count times, generates for it, and checks what is generated. Every other
// seed has the package in a module that the user's requires.
func play(t *testing.T, number int, seed uint64, count int) outcome {
	t.Helper()
	all := sources(t)
	pkg := all[number%len(all)].clone()
	m := &mutator{Rand: rand.New(rand.NewPCG(seed, uint64(number))), pkg: &pkg, subfolder: pkg.folder()}
	var applied []string
	for range count {
		mutation := mutations[m.IntN(len(mutations))]
		mutation.apply(m)
		applied = append(applied, mutation.name)
	}
	dir := t.TempDir()
	writeModule(t, dir)
	module, root, pattern := "example.com/mod", dir, "./"+m.subfolder
	if seed%2 == 1 {
		module, root = "example.com/dep", filepath.Join(dir, "dep")
		pattern = path.Join(module, m.subfolder)
	}
	for _, p := range append([]apiPackage{pkg}, pkg.imported...) {
		p.moveTo(module)
	}
	pkg.write(t, filepath.Join(root, filepath.FromSlash(m.subfolder)))
	for _, p := range pkg.imported {
		p.write(t, filepath.Join(root, filepath.FromSlash(p.folder())))
	}
	args := m.flags(t, dir, pkg)
	if count == 0 {
		args = nil
	}
	applied = append(applied, args...)
	args = append(args, "--output-dir=out", pattern)
	if len(pkg.imported) > 0 && m.IntN(2) == 0 {
		args = append(args, path.Dir(path.Dir(pattern))+"/"+pkg.imported[0].folder())
	}
	if m.IntN(8) == 0 && count > 0 && generate(t, dir, "--alias-package=aliases/example.com/"+path.Base(m.subfolder), pattern).accepted {
		applied = append(applied, "aliases")
		args = []string{"--output-dir=out", "./aliases/..."}
	}
	got := generate(t, dir, args...)
	if got.accepted {
		got.checked = checkOutput(t, dir, path.Join(module, m.subfolder))
	}
	if t.Failed() {
		t.Fatalf("package %s, seed %d, after: %s\n%s", pkg.path, seed, strings.Join(applied, ", "), got.stderr)
	}
	return got
}

// writeModule writes the go.mod and go.sum of a user's module, and of one that it requires.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	goMod := strings.Replace(read("go.mod"), "module github.com/typedinformers/informer-gen/test", "module example.com/mod", 1)
	goMod = strings.ReplaceAll(goMod, "=> ../", "=> "+root+"/")
	goMod += "\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n"
	for name, text := range map[string]string{"go.mod": goMod, "go.sum": read("go.sum"), "dep/go.mod": "module example.com/dep\n\ngo 1.26.0\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkOutput type-checks what is generated, if the package that it is generated for type-checks. It
// reports whether that is so.
func checkOutput(t *testing.T, dir, apiPath string) bool {
	t.Helper()
	c, err := newChecker(map[string]string{"example.com/mod": dir, "example.com/dep": filepath.Join(dir, "dep")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Import(apiPath); err != nil {
		return false
	}
	packages := 0
	err = filepath.WalkDir(filepath.Join(dir, "out"), func(folder string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if found, _ := filepath.Glob(filepath.Join(folder, "*.go")); len(found) == 0 {
			return nil
		}
		packages++
		rel, err := filepath.Rel(dir, folder)
		if err != nil {
			return err
		}
		importPath := path.Join("example.com/mod", filepath.ToSlash(rel))
		if _, err := c.Import(importPath); err != nil {
			t.Errorf("generated package %s does not type-check: %v %v", importPath, err, c.errs[importPath])
		}
		return nil
	})
	if err != nil || packages == 0 {
		t.Errorf("%d generated packages: %v", packages, err)
	}
	return true
}
