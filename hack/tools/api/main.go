// Command api compares the exported API of a module with that of an earlier version of its source. It
// fails if a change can break a user's code, unless the changelog names what has changed:
//
//	api --base=DIR [--changelog=FILE] [--no-breaks] MODULE
//
// DIR holds the repository at the earlier version. FILE, which is CHANGELOG.md by default, and MODULE are paths in the
// repository of the working directory, and in DIR. With --no-breaks no line of the changelog allows a break, as for a patch
// version. A removed module is a break too.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Exit codes.
const (
	exitOK       = 0
	exitBreaking = 1 // or the packages cannot be read
	exitUsage    = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without os.Exit. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("api", flag.ContinueOnError)
	flags.SetOutput(stderr)
	base := flags.String("base", "", "the `folder` with the repository at the earlier version")
	changelog := flags.String("changelog", "CHANGELOG.md", "the `file` that has to name what breaks")
	noBreaks := flags.Bool("no-breaks", false, "fail for each break, also if the changelog names it, as for a patch version")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if *base == "" || flags.NArg() != 1 {
		flags.Usage()
		return exitUsage
	}
	module := flags.Arg(0)
	if *noBreaks {
		*changelog = ""
	}
	breaks, err := check(*base, module, *changelog, stdout)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "api: cannot compare the API of %s: %v\n", module, err)
		return exitBreaking
	case breaks > 0 && *noBreaks:
		fmt.Fprintf(stderr, "api: module %s has incompatible changes (%d), and a patch version must not have one; undo them, or release a minor version\n", module, breaks)
		return exitBreaking
	case breaks > 0:
		fmt.Fprintf(stderr, "api: module %s has incompatible changes that %s does not name (%d); undo them, or write the lines above under the heading ### Changed or ### Removed of Unreleased, and what users have to do\n", module, *changelog, breaks)
		return exitBreaking
	}
	return exitOK
}

// check prints the changes of a module, and returns how many incompatible ones the changelog does not name. An empty
// changelog names none.
func check(base, module, changelog string, w io.Writer) (breaks int, err error) {
	changes, err := changesOf(base, module)
	if err != nil {
		return 0, err
	}
	var named names
	if changelog != "" {
		if named, err = readNames(filepath.Join(base, changelog), changelog); err != nil {
			return 0, err
		}
	}
	additions := 0
	for _, c := range changes {
		name := c.path
		if c.Identifier != "" {
			name = c.Package.Name() + "." + c.Identifier
		}
		switch {
		case c.Compatible && c.Identifier == "":
			fmt.Fprintf(w, "api: new: package %s\n", c.path)
		case c.Compatible:
			// The packages of built-in kinds would print thousands of lines.
			if additions++; additions <= maxAdditions {
				fmt.Fprintf(w, "api: new: %s: %s\n", name, c.Message)
			}
		case named.has(c):
			fmt.Fprintf(w, "api: incompatible, and %s names it: %s: %s\n", changelog, name, c.Message)
		case changelog == "":
			breaks++
			fmt.Fprintf(w, "%s: %s is incompatible: %s\n", c.position, name, c.Message)
		default:
			breaks++
			fmt.Fprintf(w, "%s: %s is incompatible: %s; if the break is necessary, add to %s: - `%s` …\n", c.position, name, c.Message, changelog, c.nameInChangelog())
		}
	}
	if additions > maxAdditions {
		fmt.Fprintf(w, "api: and %d more additions to %s\n", additions-maxAdditions, module)
	}
	return breaks, nil
}

// changesOf returns the changes of a module, or only one if it has been removed.
func changesOf(base, module string) ([]change, error) {
	if _, err := os.Stat(filepath.Join(module, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(base, module, "go.mod")); err != nil {
			return nil, err // no version has such a module
		}
		return []change{{path: path.Join(repository, module), Message: "module removed", position: module}}, nil
	}
	older, err := load(base, module)
	if err != nil {
		return nil, fmt.Errorf("earlier version: %w", err)
	}
	newer, err := load(".", module)
	if err != nil {
		return nil, err
	}
	return compare(older, newer), nil
}

// maxAdditions is how many additions are printed one by one.
const maxAdditions = 40
