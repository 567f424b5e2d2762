package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// attack is the same work on both sides.
type attack struct {
	name string
	// prepare is called once. It returns the work, which is called several times.
	prepare func() (ours, theirs func() error)
}

func allAttacks(size int) []attack {
	return slices.Concat(decoding(size), messages(size), indexing(size))
}

// start prepares an attack, and does the work once: the first calls make plans and get
// memory from the system. It fails if one side refuses an object that the other side takes.
func (a *attack) start() (ours, theirs func() error, err error) {
	ours, theirs = a.prepare()
	oursFailed, theirsFailed := ours(), theirs()
	if (oursFailed == nil) != (theirsFailed == nil) {
		err = fmt.Errorf("%s: ours returns the error %v, client-go %v", a.name, oursFailed, theirsFailed)
	}
	return ours, theirs, err
}

// measureAll measures each attack, and returns a report of each round by side.
func measureAll(attacks []attack, rounds int) (map[string][]report.Report, error) {
	result := map[string][]report.Report{report.Ours: make([]report.Report, rounds), report.Theirs: make([]report.Report, rounds)}
	for _, a := range attacks {
		ours, theirs, err := a.start()
		if err != nil {
			return nil, err
		}
		for round := range rounds {
			measure := func(side string, call func() error) {
				r := &result[side][round]
				r.Figures = append(r.Figures, report.Figure{Row: a.name, Unit: "ms", Value: 1000 * cpuTime(call).Seconds()})
			}
			measure(report.Ours, ours)
			measure(report.Theirs, theirs)
		}
	}
	return result, nil
}

// enough is how long calls are measured together: the clock of processor time may have
// steps of milliseconds.
const enough = 50 * time.Millisecond

// cpuTime returns the processor time of a call and of the garbage collection after it, in
// which its allocations count.
func cpuTime(call func() error) (took time.Duration) {
	runtime.GC()
	before := meter.CPUTime()
	calls := 0
	for ; took < enough && calls < 20; calls++ {
		_ = call() // start has compared the errors
		took = meter.CPUTime() - before
	}
	runtime.GC()
	return (meter.CPUTime() - before) / time.Duration(calls)
}
