package migrate

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// newCommand returns a command, which is a program and its arguments, in a folder. goFlags are added to GOFLAGS. When ctx ends, the
// command is interrupted, so that it removes its temporary files, and killed after 10 seconds.
func newCommand(ctx context.Context, dir, goFlags string, words ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Dir = dir
	command.Env = append(os.Environ(), "PWD="+dir, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" "+goFlags))
	command.Cancel, command.WaitDelay = func() error { return command.Process.Signal(os.Interrupt) }, 10*time.Second
	return command
}
