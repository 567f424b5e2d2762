package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// attack is the same work on both sides.
type attack struct {
	name string
	// prepare returns what is measured. It is called once; what it returns is called
	// several times.
	prepare func() (ours, theirs func() error)
}

// measureAll measures each attack. Its error is one of a side that refuses what the
// other side takes.
func measureAll(attacks []attack, rounds int) (*report.Attacks, error) {
	result := &report.Attacks{}
	for _, a := range attacks {
		ours, theirs := a.prepare()
		taken := report.Attack{Name: a.name}
		// The first calls are not measured: they make plans, and get memory from the system.
		oursFailed, theirsFailed := ours(), theirs()
		if (oursFailed == nil) != (theirsFailed == nil) {
			return nil, fmt.Errorf("%s: ours returns the error %v, client-go %v", a.name, oursFailed, theirsFailed)
		}
		for range rounds {
			oursTook, theirsTook := cpuTime(ours), cpuTime(theirs)
			taken.Ours, taken.Theirs = append(taken.Ours, oursTook.Seconds()), append(taken.Theirs, theirsTook.Seconds())
		}
		result.Attacks = append(result.Attacks, taken)
	}
	return result, nil
}

// enough is how long calls are measured together: the clock of processor time may have
// steps of milliseconds.
const enough = 50 * time.Millisecond

// cpuTime returns the processor time of a call and of the garbage collection after it:
// what a call allocates has its price.
func cpuTime(call func() error) (took time.Duration) {
	runtime.GC()
	before := usedTime()
	calls := 0
	for ; took < enough && calls < 20; calls++ {
		_ = call() // the caller has compared the errors
		took = usedTime() - before
	}
	runtime.GC()
	return (usedTime() - before) / time.Duration(calls)
}

func usedTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// allocated returns the bytes and the number of allocations of a call.
func allocated(call func() error) (bytes, count uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = call() // the caller has compared the errors
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}
