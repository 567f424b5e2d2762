package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// usage is what one process took, or several that ran one after the other.
type usage struct {
	wall time.Duration
	// cpu and peak count processes that it started and waited for, which here is go
	// list. peak is that of the largest process, in bytes.
	cpu  time.Duration
	peak int64
}

// measure runs commands one after the other.
func measure(commands ...*exec.Cmd) (usage, error) {
	var total usage
	for _, command := range commands {
		used, _, err := measureOutput(command)
		if err != nil {
			return usage{}, err
		}
		total.wall += used.wall
		total.cpu += used.cpu
		total.peak = max(total.peak, used.peak)
	}
	return total, nil
}

// runCommand runs a command that is not measured.
func runCommand(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(command.Path), err, output)
	}
	return nil
}

// measureOutput runs a command, and returns its standard output.
func measureOutput(command *exec.Cmd) (used usage, output []byte, err error) {
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	started := time.Now()
	err = command.Run()
	used.wall = time.Since(started)
	if err != nil {
		return usage{}, nil, fmt.Errorf("%s: %w\n%s%s", filepath.Base(command.Path), err, stderr.Bytes(), stdout.Bytes())
	}
	used.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	used.peak, err = peakOf(command.ProcessState.SysUsage())
	return used, stdout.Bytes(), err
}

// peakOf returns bytes. It fails where the figure says nothing: until a child
// executes another program it shares the memory of this one, and the kernel counts
// that, so a child can never have a lower peak than this process.
func peakOf(sysUsage any) (int64, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	child, ok := sysUsage.(*syscall.Rusage)
	switch {
	case !ok:
		return 0, errors.New("this system does not tell the memory of a process")
	case child.Maxrss <= own.Maxrss:
		return 0, errors.New("the benchmark itself has used more memory than what it measures")
	}
	return int64(child.Maxrss) * maxrssUnit(), nil
}

// maxrssUnit is kilobytes, but bytes on macOS.
func maxrssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}
