package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
)

// control obeys the commands of the standard input.
type control struct {
	store *store
	// keep is set if the data are kept at the end.
	keep atomic.Bool
}

// converse prints a Ready when the server is ready, and answers commands until the input
// ends.
func (c *control) converse(ctx context.Context, stdin io.Reader, stdout io.Writer, access *access) error {
	lines := make(chan string)
	go readLines(ctx, stdin, lines)
	answer := json.NewEncoder(stdout)
	ready := make(chan error, 1)
	go func() { ready <- access.awaitReady(ctx) }()
	for {
		select {
		case err := <-ready:
			if err != nil {
				return err
			}
			if err := answer.Encode(Ready{URL: access.url(), Token: access.token, CA: access.certificate(), Dir: access.dir, Etcd: c.store.endpoint}); err != nil {
				return err
			}
			ready = nil
		case line, more := <-lines:
			if !more {
				return nil
			}
			if err := answer.Encode(c.obey(ctx, line)); err != nil {
				return err
			}
		}
	}
}

// Reply is the answer to a command.
type Reply struct {
	// Error is why the command failed; empty if it did not.
	Error string `json:"error,omitempty"`
	// Compacted is the newest revision that etcd has forgotten.
	Compacted int64 `json:"compacted,omitempty"`
	// CPUSeconds is the processor time of the whole process so far.
	CPUSeconds float64 `json:"cpuSeconds,omitempty"`
}

// readLines sends the lines of input until it ends. Then it closes lines.
func readLines(ctx context.Context, input io.Reader, lines chan<- string) {
	defer close(lines)
	for scanner := bufio.NewScanner(input); scanner.Scan(); {
		select {
		case lines <- scanner.Text():
		case <-ctx.Done():
			return
		}
	}
}

// obey does what a line of the input asks for:
//
//	compact  etcd forgets its history. Tokens of pages, and exact versions, expire within
//	         seconds. Watches expire only if the server runs with --watch-cache=false.
//	usage    returns the processor time that the process has used.
//	keep     the data are not removed at the end, so that another server can have them.
func (c *control) obey(ctx context.Context, command string) Reply {
	switch command {
	case "compact":
		revision, err := c.store.compact(ctx)
		if err != nil {
			return Reply{Error: err.Error()}
		}
		return Reply{Compacted: revision}
	case "usage":
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			return Reply{Error: err.Error()}
		}
		return Reply{CPUSeconds: float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9}
	case "keep":
		c.keep.Store(true)
		return Reply{}
	}
	return Reply{Error: fmt.Sprintf("there is no command %q; send compact, usage or keep", command)}
}
