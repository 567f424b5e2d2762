package render

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/build/constraint"
	"path"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/sync/errgroup"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// File is an emitted file.
type File struct {
	// Dir is the folder of the API package that the file is in. It is empty for the output folder.
	Dir string
	// Path is relative to the folder, with slashes.
	Path    string
	Content []byte
}

// Render returns all files of a set, sorted by folder and path. The same input gives the same bytes. boilerplate begins each
// file, before model.Header.
func Render(ctx context.Context, set *model.Set, boilerplate []byte) ([]File, error) {
	parsed, err := parsed()
	if err != nil {
		return nil, err
	}
	sources := sourcesOf(set)
	files := make([]File, len(sources))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, f := range sources {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			content, err := f.render(parsed.Lookup(f.template), boilerplate)
			files[n] = File{Dir: f.dir(), Path: f.path, Content: content}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := checkNames(sources); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(a.Path, b.Path)) })
	for i := 1; i < len(files); i++ {
		if files[i].Dir == files[i-1].Dir && files[i].Path == files[i-1].Path {
			return nil, fmt.Errorf("%s: two templates write this file, please report it", files[i].Path)
		}
	}
	return files, nil
}

// sourcesOf returns the data of each file, in the order of the catalogue.
func sourcesOf(set *model.Set) []*file {
	var sources []*file
	for _, row := range catalogue {
		for _, s := range row.each(set) {
			if row.when == nil || row.when(s) {
				sources = append(sources, &file{
					subject: s, template: row.template, path: path.Join(row.folder(s), row.name(s)), imports: newImports(s.privateNames()...),
				})
			}
		}
	}
	return sources
}

// execute returns the text of a template with the imports that it uses, formatted.
func (f *file) execute(t *template.Template, data any) ([]byte, error) {
	var body bytes.Buffer
	if err := t.Execute(&body, data); err != nil {
		return nil, fmt.Errorf("%s: cannot execute the template, please report it: %w", f.path, err)
	}
	if f.misnamed != "" {
		return nil, fmt.Errorf("%s: %s is neither a Go name nor a type, please report it", f.path, f.misnamed)
	}
	formatted, declared, err := f.imports.addTo(body.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	f.declared = declared
	return formatted, nil
}

func (f *file) render(t *template.Template, boilerplate []byte) ([]byte, error) {
	formatted, err := f.execute(t, f)
	if err != nil {
		return nil, err
	}
	parts := [][]byte{[]byte(model.Header + "\n\n"), formatted}
	if api := f.api(); api != nil && api.BuildConstraint != "" {
		if !constraint.IsGoBuild(api.BuildConstraint) {
			return nil, fmt.Errorf("%s: %q is no build constraint, please report it", f.path, api.BuildConstraint)
		}
		parts = slices.Insert(parts, 0, []byte(api.BuildConstraint+"\n\n"))
	}
	return withBoilerplate(boilerplate, parts...), nil
}

// withBoilerplate joins the user's comment, which may be empty, and the parts of a file.
func withBoilerplate(boilerplate []byte, parts ...[]byte) []byte {
	var b bytes.Buffer
	if len(boilerplate) > 0 {
		b.Write(bytes.TrimSpace(boilerplate))
		b.WriteString("\n\n")
	}
	for _, part := range parts {
		b.Write(part)
	}
	return b.Bytes()
}

// checkNames returns an error for each two kinds that need one name in a package. For example, Foo and
// FooNamespace both need FooNamespaceLister.
func checkNames(files []*file) error {
	var clashes model.Errors
	var ours error // a name that templates declare twice by themselves
	owners := map[string]*file{}
	reported := map[[2]*model.Kind]bool{}
	for _, f := range files {
		for _, name := range f.declared {
			qualified := path.Join(f.dir(), path.Dir(f.path)) + "." + name
			other := owners[qualified]
			if other == nil {
				owners[qualified] = f
				continue
			}
			first, second := other.Kind, f.Kind
			if second == nil {
				first, second = second, first
			}
			pair := [2]*model.Kind{first, second}
			switch {
			case second == nil || first == second:
				ours = cmp.Or(ours, fmt.Errorf("%s and %s both declare %s, please report it", other.path, f.path, name))
			case reported[pair]:
			case first == nil:
				clashes.Add(second.Pos, "kind %s needs the name %s in package %s, which is already declared there; "+
					"rename the kind, or leave it out with --exclude=%s.%s",
					second.Name, name, path.Dir(f.path), second.Package.Path, second.Name)
			default:
				clashes.Add(second.Pos, "kinds %s and %s (%s) both need the name %s in package %s; "+
					"rename one of them, or leave one out with --exclude=%s.%s",
					second.Name, first.Name, first.Pos, name, path.Dir(f.path), second.Package.Path, second.Name)
			}
			reported[pair] = true
		}
	}
	return cmp.Or(clashes.Join(), ours)
}
