// Command demo-real shows the whole line: API types, the code generated from them, a
// real API server, an operator that runs on the generated code, and the typed
// events of what happens. It ends by itself, or with --stay at Ctrl-C, and leaves nothing but
// its folder under build/. make demo ARGS=--real runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// patience is how long any one step may take.
const patience = 5 * time.Minute

func main() {
	repo := pflag.String("repo", "..", "root `FOLDER` of the repository")
	stay := pflag.Bool("stay", false, "go on until Ctrl-C, with a change each second, so that you can look at the operator's page, metrics and readiness")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	if err := run(ctx, *repo, *stay); err != nil {
		fmt.Fprintln(os.Stderr, "demo-real:", err)
		os.Exit(1)
	}
}

// run plays the demo. With stay it then changes something each second until ctx ends.
func run(ctx context.Context, repo string, stay bool) (err error) {
	started := time.Now()
	repo, err = filepath.Abs(repo)
	if err != nil {
		return err
	}
	build, err := demo.NewFolder(repo, "demo-real")
	if err != nil {
		return err
	}

	operator := filepath.Join(repo, "examples", "operator")
	if err := generate(ctx, operator); err != nil {
		return err
	}
	stage, err := open(ctx, build, operator)
	if err != nil {
		return err
	}
	if !stay {
		demo.Say("stay", "these addresses end with the demo; make demo ARGS=\"--real --stay\" goes on until Ctrl-C")
	}
	err = stage.play(ctx)
	if err == nil && stay {
		err = stage.stay(ctx)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w; the operator's log is %s", err, stage.operatorLog), stage.close())
	}
	if err := stage.close(); err != nil {
		return err
	}
	demo.Say("end", "operator, informers and server have stopped; nothing is left running (%s)", demo.Seconds(started))
	return nil
}
