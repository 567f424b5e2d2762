package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	platform := []debug.BuildSetting{{Key: "-compiler", Value: "gc"}, {Key: "GOARCH", Value: "arm64"}, {Key: "GOOS", Value: "darwin"}}
	vcs := func(modified string) []debug.BuildSetting {
		return append([]debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef"},
			{Key: "vcs.time", Value: "2026-11-23T20:00:00Z"}, {Key: "vcs.modified", Value: modified}}, platform...)
	}
	self := func(version string, replace *debug.Module) debug.Module {
		return debug.Module{Path: modulePath, Version: version, Replace: replace}
	}
	other := debug.Module{Path: "example.com/shop", Version: "v9.9.9"}
	dependency := self("v0.1.0", nil)
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"go install or go tool with a version", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.0", nil), Settings: platform},
			"v0.1.0 (go1.25.3, darwin/arm64)"},
		{"a dependency of a program that embeds the command", &debug.BuildInfo{GoVersion: "go1.25.3", Main: other, Deps: []*debug.Module{&other, &dependency}, Settings: platform},
			"v0.1.0 (go1.25.3, darwin/arm64)"},
		{"a checkout without its revision", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("(devel)", nil), Settings: platform},
			"(devel) (go1.25.3, darwin/arm64)"},
		{"go run of an old go command", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("", nil), Settings: platform},
			"(devel) (go1.25.3, darwin/arm64)"},
		{"a checkout of a tag", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.0", nil), Settings: vcs("false")},
			"v0.1.0 (revision 0123456789abcdef, go1.25.3, darwin/arm64)"},
		{"a checkout with changes", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.1-0.20261123200000-0123456789ab+dirty", nil), Settings: vcs("true")},
			"v0.1.1-0.20261123200000-0123456789ab+dirty (revision 0123456789abcdef, with uncommitted changes, go1.25.3, darwin/arm64)"},
		{"a replaced module", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.0", &debug.Module{Path: "../informer-gen"}), Settings: platform},
			"v0.1.0 => ../informer-gen (go1.25.3, darwin/arm64)"},
		{"a replaced module of go tool", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.0", &debug.Module{Path: "/src/informer-gen", Version: "(devel)"}), Settings: platform},
			"v0.1.0 => /src/informer-gen (go1.25.3, darwin/arm64)"},
		{"a fork", &debug.BuildInfo{GoVersion: "go1.25.3", Main: self("v0.1.0", &debug.Module{Path: "example.com/fork", Version: "v0.2.0"}), Settings: platform},
			"v0.1.0 => example.com/fork@v0.2.0 (go1.25.3, darwin/arm64)"},
		{"another module", &debug.BuildInfo{GoVersion: "go1.25.3", Main: other, Settings: platform},
			"(unknown) (go1.25.3, darwin/arm64)"},
		{"no build info", nil, "(unknown) (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"},
	} {
		if got := version(test.info, test.info != nil); got != test.want {
			t.Errorf("%s: got  %s\nwant %s", test.name, got, test.want)
		}
	}
}
