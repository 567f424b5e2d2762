package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/render"
)

// AliasFile is a Go file with aliases of the kinds of a package. Its own package belongs to the
// user, who can add markers there that the package of the kinds lacks.
type AliasFile struct {
	// Path is the file that Write creates.
	Path    string
	Content []byte
	// Group and Version of the kinds.
	Group, Version string
	// Kinds are the names of the kinds. The scope of the kinds in Guessed is a guess.
	Kinds, Guessed []string
}

// Aliases reads the one package that options name and makes a file of aliases for the folder dir,
// which replaces options.OutputDir. It writes nothing.
func Aliases(ctx context.Context, options Options, dir string) (*AliasFile, error) {
	options.OutputDir = dir
	run, err := options.resolve()
	if err != nil {
		return nil, err
	}
	run.Candidates = true
	run.ApplyPackage, run.ApplyDir = "", "" // markers cannot restrict Apply to types that have it
	var errs model.Errors
	loaded, err := load.Load(ctx, run, &errs)
	if err != nil {
		return nil, err
	}
	if err := errs.Join(); err != nil {
		return nil, err
	}
	if len(loaded.Packages) != 1 {
		return nil, optionError("Patterns", "%s matches %d packages, but a file of aliases is for one; name that package",
			strings.Join(options.Patterns, " "), len(loaded.Packages))
	}
	gv, kinds, err := decide.Aliases(ctx, inputOf(run, loaded), filepath.ToSlash(run.OutputDir), &errs)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(run.OutputDir)
	switch err := errs.Join(); {
	case err != nil:
		return nil, err
	case len(kinds) == 0:
		return nil, fmt.Errorf("package %s has no type that can be a kind: a struct with metav1.TypeMeta, metav1.ObjectMeta, "+
			"DeepCopyObject and a list type; name another package", loaded.Packages[0].Path)
	case run.Layout.OutputPackage == gv.Main().Path:
		return nil, optionError("OutputDir", "{OutputDir}=%s is the folder of package %s itself; name another folder", dir, gv.Main().Path)
	case !isPackageName(name):
		return nil, optionError("OutputDir", "{OutputDir}=%s does not end in a valid name of a Go package; "+
			"name a folder such as api/shop/%s", dir, gv.Version)
	case !decide.FitsFolder(gv, filepath.ToSlash(run.OutputDir)):
		return nil, optionError("OutputDir", "{OutputDir}=%s ends in %s, but the version of package %s is %s; "+
			"name a folder such as api/shop/%s", dir, name, gv.Main().Path, gv.Version, gv.Version)
	}
	file := &AliasFile{Path: filepath.Join(run.OutputDir, "aliases.go"), Group: gv.Group.Name, Version: gv.Version}
	for _, k := range kinds {
		file.Kinds = append(file.Kinds, k.Name)
		if k.GuessedScope {
			file.Guessed = append(file.Guessed, k.Name)
		}
	}
	file.Content, err = render.Aliases(gv, kinds, name, run.Boilerplate)
	return file, err
}

// Write creates the file and its folder. It returns an error if the file exists, because the user may
// have changed it.
func (f *AliasFile) Write() (err error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of the aliases: %w", err)
	}
	file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists and may have been changed by hand; delete it, or name another folder", f.Path)
	}
	if err != nil {
		return fmt.Errorf("cannot create the file of the aliases: %w", err)
	}
	_, err = file.Write(f.Content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("cannot write the aliases: %w", err), os.Remove(f.Path))
	}
	return nil
}
