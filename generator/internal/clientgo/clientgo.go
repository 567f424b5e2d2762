// Package clientgo finds the version of client-go in the user's module, and its properties on which generated
// code depends.
package clientgo

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// lowest is the oldest version that generated code and its runtime compile with.
const lowest = "v0.34.0"

// The packages whose files and modules Read looks at. Nearly every package of apimachinery imports
// selection, so a vendor folder has it too.
const (
	discoveryPackage = "k8s.io/client-go/discovery"
	cachePackage     = "k8s.io/client-go/tools/cache"
	typedPackage     = "k8s.io/client-go/gentype"
	machineryPackage = "k8s.io/apimachinery/pkg/selection"
)

// Packages returns the import paths of the packages to list for Read. None of them has an API type.
func Packages() []string {
	return []string{discoveryPackage, cachePackage, typedPackage, machineryPackage}
}

// Read reads the listed packages. It looks for declarations instead of comparing versions, so forks,
// replaced modules and vendor folders have the properties of their own code. It compares the versions only
// if both modules have a version of a release.
func Read(listed []*packages.Package) input.Library {
	var client, machinery dependency
	library := input.Library{DiscoveryType: "DiscoveryInterface", InlineTag: ",inline"}
	isFound := false
	for _, pkg := range listed {
		switch pkg.PkgPath {
		case discoveryPackage:
			client, isFound = dependencyOf(pkg), len(pkg.GoFiles) > 0
			if slices.ContainsFunc(pkg.GoFiles, declares("DiscoveryInterfaces interface")) {
				library.DiscoveryType, library.InlineTag = "DiscoveryInterfaces", ""
			}
		case cachePackage:
			library.HasInformerNames = slices.ContainsFunc(pkg.GoFiles, declares("type InformerName struct"))
			library.HasTypedInformers = slices.ContainsFunc(pkg.GoFiles, declares("func NewTypedSharedIndexInformer["))
			library.HasShardSelectors = slices.ContainsFunc(pkg.GoFiles, declares("SetShardSelector(selector sharding.Selector)"))
		case typedPackage:
			library.HasDeleteWithResult = slices.ContainsFunc(pkg.GoFiles, declares("DeleteWithResult(ctx context.Context"))
		case machineryPackage:
			machinery = dependencyOf(pkg)
		}
	}
	get := terminal.Quote("go", "get", "k8s.io/client-go/kubernetes@"+newest(lowest, machinery.version))
	if !isFound && slices.ContainsFunc(listed, isNotVendored) { // nothing may import it before the first run
		library.Warning = "generated code needs k8s.io/client-go, and the vendor folder does not have it; run " + get + " and " +
			terminal.Quote("go", "mod", "vendor") + " after informer-gen"
		return library
	}
	if !isFound {
		library.Missing = "generated code needs k8s.io/client-go, and go.mod has no version of it; run " + get +
			", and then informer-gen again"
		return library
	}
	if client.version == "" {
		return library
	}
	if isOld(client.version) {
		library.Problem = fmt.Sprintf("generated code needs k8s.io/client-go %s or newer, and the module has %s; %s", lowest,
			client.version, upgrade(client, machinery))
	} else if machinery.version != "" && semver.MajorMinor(client.version) != semver.MajorMinor(machinery.version) {
		library.Warning = fmt.Sprintf("k8s.io/client-go %s and k8s.io/apimachinery %s have different minor versions, "+
			"so they may not compile; %s", client.version, machinery.version, upgrade(client, machinery))
	}
	return library
}

// isNotVendored reports whether a package is missing because the go command looks only in the vendor folder.
func isNotVendored(pkg *packages.Package) bool {
	return slices.ContainsFunc(pkg.Errors, func(err packages.Error) bool { return strings.Contains(err.Msg, "-mod=vendor") })
}

// declares returns a function that reports whether a file has a declaration.
func declares(declaration string) func(file string) bool {
	return func(file string) bool {
		content, err := os.ReadFile(file)
		return err == nil && bytes.Contains(content, []byte(declaration))
	}
}

// dependency is a module with a version. The version is empty if the module is a fork or a folder, or if the
// version is not a release.
type dependency struct {
	version    string
	isReplaced bool
}

func dependencyOf(pkg *packages.Package) dependency {
	m := pkg.Module
	if m == nil {
		return dependency{}
	}
	d := dependency{version: m.Version}
	if by := m.Replace; by != nil {
		d = dependency{by.Version, true}
		if by.Path != m.Path {
			return dependency{}
		}
	}
	if !semver.IsValid(d.version) || module.IsPseudoVersion(d.version) {
		return dependency{}
	}
	return d
}

// upgrade returns how to get versions of both modules that belong together.
func upgrade(client, machinery dependency) string {
	target := newest(lowest, client.version, machinery.version)
	if client.isReplaced || machinery.isReplaced {
		return fmt.Sprintf("let the replace lines of go.mod name %s or newer for both, or remove them", target)
	}
	return "run " + terminal.Quote("go", "get", "k8s.io/client-go@"+target, "k8s.io/apimachinery@"+target)
}

// isOld reports whether a version is older than the lowest one. The versions before v0.15 were v2 to v12, without
// the major version in the path.
func isOld(version string) bool {
	return semver.Build(version) == "+incompatible" || semver.Compare(semver.MajorMinor(version), semver.MajorMinor(lowest)) < 0
}

// newest returns the newest of the versions. It ignores empty ones and those before v0.15.
func newest(versions ...string) string {
	versions = slices.DeleteFunc(versions, func(v string) bool { return v == "" || semver.Build(v) == "+incompatible" })
	return slices.MaxFunc(versions, semver.Compare)
}
