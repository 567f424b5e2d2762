// Package meter is how a process of the benchmark measures itself.
package meter

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// CPUTime returns the processor time that the process has used so far.
func CPUTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// PeakRSS returns the peak RSS of the process so far, in bytes.
func PeakRSS() (int64, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, err
	}
	if runtime.GOOS == "darwin" { // reports bytes, other systems kilobytes
		return int64(used.Maxrss), nil
	}
	return int64(used.Maxrss) * 1024, nil
}

// Allocated returns how many bytes the process has allocated so far.
func Allocated() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.TotalAlloc)
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

// Profile writes a CPU profile until stop is called, to a file named by prefix and row.
// It does nothing if prefix is empty.
func Profile(prefix, row string) (stop func(), err error) {
	if prefix == "" {
		return func() {}, nil
	}
	file, err := os.Create(profileName(prefix, row))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}

// HeapProfile writes a profile of the heap to a file named by prefix and row. It does
// nothing if prefix is empty.
func HeapProfile(prefix, row string) error {
	if prefix == "" {
		return nil
	}
	file, err := os.Create(profileName(prefix, row+" heap"))
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("heap").WriteTo(file, 0), file.Close())
}

func profileName(prefix, row string) string {
	return prefix + strings.NewReplacer(" ", "-", "/", "-").Replace(row) + ".pprof"
}
