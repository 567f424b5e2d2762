// Command demo-shards shows processes of the example operator that share their work: it adds one,
// kills one, pauses one and lets one end, and prints how many objects each has meanwhile. The API
// server is a real one, inside of this program. It ends by itself, and leaves nothing but its folder
// under build/. make demo-shards runs it.
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

// stall is how long any one step may take.
const stall = 5 * time.Minute

func main() {
	repo := pflag.String("repo", "..", "root `FOLDER` of the repository")
	objects := pflag.Int("objects", 500, "`number` of databases")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	if err := run(ctx, *repo, *objects); err != nil {
		fmt.Fprintln(os.Stderr, "demo-shards:", err)
		os.Exit(1)
	}
}

// run plays the demo.
func run(ctx context.Context, repo string, objects int) (err error) {
	started := time.Now()
	if repo, err = filepath.Abs(repo); err != nil {
		return err
	}
	build, err := demo.NewFolder(repo, "demo-shards")
	if err != nil {
		return err
	}
	s, err := open(ctx, build, filepath.Join(repo, "examples", "operator"), objects)
	if err != nil {
		return err
	}
	if err := errors.Join(s.play(ctx), s.close()); err != nil {
		return fmt.Errorf("%w; the logs of the operators are in %s", err, build)
	}
	demo.Say("end", "all processes and the server have stopped (%s)", demo.Seconds(started))
	return nil
}
