package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/util/workqueue"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// workload is what a controller does.
type workload interface {
	// reconcile makes one step for a database. done reports that there was nothing left to do.
	// It is called once at a time for the same name.
	reconcile(ctx context.Context, name string) (done bool, err error)
	// check fails if the objects on the server are wrong, and returns what was counted.
	check(ctx context.Context, server *server, objects int) ([]report.Figure, error)
}

type newWorkload func(program program, steps int) workload

var workloads = map[string]newWorkload{report.Counters: newCounters, report.Children: newChildren}

// loop is the queue and the workers of a controller.
type loop struct {
	work  workload
	queue workqueue.TypedInterface[string]
	// keeps is set if a worker reconciles an object again and again until it is done. Otherwise
	// the object goes to the end of the queue, in which most objects wait for long enough that
	// the cache catches up.
	keeps bool

	mu sync.Mutex // guards what follows
	// left are the databases that have something left to do.
	left map[string]bool
	// err is the first error.
	err error
}

func newLoop(work workload, objects int, keeps bool) *loop {
	l := &loop{work: work, queue: workqueue.NewTyped[string](), keeps: keeps, left: map[string]bool{}}
	for i := range objects {
		l.left[databaseName(i)] = true
	}
	return l
}

// enqueue is what event handlers call.
func (l *loop) enqueue(name string) { l.queue.Add(name) }

// run returns when there is nothing left to do.
func (l *loop) run(ctx context.Context, workers int) error {
	stop := context.AfterFunc(ctx, func() { l.fail(fmt.Errorf("%d objects are not done: %w", l.remaining(), context.Cause(ctx))) })
	defer stop()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for l.step(ctx) {
			}
		})
	}
	group.Wait()
	return l.err
}

// step reconciles the next object of the queue. It returns false when the queue has ended.
func (l *loop) step(ctx context.Context) bool {
	name, ended := l.queue.Get()
	if ended {
		return false
	}
	defer l.queue.Done(name)
	done, err := l.work.reconcile(ctx, name)
	for l.keeps && !done && err == nil {
		done, err = l.work.reconcile(ctx, name)
	}
	switch {
	case err != nil:
		l.fail(fmt.Errorf("reconcile %s: %w", name, err))
	case done:
		l.finish(name)
	default:
		l.queue.Add(name)
	}
	return true
}

func (l *loop) finish(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.left, name); len(l.left) == 0 {
		l.queue.ShutDown()
	}
}

func (l *loop) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	l.queue.ShutDown()
}

func (l *loop) remaining() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.left)
}
