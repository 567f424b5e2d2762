package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// next is a later version of client-go than that of go.mod, which is measured too, and nextGo the version of Go that it needs.
const next, nextGo = "v0.38.0-beta.0", "go1.27.4"

// buildNext builds a command with the next client-go and a copy of go.mod, and returns its file. If nextGo is neither installed nor
// can be downloaded, buildNext prints that, and returns "". A file of the command whose name begins with _ uses what only the next
// client-go has. The go command ignores it elsewhere.
func (o *options) buildNext(ctx context.Context, name string) string {
	folder, test := filepath.Join(o.repo, "build", "bench", next), filepath.Join(o.repo, "test")
	run := func(args ...string) error {
		command := exec.CommandContext(ctx, "go", args...)
		command.Dir, command.Stderr, command.Env = test, os.Stderr, append(os.Environ(), "GOTOOLCHAIN="+nextGo)
		return command.Run()
	}
	if err := run("version"); err != nil {
		fmt.Printf("next: left out, because client-go %s needs %s, which is neither installed nor can be downloaded\n", next, nextGo)
		return ""
	}
	fmt.Printf("next: client-go %s, %s\n", next, nextGo)
	meter.Check(os.MkdirAll(folder, 0o755))
	for _, file := range []string{"go.mod", "go.sum"} {
		meter.Check(os.WriteFile(filepath.Join(folder, file), meter.Must(os.ReadFile(filepath.Join(test, file))), 0o644))
	}
	mod, overlay, binary := filepath.Join(folder, "go.mod"), filepath.Join(folder, "overlay.json"), folder+"-"+name
	// The module proxy does not have the excluded versions, which client-go requires. Nothing here imports ktesting.
	meter.Check(run("mod", "edit", "-go=1.27.0", "-require=k8s.io/client-go@"+next, "-exclude=k8s.io/ktesting@"+next,
		"-require=sigs.k8s.io/structured-merge-diff/v7@v7.0.0", "-exclude=sigs.k8s.io/structured-merge-diff/v7@v7.0.1", mod))
	added := map[string]string{}
	for _, file := range meter.Must(filepath.Glob(filepath.Join(test, "bench", name, "_*.go"))) {
		added[filepath.Join(filepath.Dir(file), filepath.Base(file)[1:])] = file
	}
	meter.Check(os.WriteFile(overlay, meter.Must(json.Marshal(map[string]any{"Replace": added})), 0o644))
	meter.Check(run("build", "-mod=mod", "-modfile="+mod, "-overlay="+overlay, "-o", binary, "./bench/"+name))
	return binary
}
