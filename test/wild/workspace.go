package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	product = "github.com/typedinformers/informer-gen"
	// modulePath is that of each workspace.
	modulePath = "example.com/wild"
	// generated is the output folder in a workspace.
	generated = "generated"
)

// staging are modules that are released together with client-go. Each workspace has
// them at one version, so that all rows share what is compiled of them. They are replaced
// and not only required, because some modules require versions that only their own
// replacements make valid, such as k8s.io/client-go v12.0.0+incompatible.
var staging = strings.Fields(`
	api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap code-generator
	component-base component-helpers controller-manager cri-api cri-client csi-translation-lib dynamic-resource-allocation
	endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics
	mount-utils pod-security-admission sample-apiserver sample-cli-plugin sample-controller streaming
`)

// imports are what generated code and generators need besides the API packages.
var imports = []string{
	"k8s.io/apimachinery/pkg/util/managedfields",
	"k8s.io/client-go/applyconfigurations/autoscaling/v1",
	"k8s.io/client-go/applyconfigurations/meta/v1",
	"k8s.io/client-go/discovery",
	"k8s.io/client-go/discovery/fake",
	"k8s.io/client-go/gentype",
	"k8s.io/client-go/rest",
	"k8s.io/client-go/testing",
	"k8s.io/client-go/util/flowcontrol",
	product + "/apitest",
	product + "/runtime/cache",
	product + "/runtime/merge",
	product + "/runtime/redirect",
}

// workspace is a module on disk that requires the modules of a row.
type workspace struct {
	row  Row
	dir  string
	repo string
	// kubernetes is the version of client-go.
	kubernetes string
	// cache is the module cache.
	cache string
}

// create makes the module, and downloads what generation and type checks need. A
// workspace that was made of the same definition before is used again.
func (w workspace) create(ctx context.Context) error {
	definition, needed := w.definition(), w.needed()
	stamp, content := filepath.Join(w.dir, "definition"), definition+strings.Join(needed, "\n")
	if made, err := os.ReadFile(stamp); err == nil && string(made) == content {
		return nil
	}
	if err := os.RemoveAll(w.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "go.mod"), []byte(definition), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "wild.go"), []byte("package wild\n"), 0o644); err != nil {
		return err
	}
	// With -mod=mod the go command adds what is missing to go.mod and go.sum. In contrast to
	// go mod tidy it downloads nothing for tests of dependencies.
	if _, err := w.goCommand(ctx, append([]string{"list", "-mod=mod", "-deps", "-f={{if .Error}}{{.Error}}{{end}}"}, needed...)...); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(content), 0o644)
}

// needed are the packages that generation and type checks read.
func (w workspace) needed() []string {
	needed := slices.Concat(imports, w.row.patterns())
	for _, published := range []string{w.row.Clientset, w.row.Apply} {
		if published != "" {
			needed = append(needed, published+"/...")
		}
	}
	return needed
}

// definition is go.mod as it is before the go command completes it.
func (w workspace) definition() string {
	var text strings.Builder
	fmt.Fprintf(&text, "module %s\n\ngo 1.26.0\n\nrequire (\n\t%s v0.0.0\n", modulePath, product)
	own := map[string]bool{}
	for _, module := range w.row.requirements() {
		name, version, _ := strings.Cut(module, "@")
		own[name] = true
		fmt.Fprintf(&text, "\t%s %s\n", name, version)
	}
	for _, name := range []string{"api", "apimachinery", "client-go"} {
		fmt.Fprintf(&text, "\tk8s.io/%s %s\n", name, w.kubernetes)
	}
	fmt.Fprintf(&text, ")\n\nreplace %s => %s\n", product, w.repo)
	for _, name := range staging {
		if module := "k8s.io/" + name; !own[module] {
			fmt.Fprintf(&text, "replace %s => %[1]s %s\n", module, w.kubernetes)
		}
	}
	return text.String()
}

// environ is that of all commands. informer-gen compiles with CGO_ENABLED=0, and so do
// type checks, so that the build cache has one copy of each dependency.
func environ(more ...string) []string {
	return slices.Concat(os.Environ(), []string{"GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"}, more)
}

// goCommand returns what the go command prints, without the last line break.
func (w workspace) goCommand(ctx context.Context, args ...string) (string, error) {
	return goCommand(ctx, w.dir, args...)
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = dir, environ()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, withoutProgress(stderr.String()+string(output)))
	}
	return strings.TrimSpace(string(output)), nil
}

// withoutProgress drops the lines about downloads, which precede an error.
func withoutProgress(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go: downloading ") {
			kept.WriteString(line)
		}
	}
	return strings.TrimSpace(kept.String())
}
