package generator

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// usage is what one process used, or several that ran one after the other.
type usage struct {
	wall, cpu time.Duration
	// peak is that of the largest process, in bytes.
	peak int64
}

// run runs commands one after the other.
func run(commands ...*exec.Cmd) (total usage, err error) {
	for _, command := range commands {
		began := time.Now()
		if output, err := command.CombinedOutput(); err != nil {
			return usage{}, fmt.Errorf("%s: %w\n%s", filepath.Base(command.Path), err, output)
		}
		total.wall += time.Since(began)
		peak, err := peakOf(command.ProcessState.SysUsage())
		if err != nil {
			return usage{}, err
		}
		total.cpu += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		total.peak = max(total.peak, peak)
	}
	return total, nil
}

// peakOf returns the peak RSS in bytes. It fails if that is not larger than the peak of
// this process: a child shares the memory of its parent until it executes another
// program, and the kernel counts that, so no child has a lower peak than its parent.
func peakOf(sysUsage any) (int64, error) {
	child, ok := sysUsage.(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not report the memory of a process")
	}
	peak := int64(child.Maxrss)
	if runtime.GOOS != "darwin" { // which reports bytes, other systems kilobytes
		peak *= 1024
	}
	if peak <= meter.PeakRSS() {
		return 0, errors.New("the benchmark itself has used more memory than what it measures")
	}
	return peak, nil
}

// TestPeakOfSmallProcess has a child that is smaller than the test.
func TestPeakOfSmallProcess(t *testing.T) {
	if _, err := run(exec.Command("true")); err == nil {
		t.Error("a peak that is too low to be true is taken")
	}
}
