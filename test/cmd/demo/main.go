// Command demo shows generated code at work: clients, a factory of informers, typed events, listers, a controller with a
// status and a finalizer, the page, metrics and readiness, and informers that come through a fault. All of it is in this
// process, on an API server in memory that validates by the CRDs of examples/operator. It ends by itself, or with --stay
// at Ctrl-C, and leaves nothing but its folder under build/.
//
//	main.go        the flags, and what is printed at the end
//	schema.go      CRDs as kinds of the server
//	stage.go       the server, the clients, the informers, and the page
//	event.go       what handlers hear
//	controller.go  Databases get servers
//	story.go       what happens, in order
//	stay.go        what goes on with --stay
//
// make demo runs it. make demo ARGS=--real runs demo-real, with a whole API server and a whole operator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// timeout is how long the story may take.
const timeout = 5 * time.Minute

func main() {
	repo := flag.String("repo", "..", "root `folder` of the repository")
	stay := flag.Bool("stay", false, "go on until Ctrl-C, with a change each second, so that you can look at the page, metrics and readiness")
	flag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	if err := run(ctx, *repo, *stay); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run plays the demo. With stay it then changes something each second until ctx ends.
func run(ctx context.Context, repo string, stay bool) (err error) {
	started := time.Now()
	build, err := demo.NewFolder(repo, "demo")
	if err != nil {
		return err
	}
	stage, err := open(ctx, build, filepath.Join(repo, "examples", "operator", "config", "crd"))
	if err != nil {
		return err
	}
	if !stay {
		demo.Say("stay", "these addresses end with the demo; make demo ARGS=--stay goes on until Ctrl-C")
	}
	err = stage.play(ctx)
	if err == nil && stay {
		err = stage.stay(ctx)
	}
	if err := errors.Join(err, stage.close()); err != nil {
		return fmt.Errorf("%w; the log is %s", err, filepath.Join(build, logName))
	}
	demo.Say("end", "controller, informers and server have stopped, after %s", demo.Seconds(started))
	for _, line := range next {
		demo.Say("next", "%s", line)
	}
	return nil
}

// next is where to look after the demo.
var next = []string{
	"test/cmd/demo is this program, on code that is generated from examples/operator/api",
	"docs/quickstart.md makes a controller of your own, in 15 minutes, and examples/operator is a whole one to copy",
	"docs/migrating.md and docs/controller-runtime.md are for programs that exist",
	"make demo ARGS=--stay goes on, for a browser, curl and kubectl",
	"make demo ARGS=--real has a whole API server, generates the code, and compiles for minutes",
}
