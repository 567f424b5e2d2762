// Package meter is how a process of the benchmark measures itself, and how it reports that.
package meter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// AtExit is what Check calls before it ends the process, if it is not nil.
var AtExit func()

// Check ends the process if there is an error: what it measures is of no use then.
func Check(err error) {
	if err != nil {
		if AtExit != nil {
			AtExit()
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Must returns a value, or ends the process as Check does.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// CPUTime returns the processor time that the process has used so far.
func CPUTime() time.Duration {
	var used syscall.Rusage
	Check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// PeakRSS returns the peak RSS of the process so far, in bytes. On Linux it does not include the memory of the parent, which a
// child shares until it executes a program, and which getrusage counts.
func PeakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		var used syscall.Rusage
		Check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		if runtime.GOOS == "darwin" { // reports bytes, other systems kilobytes
			return int64(used.Maxrss)
		}
		return int64(used.Maxrss) * 1024
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kilobytes int64
	Must(fmt.Sscan(string(rest), &kilobytes))
	return kilobytes * 1024
}

// LiveHeap returns the size of all reachable objects, in bytes. It collects several
// times: memory in a sync.Pool or with a finalizer survives the first collection.
func LiveHeap() int64 {
	for range 4 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Profile writes a CPU profile until stop is called, to a file named by prefix and phase.
// It does nothing if prefix is empty.
func Profile(prefix, phase string) (stop func()) {
	if prefix == "" {
		return func() {}
	}
	file := Must(os.Create(prefix + strings.ReplaceAll(phase, "/", "-") + ".pprof"))
	Check(pprof.StartCPUProfile(file))
	return func() {
		pprof.StopCPUProfile()
		Check(file.Close())
	}
}
