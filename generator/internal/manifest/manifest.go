package manifest

import (
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
	"github.com/typedinformers/informer-gen/internal/crdfile"
)

// Read reads the CustomResourceDefinitions in files of YAML or JSON with any number of documents. For a
// folder, it reads the *.yaml, *.yml and *.json files directly in it, as kubectl apply -f does. It
// ignores documents of other kinds. It leaves out a CRD that is wrong, and adds the reason to the errs.
// schemas makes it read the schemas of versions too. Its error comes from ctx.
func Read(ctx context.Context, paths []string, schemas bool, errs *model.Errors) ([]*input.Manifest, error) {
	var files []*manifestFile
	var folders []string
	add := func(name string, named bool) {
		if !slices.ContainsFunc(files, func(f *manifestFile) bool { return f.name == name }) { // a folder, and a file in it
			files = append(files, &manifestFile{name: name, named: named, withSchemas: schemas})
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			errs.Add(token.Position{Filename: path}, "cannot read this file of --crd: %v; "+
				"name a file with a %s, or a folder of such files", regular.WithoutPath(err), definition)
		case info.IsDir():
			names, err := crdfile.InFolder(path)
			if err != nil {
				errs.Add(token.Position{Filename: path}, "cannot read the folder that --crd names: %v; "+
					"name a folder with files of CRDs", regular.WithoutPath(err))
				continue
			}
			for _, name := range names {
				add(name, false)
			}
			folders = append(folders, path)
		default:
			add(path, true)
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
	return collect(files, folders, errs), nil
}

// collect returns the manifests of the files, in their order. It adds an error for a named file and for
// a folder without a CRD.
func collect(files []*manifestFile, folders []string, errs *model.Errors) []*input.Manifest {
	var all []*input.Manifest
	hasCRD := map[string]bool{}
	for _, f := range files {
		all = append(all, f.manifests...)
		for _, mistake := range f.errs {
			errs.Add(mistake.Pos, "%s", mistake.Message)
		}
		if len(f.manifests)+len(f.errs) > 0 {
			hasCRD[filepath.Dir(f.name)] = true
		} else if f.named && !f.addSyntaxError(errs) {
			errs.Add(token.Position{Filename: f.name}, "this file has no %s; name a file that controller-gen crd has written", definition)
		}
	}
	for _, folder := range folders {
		if hasCRD[filepath.Clean(folder)] {
			continue
		}
		isBroken := false
		for _, f := range files {
			if filepath.Dir(f.name) == filepath.Clean(folder) && !f.named {
				isBroken = f.addSyntaxError(errs) || isBroken
			}
		}
		if !isBroken {
			errs.Add(token.Position{Filename: folder}, "no *.yaml, *.yml or *.json file in this folder has a %s; name %s", definition,
				folderInstead(folder))
		}
	}
	return all
}

// folderInstead returns which folder to name instead of one without a CRD. In a project of kubebuilder,
// config/crd holds a kustomization, and the CRDs are in config/crd/bases.
func folderInstead(folder string) string {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		below := filepath.Join(folder, entry.Name())
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		names, _ := crdfile.InFolder(below)
		for _, name := range names {
			if content, err := regular.ReadFile(name); err == nil && crdfile.MayHave(content) {
				return "the folder " + below + " instead"
			}
		}
	}
	return "the folder that controller-gen crd writes to"
}

func (f *manifestFile) read() {
	content, err := regular.ReadFile(f.name)
	if err != nil {
		f.addError(token.Position{Filename: f.name}, "cannot read this file of CRDs: %v; "+
			"make it readable, or name other files with --crd", regular.WithoutPath(err))
		return
	}
	f.parse(content)
}

// addSyntaxError adds the reason why a file without the word CustomResourceDefinition does not parse, and reports whether there is
// one. Such a file may have been cut off. Other files of a folder with CRDs may be of any form.
func (f *manifestFile) addSyntaxError(errs *model.Errors) bool {
	content, err := regular.ReadFile(f.name)
	if err != nil {
		return false
	}
	_, mistake := f.documents(content)
	if mistake != nil {
		errs.Add(mistake.Pos, "%s", mistake.Message)
	}
	return mistake != nil
}

func (f *manifestFile) parse(content []byte) {
	if !crdfile.MayHave(content) {
		return
	}
	f.visits = visitsPerByte * len(content)
	documents, mistake := f.documents(content)
	for _, document := range documents {
		f.describe(document)
	}
	if f.visits < 0 {
		f.manifests, f.errs = nil, nil
		f.addError(token.Position{Filename: f.name, Line: 1, Column: 1}, "this file of CRDs has too many YAML aliases; "+
			"write the values themselves")
		return
	}
	if mistake != nil {
		f.errs = append(f.errs, mistake)
	}
}

// describe reads a document if it is a CRD, or a list of CRDs as kubectl get prints it.
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
		f.addError(version.pos(), "this %s is of apiextensions.k8s.io/v1beta1, which servers no longer accept since Kubernetes 1.22; "+
			"convert it to apiextensions.k8s.io/v1, or regenerate it with controller-gen", definition)
		return
	case strings.HasPrefix(version.text(), "apiextensions.k8s.io/") || version.node == nil:
		f.addError(root.get("apiVersion").posOr(root), "this %s has apiVersion %q, which is unknown; "+
			"write apiVersion: apiextensions.k8s.io/v1", definition, version.text())
		return
	default:
		return // a kind of the same name in another group
	}
	spec := root.get("spec")
	names := spec.get("names")
	if spec.get("group").node == nil && names.node == nil && spec.get("versions").node == nil {
		f.addError(root.pos(), "this %s has no spec.group, spec.names and spec.versions; name files of whole CRDs with --crd, "+
			"not patches", definition)
		return
	}
	before := len(f.errs)
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
		f.addError(m.Scope.Pos, "scope %q is not a valid scope; write Namespaced or Cluster", m.Scope.Value)
	}
	f.checkNames(m)
	versions := spec.get("versions")
	for _, version := range versions.elements() {
		m.Versions = append(m.Versions, describeVersion(version))
	}
	if len(m.Versions) == 0 {
		f.addError(versions.posOr(spec, root), "this %s has no versions; regenerate it with controller-gen, or add spec.versions",
			definition)
	}
	if len(f.errs) == before {
		f.manifests = append(f.manifests, m)
	}
}

// checkNames adds errors about names that no server accepts.
func (f *manifestFile) checkNames(m *input.Manifest) {
	for _, name := range []struct {
		what, form string
		input.Placed
		isValid func(string) bool
	}{
		{"group", "write a DNS name in lower case, such as shop.example.com", m.Group, model.IsGroup},
		{"plural", "write lower-case letters, digits and hyphens", m.Plural, model.IsLabel},
		{"kind", "write ASCII letters and digits", m.Kind, model.IsKind},
		{"listKind", "write ASCII letters and digits", m.ListKind, model.IsKind},
	} {
		if name.Value != "" && !name.isValid(name.Value) {
			f.addError(name.Pos, "%s %q is not a valid name; %s, or regenerate this %s with controller-gen", name.what, name.Value,
				name.form, definition)
		}
	}
}

func describeVersion(node manifestNode) input.ManifestVersion {
	v := input.ManifestVersion{Name: node.required(node, "spec.versions", "name")}
	if name := v.Name; name.Value != "" && !model.IsLabel(name.Value) {
		node.file.addError(name.Pos, "version %q is not a valid name; write one such as v1, or regenerate this %s with controller-gen",
			name.Value, definition)
	}
	served := node.required(node, "spec.versions", "served")
	v.Served, v.ServedPos = served.Value == "true", served.Pos
	if served.Value != "" && served.Value != "true" && served.Value != "false" {
		node.file.addError(served.Pos, "served is %q; write true or false", served.Value)
	}
	subresources := node.get("subresources")
	v.SubresourcesPos = subresources.posOr(node.get("name"), node)
	v.Status, v.Scale = subresources.get("status").isMapping(), subresources.get("scale").isMapping()
	if node.file.withSchemas {
		v.Schema = describeSchema(node.get("schema").get("openAPIV3Schema"), 0)
	}
	for _, field := range node.get("selectableFields").elements() {
		v.SelectableFields = append(v.SelectableFields, node.required(field, "spec.versions.selectableFields", "jsonPath"))
	}
	return v
}

// required returns the text of a field of parent, which is at path. If the field is missing, it adds a
// mistake at the nearest position.
func (n manifestNode) required(parent manifestNode, path, name string) input.Placed {
	field := parent.get(name)
	if field.text() == "" {
		n.file.addError(field.posOr(parent, n), "%s.%s of this %s is missing or not a string; "+
			"regenerate it with controller-gen, or add it", path, name, definition)
	}
	return field.placed()
}
