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
		var output bytes.Buffer
		command.Stdout, command.Stderr = &output, &output
		started := time.Now()
		err := command.Run()
		total.wall += time.Since(started)
		if err != nil {
			return usage{}, fmt.Errorf("%s: %w\n%s", filepath.Base(command.Path), err, output.Bytes())
		}
		total.cpu += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		peak, err := peakOf(command.ProcessState.SysUsage())
		if err != nil {
			return usage{}, err
		}
		total.peak = max(total.peak, peak)
	}
	return total, nil
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
