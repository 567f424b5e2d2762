package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const megabyte = 1e6

// usage is what one process used, or several that ran one after the other.
type usage struct {
	wall time.Duration
	// cpu and peak include the processes that it started and waited for, such as go
	// list. peak is that of the largest process, in bytes.
	cpu  time.Duration
	peak int64
}

// measure runs commands one after the other, and returns the standard output of the
// last one.
func measure(commands ...*exec.Cmd) (total usage, output []byte, err error) {
	for _, command := range commands {
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		started := time.Now()
		err := command.Run()
		total.wall += time.Since(started)
		if err != nil {
			return usage{}, nil, fmt.Errorf("%s: %w\n%s%s", filepath.Base(command.Path), err, stderr.Bytes(), stdout.Bytes())
		}
		peak, err := peakOf(command.ProcessState.SysUsage())
		if err != nil {
			return usage{}, nil, err
		}
		total.cpu += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		total.peak = max(total.peak, peak)
		output = stdout.Bytes()
	}
	return total, output, nil
}

// runCommand runs a command that is not measured.
func runCommand(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(command.Path), err, output)
	}
	return nil
}

// buildCommand builds a command of the benchmark, and returns its file.
func buildCommand(ctx context.Context, o options, name string) (string, error) {
	binary := filepath.Join(o.repo, "build", "bench", name)
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./bench/"+name)
	build.Dir = filepath.Join(o.repo, "test")
	return binary, runCommand(build)
}

// peakOf returns the peak RSS in bytes. It fails if that is not larger than the peak of
// this process: a child shares the memory of its parent until it executes another
// program, and the kernel counts that, so no child has a lower peak than its parent.
func peakOf(sysUsage any) (int64, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	child, ok := sysUsage.(*syscall.Rusage)
	switch {
	case !ok:
		return 0, errors.New("this system does not report the memory of a process")
	case child.Maxrss <= own.Maxrss:
		return 0, errors.New("the benchmark itself has used more memory than what it measures")
	case runtime.GOOS == "darwin": // reports bytes, other systems kilobytes
		return int64(child.Maxrss), nil
	}
	return int64(child.Maxrss) * 1024, nil
}
