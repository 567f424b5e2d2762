// Command writes is a controller that measures itself against a whole kube-apiserver, with one
// of several caches and clients:
//
//	writes --program=controller-runtime --workload=counters --url=https://… --token=…
//
//	counters   each reconcile reads an object from the cache and increments a number in its status
//	children   each reconcile lists the children of an object in the cache and creates one that
//	           is missing
//
// The queue, the workers and the reconcilers are the same for all programs (loop.go,
// counters.go, children.go). Only reads, writes and events differ (ours.go, manager.go). At the
// end the objects on the server must be right.
//
// What the rows mean:
//
//   - Counters. Each reconcile reads an object from the cache, adds 1 to a number in its status,
//     and writes it with UpdateStatus. After a conflict it reads the object from the server (a
//     live GET) and tries again, as many controllers do. In turn: after a reconcile the object
//     goes to the end of the queue, 20 times. The other objects are reconciled meanwhile, so the
//     watch has usually caught up, and few reads are stale. At once: the worker reconciles the
//     object again and again until it is done, 10 times, as a controller does if fewer objects
//     than workers have something to do.
//   - Children. Each object needs five children. A reconcile lists the children of an object in
//     the cache by a label, and creates one that is missing. Its name is generated, so the server
//     cannot refuse a second one. Duplicates are the children that are too many at the end.
//   - All programs do the same work. The queue, the workers and the reconcilers are the same code,
//     and event handlers add objects to the queue too. At the end each counter on the server must
//     be exactly right, and the number of successful writes must be exactly the number of
//     increments. Otherwise the benchmark fails.
//   - Requests are all requests while the controller runs, except watches. Get and List from the
//     cache are the time of one read. With EnableReadYourWritesConsistency this includes waiting.
//   - "In turn", the time is the same for all: the server is the limit, and hardly any read is
//     stale.
//   - Each program is a process of its own with no limit of rate. Server and controller share the
//     processors of the machine, so the time is mostly that of the server. The programs take
//     turns, and every second round is backwards.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// measurement is what the command line asks for.
type measurement struct {
	url, token, ca string
	// objects is how many databases there are, and steps how often each is written to, or how
	// many children it gets.
	objects, steps, workers int
	keeps                   bool
	profile                 string

	traffic traffic
	result  report.Report
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "writes:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var m measurement
	var name, work string
	pflag.StringVar(&m.url, "url", "", "`URL` of the API server")
	pflag.StringVar(&m.token, "token", "", "bearer `TOKEN` of an administrator")
	pflag.StringVar(&m.ca, "ca", "", "`FILE` with the certificate of the API server; without it, any is accepted")
	pflag.StringVar(&name, "program", report.Informers, fmt.Sprintf("one of %q", slices.Sorted(maps.Keys(programs))))
	pflag.StringVar(&work, "workload", report.Counters, fmt.Sprintf("one of %q", slices.Sorted(maps.Keys(workloads))))
	pflag.IntVar(&m.objects, "objects", 200, "how many objects there are")
	pflag.IntVar(&m.steps, "steps", 20, "how often each object is written to, or how many children it gets")
	pflag.IntVar(&m.workers, "workers", 20, "how many objects are reconciled at the same time")
	pflag.BoolVar(&m.keeps, "keep", false, "a worker keeps an object until there is nothing left to do for it")
	pflag.StringVar(&m.profile, "profile", "", "write a CPU profile to a file that begins with `PREFIX`")
	timeout := pflag.Duration("timeout", 5*time.Minute, "when to give up")
	if err := pflag.CommandLine.Parse(args); err != nil {
		return err
	}
	newProgram, ok := programs[name]
	if !ok {
		return fmt.Errorf("there is no program %q", name)
	}
	newWorkload, ok := workloads[work]
	if !ok {
		return fmt.Errorf("there is no workload %q", work)
	}
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	if err := m.measure(ctx, newProgram, newWorkload); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m.result)
}

// config returns a configuration without a limit of rate.
func (m *measurement) config() *rest.Config {
	return &rest.Config{Host: m.url, BearerToken: m.token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: m.ca, Insecure: m.ca == ""}}
}

// measure runs a controller from the first reconcile until it has nothing left to do.
func (m *measurement) measure(ctx context.Context, newProgram newProgram, newWorkload newWorkload) error {
	server, err := newServer(m.config())
	if err != nil {
		return err
	}
	if err := server.prepare(ctx, m.objects); err != nil {
		return fmt.Errorf("prepare the server: %w", err)
	}
	program, err := newProgram(m.traffic.through(m.config()))
	if err != nil {
		return err
	}
	work := newWorkload(program, m.steps)
	l := newLoop(work, m.objects, m.keeps)
	stop, err := program.start(ctx, l.enqueue)
	if err != nil {
		return err
	}
	stopProfile, err := meter.Profile(m.profile, "loop")
	if err != nil {
		return err
	}
	m.traffic.reset()
	cpu, began := meter.CPUTime(), time.Now()
	err = l.run(ctx, m.workers)
	seconds, cpuSeconds := time.Since(began).Seconds(), (meter.CPUTime() - cpu).Seconds()
	requests := m.traffic.count()
	stopProfile()
	stop()
	if err != nil {
		return err
	}
	m.add("requests", report.Count, float64(requests))
	m.add("time", "s", seconds)
	m.add("CPU time of the client", "s", cpuSeconds)
	figures, err := work.check(ctx, server, m.objects)
	m.result.Figures = slices.Concat(figures, m.result.Figures)
	return err
}

func (m *measurement) add(row, unit string, value float64) {
	m.result.Figures = append(m.result.Figures, report.Figure{Row: row, Unit: unit, Value: value})
}
