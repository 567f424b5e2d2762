package load

import (
	"bytes"
	"context"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// definition is the kind of document that is looked for. A file without this word
// is not parsed at all: templates of a chart and what else lies beside CRDs need
// not be YAML.
const definition = "CustomResourceDefinition"

// Manifests reads the CustomResourceDefinitions in files of YAML or JSON, each
// with any number of documents; of a folder these are its files *.yaml, *.yml and
// *.json but not, as with kubectl apply -f, those of the folders in it. Documents of
// other kinds are passed over. What is wrong with a file or a CRD is noted among
// the mistakes, and the CRD left out; the error is that of ctx.
func Manifests(ctx context.Context, paths []string, mistakes *model.Errors) ([]*input.Manifest, error) {
	var files []*manifestFile
	seen := map[string]bool{}
	add := func(f *manifestFile) {
		if !seen[f.name] { // a folder, and a file in it
			seen[f.name] = true
			files = append(files, f)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			mistakes.Add(token.Position{Filename: path}, "cannot read this file of --crd: %v; name a file with a %s, or a folder of such files", regular.WithoutPath(err), definition)
		case info.IsDir():
			names, err := manifestNames(path)
			if err != nil {
				mistakes.Add(token.Position{Filename: path}, "cannot read the folder that --crd names: %v; name a folder with files of CRDs", regular.WithoutPath(err))
			}
			for _, name := range names {
				add(&manifestFile{name: name, folder: path})
			}
			if len(names) == 0 && err == nil {
				addEmptyFolder(mistakes, path)
			}
		default:
			add(&manifestFile{name: path})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range files {
		group.Go(func() error {
			f.read()
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return collect(files, mistakes), nil
}

// collect returns what the files hold, in their order. One that was named and
// holds no CRD is a mistake, and a folder of such files is.
func collect(files []*manifestFile, mistakes *model.Errors) []*input.Manifest {
	var all []*input.Manifest
	fruitful, folders := map[string]bool{}, []string{}
	for _, f := range files {
		all = append(all, f.manifests...)
		for _, mistake := range f.mistakes {
			mistakes.Add(mistake.Pos, "%s", mistake.Message)
		}
		hasAny := len(f.manifests) > 0 || len(f.mistakes) > 0
		switch {
		case f.folder != "":
			fruitful[f.folder] = fruitful[f.folder] || hasAny
			folders = append(folders, f.folder)
		case !hasAny:
			mistakes.Add(token.Position{Filename: f.name}, "this file has no %s; name a file that controller-gen crd has written", definition)
		}
	}
	for _, folder := range slices.Compact(folders) {
		if !fruitful[folder] {
			addEmptyFolder(mistakes, folder)
		}
	}
	return all
}

// manifestNames are the files of a folder that may hold manifests.
func manifestNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".yaml", ".yml", ".json":
			name := filepath.Join(folder, entry.Name())
			if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
				names = append(names, name) // one that cannot be read says so when it is
			}
		}
	}
	return names, nil
}

// addEmptyFolder notes a folder without a CRD, and which of its folders has some:
// kubebuilder's config/crd holds a kustomization, and its CRDs are in bases.
func addEmptyFolder(mistakes *model.Errors, folder string) {
	pos, instead := token.Position{Filename: folder}, "name the folder that controller-gen crd writes to"
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		below := filepath.Join(folder, entry.Name())
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || !holdsDefinition(below) {
			continue
		}
		instead = "name the folder " + below + ", which has some"
		break
	}
	mistakes.Add(pos, "no file *.yaml, *.yml or *.json of this folder has a %s; %s", definition, instead)
}

// holdsDefinition says whether a file of a folder may hold a CRD.
func holdsDefinition(folder string) bool {
	names, _ := manifestNames(folder)
	return slices.ContainsFunc(names, func(name string) bool {
		content, err := regular.ReadFile(name)
		return err == nil && bytes.Contains(content, []byte(definition))
	})
}

// manifestFile is a file, and what was found in it.
type manifestFile struct {
	name string
	// folder is the one that was named instead of the file; empty for none.
	folder    string
	manifests []*input.Manifest
	mistakes  []*model.Error
	// visits is how many more values are looked at.
	visits int
}

func (f *manifestFile) read() {
	content, err := regular.ReadFile(f.name)
	if err != nil {
		f.addMistake(token.Position{Filename: f.name}, "cannot read this file of CRDs: %v; fix that, or name other files with --crd", regular.WithoutPath(err))
		return
	}
	f.parse(content)
}

func (f *manifestFile) parse(content []byte) {
	if !bytes.Contains(content, []byte(definition)) {
		return
	}
	f.visits = visitsPerByte * len(content)
	documents, mistake := f.documents(content)
	for _, document := range documents {
		f.describe(document)
	}
	if f.visits < 0 {
		f.manifests, f.mistakes = nil, nil
		f.addMistake(token.Position{Filename: f.name, Line: 1, Column: 1}, "this file of CRDs has too many YAML aliases; write the values themselves")
		return
	}
	if mistake != nil {
		f.mistakes = append(f.mistakes, mistake)
	}
}

// visitsPerByte limits how many values of a file are looked at. Each is looked at a few
// times, and more often only if there are aliases: 1,000 of them for a list of 1,000
// values stand for 1,000,000 values.
const visitsPerByte = 16

// visit reports whether the values of a list or a mapping may be looked at.
func (f *manifestFile) visit(node *yaml.Node) bool {
	f.visits -= len(node.Content)
	return f.visits >= 0
}

func (f *manifestFile) addMistake(pos token.Position, format string, args ...any) {
	f.mistakes = append(f.mistakes, model.Errorf(pos, format, args...))
}

// describe takes a document if it is a CRD, or a list of CRDs as kubectl get
// prints it.
func (f *manifestFile) describe(document *yaml.Node) {
	root := manifestNode{f, document}
	switch root.get("kind").text() {
	case definition:
		f.describeDefinition(root)
	case "List", definition + "List":
		for _, item := range root.get("items").elements() {
			if item.get("kind").text() == definition {
				f.describeDefinition(item)
			}
		}
	}
}

func (f *manifestFile) describeDefinition(root manifestNode) {
	switch version := root.get("apiVersion"); {
	case version.text() == "apiextensions.k8s.io/v1":
	case version.text() == "apiextensions.k8s.io/v1beta1":
		f.addMistake(version.pos(), "this %s is of apiextensions.k8s.io/v1beta1, which servers no longer accept since Kubernetes 1.22; convert it to apiextensions.k8s.io/v1, or regenerate it with controller-gen", definition)
		return
	case strings.HasPrefix(version.text(), "apiextensions.k8s.io/") || version.node == nil:
		f.addMistake(root.get("apiVersion").posOr(root), "this %s has apiVersion %q, which is unknown; write apiVersion: apiextensions.k8s.io/v1", definition, version.text())
		return
	default:
		return // a kind of that name in somebody else's group
	}
	spec := root.get("spec")
	names := spec.get("names")
	if spec.get("group").node == nil && names.node == nil && spec.get("versions").node == nil {
		f.addMistake(root.pos(), "this %s has no spec.group, spec.names and spec.versions; name files of whole CRDs with --crd, not patches", definition)
		return
	}
	before := len(f.mistakes)
	m := &input.Manifest{
		Pos:    root.pos(),
		Group:  root.required(spec, "spec", "group"),
		Plural: root.required(names, "spec.names", "plural"),
		Kind:   root.required(names, "spec.names", "kind"),
		Scope:  root.required(spec, "spec", "scope"),
	}
	m.ListKind = input.Placed{Value: m.Kind.Value + "List", Pos: m.Kind.Pos}
	if listKind := names.get("listKind"); listKind.text() != "" {
		m.ListKind = listKind.placed()
	}
	if m.Scope.Value != "" && m.Scope.Value != "Namespaced" && m.Scope.Value != "Cluster" {
		f.addMistake(m.Scope.Pos, "scope %q is not a valid scope; write Namespaced or Cluster", m.Scope.Value)
	}
	f.checkNames(m)
	versions := spec.get("versions")
	for _, version := range versions.elements() {
		m.Versions = append(m.Versions, describeVersion(version))
	}
	if len(m.Versions) == 0 {
		f.addMistake(versions.posOr(spec, root), "this %s has no versions; regenerate it with controller-gen, or add spec.versions", definition)
	}
	if len(f.mistakes) == before {
		f.manifests = append(f.manifests, m)
	}
}

// checkNames refuses names that no server takes.
func (f *manifestFile) checkNames(m *input.Manifest) {
	for _, name := range []struct {
		what, form string
		input.Placed
		taken func(string) bool
	}{
		{"group", "write a DNS name in lower case, such as shop.example.com", m.Group, model.IsGroup},
		{"plural", "write lower-case letters, digits and hyphens", m.Plural, model.IsLabel},
		{"kind", "write ASCII letters and digits", m.Kind, model.IsKind},
		{"listKind", "write ASCII letters and digits", m.ListKind, model.IsKind},
	} {
		if name.Value != "" && !name.taken(name.Value) {
			f.addMistake(name.Pos, "%s %q is not a valid name; %s, or regenerate this %s with controller-gen", name.what, name.Value, name.form, definition)
		}
	}
}

func describeVersion(node manifestNode) input.ManifestVersion {
	v := input.ManifestVersion{Name: node.required(node, "spec.versions", "name")}
	if name := v.Name; name.Value != "" && !model.IsLabel(name.Value) {
		node.file.addMistake(name.Pos, "version %q is not a valid name; write one such as v1, or regenerate this %s with controller-gen", name.Value, definition)
	}
	served := node.required(node, "spec.versions", "served")
	v.Served, v.ServedPos = served.Value == "true", served.Pos
	if served.Value != "" && served.Value != "true" && served.Value != "false" {
		node.file.addMistake(served.Pos, "served is %q; write true or false", served.Value)
	}
	subresources := node.get("subresources")
	v.SubresourcesPos = subresources.posOr(node.get("name"), node)
	v.Status, v.Scale = subresources.get("status").isMapping(), subresources.get("scale").isMapping()
	for _, field := range node.get("selectableFields").elements() {
		v.SelectableFields = append(v.SelectableFields, node.required(field, "spec.versions.selectableFields", "jsonPath"))
	}
	return v
}

// required returns the text of a field, and notes its absence at the place of the
// next thing around it that is there. path is what parent is called.
func (n manifestNode) required(parent manifestNode, path, name string) input.Placed {
	field := parent.get(name)
	if field.text() == "" {
		n.file.addMistake(field.posOr(parent, n), "%s.%s of this %s is missing or not a string; regenerate it with controller-gen, or add it", path, name, definition)
	}
	return field.placed()
}
