package migrate

import (
	"bytes"
	"context"
	"fmt"
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

// storeObject writes a text to the repository of git in a folder, and returns its name there.
func storeObject(ctx context.Context, dir string, text []byte) (name string, err error) {
	command := newCommand(ctx, dir, "", "git", "hash-object", "-w", "--stdin")
	command.Stdin = bytes.NewReader(text)
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("store a file in the repository: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}
