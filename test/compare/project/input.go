package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

// Input is the types that there is to generate for.
type Input struct {
	// Base is the import path that all packages are below of.
	Base string
	// GroupVersions are the packages with a kind, such as core/v1.
	GroupVersions []string
	// Apply is the import path of apply configurations that both sides use. If it is below
	// ModulePath, Create generates them with applyconfiguration-gen. If it is empty, each side
	// generates its own.
	Apply string

	// ClientsOnly leaves out the listers and informers of theirs, which take half of the time, and
	// with them ClientGo.
	ClientsOnly bool

	// source is the folder of a group that is to be copied into the module.
	source string
}

// packages are the import paths.
func (i Input) packages() []string {
	var paths []string
	for _, gv := range i.GroupVersions {
		paths = append(paths, path.Join(i.Base, gv))
	}
	return paths
}

// Kubernetes is all of k8s.io/api, in the version that the module requires.
func Kubernetes(ctx context.Context, module string) (Input, error) {
	dir, err := goCommand(ctx, module, "list", "-m", "-f", "{{.Dir}}", "k8s.io/api")
	if err != nil {
		return Input{}, err
	}
	input := Input{Base: "k8s.io/api", Apply: "k8s.io/client-go/applyconfigurations"}
	input.GroupVersions, err = groupVersions(dir)
	return input, err
}

// Published are the packages of a module that the test module requires, below the folders under.
// Each side generates its own apply configurations.
func Published(ctx context.Context, repo, module string, under ...string) (Input, error) {
	dir, err := goCommand(ctx, filepath.Join(repo, "test"), "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return Input{}, err
	}
	// client-gen needs the name of a folder before that of a version.
	base, name := path.Split(module)
	input := Input{Base: path.Clean(base)}
	for _, folder := range under {
		found, err := groupVersions(filepath.Join(dir, folder))
		if err != nil {
			return Input{}, err
		}
		for _, gv := range found {
			input.GroupVersions = append(input.GroupVersions, path.Join(name, folder, gv))
		}
	}
	return input, nil
}

// GenerateApply returns the input without apply configurations that exist, so that each side
// generates its own.
func (i Input) GenerateApply() Input {
	i.Apply = ""
	return i
}

// SampleController is one small package with one kind.
func SampleController(repo string) (Input, error) {
	return inModule(filepath.Join(repo, "test/migration/apis/samplecontroller"))
}

// Shop is two versions of a group with a kind for each marker of code-generator.
func Shop(repo string) (Input, error) {
	return inModule(filepath.Join(repo, "testdata/apis/shop"))
}

// Fleet is one small package with one kind, which has an index whose path leads into a
// package of k8s.io/api.
func Fleet(repo string) (Input, error) {
	return inModule(filepath.Join(repo, "test/compare/project/testdata/fleet"))
}

// inModule returns the types of a group, which become part of the project's module.
func inModule(source string) (Input, error) {
	input := Input{
		Base:   path.Join(ModulePath, "pkg/apis"),
		Apply:  path.Join(ModulePath, "applyconfiguration"),
		source: source,
	}
	var err error
	input.GroupVersions, err = groupVersions(source)
	for i, version := range input.GroupVersions {
		input.GroupVersions[i] = path.Join(filepath.Base(source), version)
	}
	return input, err
}

// genclient is how kube_codegen.sh finds the packages.
var genclient = regexp.MustCompile(`(?m)^\s*//\s*\+genclient`)

func groupVersions(root string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil || !genclient.Match(source) {
			return err
		}
		way, err := filepath.Rel(root, filepath.Dir(name))
		found = append(found, filepath.ToSlash(way))
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no type below %s is marked with +genclient", root)
	}
	slices.Sort(found)
	return slices.Compact(found), err
}
