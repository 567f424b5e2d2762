package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// imports have the dependencies of generated code.
const imports = `package imports

import (
	_ "github.com/typedinformers/informer-gen/adapters/clientgo"
	_ "github.com/typedinformers/informer-gen/apitest"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes/fake"
)
`

// BuildVersion is Build with another version of Kubernetes: theirs is of that version, and so are
// k8s.io/api and client-go in projects. The go command has to be one that the version can be compiled
// with. Projects cannot Run programs, which need the test module.
func BuildVersion(ctx context.Context, repo, dir, version string) (*Tools, error) {
	repo, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	module := filepath.Join(dir, "module")
	if err := os.MkdirAll(module, 0o755); err != nil {
		return nil, err
	}
	// v0.38.0-beta.0 names a structured-merge-diff that cannot be had. Other versions do not use v7.
	text := fmt.Sprintf(`module %s

go 1.26.0

require (
	github.com/typedinformers/informer-gen v0.0.0
	github.com/typedinformers/informer-gen/adapters/clientgo v0.0.0
	k8s.io/api %[2]s
	k8s.io/apimachinery %[2]s
	k8s.io/client-go %[2]s
	k8s.io/code-generator %[2]s
)

replace (
	github.com/typedinformers/informer-gen => %[3]q
	github.com/typedinformers/informer-gen/adapters/clientgo => %[4]q
	sigs.k8s.io/structured-merge-diff/v7 => sigs.k8s.io/structured-merge-diff/v7 v7.0.0
)
`, ModulePath, version, repo, filepath.Join(repo, "adapters/clientgo"))
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(module, "imports.go"), []byte(imports), 0o644); err != nil {
		return nil, err
	}
	// This adds what the packages import to go.mod and go.sum. Tidy would also ask for what only tests of
	// client-go import, which for v0.38.0-beta.0 cannot be had.
	if _, err := goCommand(ctx, module, "list", "-mod=mod", "-deps", ".", "k8s.io/code-generator/cmd/..."); err != nil {
		return nil, err
	}
	return build(ctx, repo, module, dir)
}
