package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// groupNames are the names of a group version in generated code.
type groupNames struct {
	// dir is the folder of the group, and goName its name in Go.
	dir, goName string
	// group is the name of the group, where it is known.
	group string
}

var (
	clientFile   = regexp.MustCompile(`/typed/([^/]+)/(v[0-9][^/]*)/[^/]+_client\.go$`)
	clientStruct = regexp.MustCompile(`(?m)^\+?type (\w+)Client struct`)
	packageDoc   = regexp.MustCompile(`of group "([^"]*)"`)
	importLine   = regexp.MustCompile(`(?m)^\+?\s+(?:\w+ )?"([^"]+)"$`)
)

// addNames adds the names in the text of a client, by the package of its API types.
func addNames(names map[string]groupNames, path, text string) {
	match, goName := clientFile.FindStringSubmatch(filepath.ToSlash(path)), clientStruct.FindStringSubmatch(text)
	if match == nil || goName == nil {
		return
	}
	version := match[2]
	found := groupNames{dir: match[1], goName: strings.TrimSuffix(goName[1], strings.ToUpper(version[:1])+version[1:])}
	if group := packageDoc.FindStringSubmatch(text); group != nil {
		found.group = group[1]
	}
	for _, line := range importLine.FindAllStringSubmatch(text, -1) {
		if strings.HasSuffix(line[1], "/"+version) {
			names[line[1]] = found
			return
		}
	}
}

// oldNames reads the clients of a run that exist.
func oldNames(r *run) (map[string]groupNames, error) {
	names := map[string]groupNames{}
	return names, eachFile(filepath.Join(r.output, "clientset"), func(path string) error {
		text, err := os.ReadFile(path)
		if generatedHeader.Match(text) {
			addNames(names, path, string(text))
		}
		return err
	})
}

// newNames returns the names that informer-gen gives, from the difference that it would write to a folder that does not exist.
func newNames(ctx context.Context, r *run, change goMod, tool string) (map[string]groupNames, error) {
	flags, err := change.inTemporary(ctx)
	if err != nil {
		return nil, err
	}
	if flags.dir != "" {
		defer func() { _ = os.RemoveAll(flags.dir) }()
	}
	words := []string{tool, "--verify", "--output-dir=informer-gen-migrate"}
	for _, arg := range r.args {
		if !strings.HasPrefix(arg, "--informers=") && !strings.HasPrefix(arg, "--output-dir=") {
			words = append(words, arg)
		}
	}
	command := newCommand(ctx, r.dir, flags.text, words...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && (ctx.Err() != nil || !errors.As(err, &exit)) {
		return nil, cmp.Or(ctx.Err(), err)
	}
	names := map[string]groupNames{}
	files := strings.Split(stdout.String(), "\n+++ ")
	for _, file := range files[1:] {
		path, text, _ := strings.Cut(file, "\n")
		addNames(names, path, text)
	}
	if len(files) == 1 {
		return nil, fmt.Errorf("informer-gen cannot generate this code:\n%s", strings.TrimSpace(stderr.String()))
	}
	return names, nil
}

// keptNames returns the flags that keep the folders and the names in Go of groups.
func keptNames(ctx context.Context, r *run, change goMod, tool string) (flags []string, err error) {
	before, err := oldNames(r)
	if err != nil || len(before) == 0 {
		return nil, err
	}
	after, err := newNames(ctx, r, change, tool)
	if err != nil {
		return nil, err
	}
	for _, pkg := range slices.Sorted(maps.Keys(before)) {
		was, is := before[pkg], after[pkg]
		if is.group == "" {
			continue
		}
		if was.dir != is.dir {
			flags = append(flags, "--group-dirs="+is.group+":"+was.dir)
		}
		if was.goName != is.goName {
			flags = append(flags, "--group-go-names="+is.group+":"+was.goName)
		}
	}
	return slices.Compact(flags), nil
}
