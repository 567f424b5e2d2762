package main

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// modulePath is the module of the command.
const modulePath = "github.com/typedinformers/informer-gen"

// version returns the version of the module that the command was built from, and in parentheses
// the revision, the Go version and the platform of the build. The go command records all of them, so
// that no build needs flags of the linker. The arguments are the results of [debug.ReadBuildInfo].
func version(info *debug.BuildInfo, ok bool) string {
	if !ok || info == nil {
		info = &debug.BuildInfo{}
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	var details []string
	if revision := settings["vcs.revision"]; revision != "" {
		details = append(details, "revision "+revision)
	}
	if settings["vcs.modified"] == "true" {
		details = append(details, "with uncommitted changes")
	}
	details = append(details, cmp.Or(info.GoVersion, runtime.Version()),
		cmp.Or(settings["GOOS"], runtime.GOOS)+"/"+cmp.Or(settings["GOARCH"], runtime.GOARCH))
	return moduleVersion(info) + " (" + strings.Join(details, ", ") + ")"
}

// moduleVersion returns the version of the module of the command. It is the main module of
// go install and of a checkout, and it can be a dependency in other builds.
func moduleVersion(info *debug.BuildInfo) string {
	for _, module := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if module.Path != modulePath {
			continue
		}
		if module.Replace == nil {
			return cmp.Or(module.Version, "(devel)")
		}
		by := module.Replace.Path
		if v := module.Replace.Version; v != "" && v != "(devel)" { // some go commands give a folder that version
			by += "@" + module.Replace.Version
		}
		return cmp.Or(module.Version, "(devel)") + " => " + by
	}
	return "(unknown)"
}
