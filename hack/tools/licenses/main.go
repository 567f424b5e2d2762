// Command licenses checks the licenses of all packages that the packages of a module import, directly or
// not: each has a license file in its folder or in one above it, and each license that the file has is on
// the list below. It reads the module cache, and needs the network only for modules that are not there.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licenses that only require notices. Another license, such as
// MPL-2.0, needs a decision: add it with the module, not for all.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// exceptions are further licenses, by module. Each needs a reason.
var exceptions = map[string][]string{}

// systems are the values of GOOS that are checked, because some packages are compiled only for one of them.
var systems = []string{"linux", "darwin", "windows"}

// minPercent is how much of a license file has to be the text of known licenses. The rest are
// copyright lines and lists of files.
const minPercent = 75

var fileName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([.-].*)?$`)

func main() {
	flag.Parse()
	failed := false
	for _, dir := range flag.Args() {
		summary, err := check(dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "licenses: %s: %v\n", dir, err)
			failed = true
			continue
		}
		fmt.Printf("licenses of %s: %s\n", dir, summary)
	}
	if failed {
		os.Exit(1)
	}
}

// pkg is a package as go list prints it.
type pkg struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Path, Dir string
		Main      bool
	}
}

// list returns all packages that a module in a folder needs on the systems.
func list(dir string) ([]pkg, error) {
	var all []pkg
	known := map[string]bool{}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./...")
		cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "GOOS="+system)
		output, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list with GOOS=%s: %w", system, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
			var p pkg
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list with GOOS=%s: %w", system, err)
			}
			if !known[p.ImportPath] {
				known[p.ImportPath] = true
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// check checks all packages that a module in a folder needs, and returns the number of modules and their licenses.
func check(dir string) (string, error) {
	packages, err := list(dir)
	if err != nil {
		return "", err
	}
	var errs []error
	modules, found, files := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, p := range packages {
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		if p.Module.Dir == "" {
			errs = append(errs, fmt.Errorf("%s has no folder in the module cache; run go mod download", p.Module.Path))
			continue
		}
		modules[p.Module.Path] = true
		names, err := licenseFiles(p.Dir, p.Module.Dir)
		if err != nil {
			return "", err
		}
		if len(names) == 0 && !strings.HasPrefix(p.Module.Path+"/", "github.com/typedinformers/informer-gen/") {
			errs = append(errs, fmt.Errorf("%s has no license file in %s or above its package", p.ImportPath, p.Module.Path))
		}
		for _, name := range names {
			if _, read := files[name]; read {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			files[name], err = licenses(text, p.Module.Path)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s of %s: %w", filepath.Base(name), p.Module.Path, err))
			}
			for _, id := range files[name] {
				found[id] = true
			}
		}
	}
	ids := make([]string, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return fmt.Sprintf("%d modules with %s", len(modules), strings.Join(ids, ", ")), errors.Join(errs...)
}

// licenseFiles returns the license files in the folder of a package, and in those above it up to that of its module.
func licenseFiles(dir, root string) ([]string, error) {
	var names []string
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && fileName.MatchString(entry.Name()) && !strings.HasSuffix(entry.Name(), ".go") {
				names = append(names, filepath.Join(dir, entry.Name()))
			}
		}
		if dir == root || len(dir) <= len(root) {
			return names, nil
		}
		dir = filepath.Dir(dir)
	}
}

// licenses returns the licenses in the text of a license file. It returns an error unless all are allowed.
func licenses(text []byte, module string) ([]string, error) {
	coverage := licensecheck.Scan(text)
	if coverage.Percent < minPercent {
		return nil, fmt.Errorf("only %.0f %% of it is a known license; read it, and add an exception with the reason", coverage.Percent)
	}
	var ids []string
	for _, match := range coverage.Match {
		if match.IsURL || slices.Contains(ids, match.ID) {
			continue
		}
		if !slices.Contains(allowed, match.ID) && !slices.Contains(exceptions[module], match.ID) {
			return nil, fmt.Errorf("the license %s is not allowed; replace the module, or add an exception with the reason to hack/tools/licenses", match.ID)
		}
		ids = append(ids, match.ID)
	}
	if len(ids) == 0 { // the file has only addresses of licenses
		return nil, errors.New("it has no text of a license; read the license that it names, and replace the module or change hack/tools/licenses")
	}
	return ids, nil
}
