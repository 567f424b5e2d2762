package main

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"path"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/test/compare"
)

// inspection is what was found out about the output.
type inspection struct {
	kinds       int
	differences []compare.Difference
}

// inspect checks the types of all that was generated, and compares the clientset with
// the published one. The published apply configurations, which the clientset uses, count as
// those that were generated. They are not compared: many versions of applyconfiguration-gen
// wrote them, and test/compare compares with the current one.
func (w workspace) inspect(ctx context.Context) (inspection, error) {
	module := compare.Module{Dir: w.dir, Source: true, Env: environ("GOFLAGS=-mod=mod")}
	// The clientset is a tree of its own, next to the whole of which it is a part.
	ours := compare.Folder{Dir: filepath.Join(w.dir, generated), Path: path.Join(modulePath, generated), Whole: true}
	folders := []compare.Folder{ours}
	for _, name := range []string{w.row.Clientset, w.row.Apply} {
		if name == "" {
			continue
		}
		dir, err := w.published(ctx, name)
		if err != nil {
			return inspection{}, err
		}
		folders = append(folders, compare.Folder{Dir: dir, Path: name, Lenient: true})
	}
	trees, err := compare.LoadFolders(ctx, module, folders...)
	if err != nil {
		return inspection{}, err
	}
	own := subtree(trees[0], "clientset/versioned")
	found := inspection{kinds: kinds(own)}
	if found.kinds == 0 {
		return found, errors.New("the clientset has no kinds")
	}
	if w.row.Clientset != "" {
		if kinds(trees[1]) == 0 {
			return found, fmt.Errorf("%s has no kinds: is it a clientset?", w.row.Clientset)
		}
		apply := path.Join(modulePath, generated, "applyconfiguration")
		found.differences = compare.API(trees[1], own, compare.Move{Theirs: w.row.Apply, Ours: apply})
	}
	return found, nil
}

// published returns the folder in the module cache of a published clientset, or of apply
// configurations.
func (w workspace) published(ctx context.Context, name string) (string, error) {
	module := w.row.Module
	if w.row.ClientModule != "" {
		module, _, _ = strings.Cut(w.row.ClientModule, "@")
	}
	dir, err := w.goCommand(ctx, "list", "-mod=mod", "-m", "-f={{.Dir}}", module)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, strings.TrimPrefix(name, module)), nil
}

// subtree is the part of a tree below a folder.
func subtree(tree *compare.Tree, folder string) *compare.Tree {
	sub := &compare.Tree{Path: path.Join(tree.Path, folder), Packages: map[string]*types.Package{}}
	for name, pkg := range tree.Packages {
		if name == folder {
			sub.Packages["."] = pkg
		}
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			sub.Packages[rest] = pkg
		}
	}
	return sub
}

// kinds counts the typed clients of a clientset: each has an interface to add methods to.
func kinds(clientset *compare.Tree) int {
	n := 0
	for name, pkg := range clientset.Packages {
		if !strings.HasPrefix(name, "typed/") || path.Base(name) == "fake" {
			continue
		}
		for _, object := range pkg.Scope().Names() {
			if strings.HasSuffix(object, "Expansion") {
				n++
			}
		}
	}
	return n
}
