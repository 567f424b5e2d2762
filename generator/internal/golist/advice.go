package golist

import (
	"bytes"
	"fmt"
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// NoMatch returns the error of a run whose patterns match no package.
func NoMatch(run *input.Run) error {
	fix := "name the packages of your API types, such as ./api/v1"
	if slices.ContainsFunc(run.Patterns, isImportPath) {
		fix += ", or, for those of another module, run go get before informer-gen, and go mod tidy only after it: it removes modules " +
			"that no code imports"
	} else {
		fix += OrElsewhere(run)
	}
	return fmt.Errorf("no package matches %s in %s; %s", strings.Join(run.Patterns, " "), run.Dir, fix)
}

// isImportPath reports whether a pattern begins with the name of a host, as import paths of published modules do.
func isImportPath(pattern string) bool {
	host, _, _ := strings.Cut(pattern, "/")
	return strings.Contains(strings.Trim(host, "."), ".")
}

// OrElsewhere returns the advice for a run without a kind to run the generator in one of the modules that Nested returns, and to
// include a file of a kind in the build. It is empty if there are neither.
func OrElsewhere(run *input.Run) string { return orNested(run.Dir) + orIncluded(run) }

func orNested(dir string) string {
	nested := Nested(dir)
	if len(nested) == 0 {
		return ""
	}
	return ", or run informer-gen in " + strings.Join(nested, " or in ") + ", which has a go.mod of its own"
}

// orIncluded looks in the folders of the patterns for files that builds with the tags do not have.
func orIncluded(run *input.Run) string {
	builds := build.Default
	builds.BuildTags = run.BuildTags
	for _, pattern := range run.Patterns {
		root, _, isTree := strings.Cut(pattern, "...")
		if !filepath.IsAbs(root) && !strings.HasPrefix(root, ".") {
			continue // an import path
		}
		root = filepath.Clean(absoluteFolder(run.Dir, root))
		var found exclusion
		filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || found != exclusion{}:
				return err
			case entry.IsDir() && name != root && (!isTree || isSkipped(name)):
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			if isBuilt, err := builds.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !hasKind(name) {
				return nil
			} else if why := excluded([]string{name}); !isBuilt || why.cause == importC {
				found = why
			}
			return nil
		})
		if found.fix != "" {
			return ", or " + found.fix + display(run.Dir, found.file) + ", which has " + found.cause
		}
	}
	return ""
}

// isSkipped reports whether a pattern such as ./... matches nothing in a folder.
func isSkipped(folder string) bool {
	base := filepath.Base(folder)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor" ||
		moduleAbove(folder) == folder
}

// hasKind reports whether the text of a file has a marker of a kind.
func hasKind(name string) bool {
	content, err := regular.ReadFile(name)
	return err == nil && (bytes.Contains(content, []byte("+genclient")) || bytes.Contains(content, []byte("+kubebuilder:object:root")))
}
