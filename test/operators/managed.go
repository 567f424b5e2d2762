package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// managed is a published project whose tests start a manager of controller-runtime with envtest.
type managed struct {
	name string
	// module is the project with a version.
	module string
	// suites are the folders of the packages whose tests run. Each package has a server of its own.
	suites []string
	// ginkgo is set if the tests are specs of Ginkgo.
	ginkgo bool
	// newCaches are options NewCache that replace crcache.New, by file. added has the files with what they call.
	newCaches, added map[string]string
}

//go:embed referenced.go.tmpl
var referencedCache string

var managedOperators = []managed{
	{
		name: "jobset", module: "sigs.k8s.io/jobset@v0.10.1", ginkgo: true,
		suites: []string{"test/integration/controller", "test/integration/webhook"},
	},
	{
		name: "cluster-api", module: "sigs.k8s.io/cluster-api@v1.12.0",
		// Without internal/webhooks/test, which compares the messages of CEL rules with those of Kubernetes 1.34.
		suites: []string{
			"controlplane/kubeadm/internal/controllers", "internal/controllers/cluster", "internal/controllers/clusterclass", "internal/controllers/clusterresourceset",
			"internal/controllers/extensionconfig", "internal/controllers/machine", "internal/controllers/machinedeployment", "internal/controllers/machinehealthcheck",
			"internal/controllers/machinepool", "internal/controllers/machineset", "internal/controllers/topology/cluster",
		},
	},
	{
		// The controller of control planes, which reads the Secrets of its Clusters by their names from the cache. The project caches
		// the Secrets with a label.
		name: "cluster-api-referenced", module: "sigs.k8s.io/cluster-api@v1.12.0",
		suites:    []string{"controlplane/kubeadm/internal/controllers"},
		newCaches: map[string]string{"internal/test/envtest/environment.go": "withoutSecrets(crcache.NewFunc(secretsOfClusters))"},
		added:     map[string]string{"internal/test/envtest/referenced.go": referencedCache},
	},
}

// managedRows prints a row for each project.
func (r runner) managedRows(ctx context.Context, matches func(string) bool) error {
	if !slices.ContainsFunc(managedOperators, func(o managed) bool { return matches(o.name) }) {
		return nil
	}
	if err := r.buildServer(ctx); err != nil {
		return err
	}
	var errs []error
	fmt.Println("\n| project | lines changed | tests passed before, after | failed before, after | passed in a second or third run before, after | time before, after | CPU time before, after | peak memory before, after |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, o := range managedOperators {
		if !matches(o.name) {
			continue
		}
		got, err := r.runManaged(ctx, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.name, err))
			continue
		}
		fmt.Printf("| %s, %s | %d | %d, %d | %d, %d | %d, %d | %.0f s, %.0f s | %.0f s, %.0f s | %d MB, %d MB |\n", o.name, o.module, got.lines, got.before.count(true), got.after.count(true), got.before.count(false), got.after.count(false), got.before.retried, got.after.retried,
			got.before.wall.Seconds(), got.after.wall.Seconds(), got.before.cpu.Seconds(), got.after.cpu.Seconds(), got.before.peak>>20, got.after.peak>>20)
		for _, name := range differing(got.before.passed, got.after.passed) {
			errs = append(errs, fmt.Errorf("%s: %s: passed before is %v, passed after is %v", o.name, name, got.before.passed[name], got.after.passed[name]))
		}
	}
	return errors.Join(errs...)
}

// managedResult is what became of a managed operator.
type managedResult struct {
	before, after suiteResult
	// lines is the number of options NewCache that the command set.
	lines int
}

// runManaged runs the tests of a project with the cache of controller-runtime, and with crcache.
func (r runner) runManaged(ctx context.Context, o managed) (got managedResult, err error) {
	root := filepath.Join(r.build, o.name)
	source, before, after := filepath.Join(root, "source"), filepath.Join(root, "before"), filepath.Join(root, "after")
	if err := os.RemoveAll(root); err != nil {
		return got, err
	}
	if err := r.unpack(ctx, operator{module: o.module}, source); err != nil {
		return got, err
	}
	edit := []string{"mod", "edit"}
	for _, module := range []string{"", "/adapters/clientgo", "/adapters/controllerruntime"} {
		edit = append(edit, "-replace="+repoModule+module+"="+filepath.Join(r.repo, module))
	}
	// Both sides have the versions that crcache needs, so that only the line differs.
	for _, arguments := range [][]string{edit, {"get", crcachePath + "@v0.0.0"}} {
		if err := r.command(ctx, source, "go", arguments...); err != nil {
			return got, err
		}
	}
	if err := r.buildSuites(ctx, o, source, before); err != nil {
		return got, err
	}
	report, err := r.runMigrate(ctx, source, filepath.Join(root, "migrate.log"), "--controller-runtime")
	if err != nil {
		return got, err
	}
	got.lines = strings.Count(report, newCache)
	if err := o.replaceCaches(source); err != nil {
		return got, err
	}
	if err := r.buildSuites(ctx, o, source, after); err != nil {
		return got, err
	}
	for _, suite := range o.suites {
		for _, side := range []struct {
			dir    string
			result *suiteResult
		}{{before, &got.before}, {after, &got.after}} {
			ran, err := r.runSuite(ctx, o, filepath.Join(source, suite), suiteFile(side.dir, suite))
			if err != nil {
				return got, fmt.Errorf("%s, %s: %w", suite, filepath.Base(side.dir), err)
			}
			side.result.add(suite, ran)
			fmt.Fprintf(os.Stderr, "%s %s %s: %d passed, %d failed in %v, with %v of CPU time and %d MB\n", o.name, suite, filepath.Base(side.dir),
				ran.count(true), ran.count(false), ran.wall.Round(time.Second), ran.cpu.Round(time.Second/10), ran.peak>>20)
		}
	}
	return got, nil
}

const (
	repoModule  = "github.com/typedinformers/informer-gen"
	crcachePath = repoModule + "/adapters/controllerruntime"
	// newCache is the option that the command sets.
	newCache = "crcache.New"
)

// replaceCaches replaces the options NewCache of a project by those of its row.
func (o managed) replaceCaches(source string) error {
	for name, content := range o.added {
		if err := os.WriteFile(filepath.Join(source, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	for name, text := range o.newCaches {
		path := filepath.Join(source, name)
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Count(content, []byte(newCache)) != 1 {
			return fmt.Errorf("%s has no %s, or several", name, newCache)
		}
		if err := os.WriteFile(path, bytes.Replace(content, []byte(newCache), []byte(text), 1), 0o644); err != nil {
			return err
		}
	}
	return nil
}
