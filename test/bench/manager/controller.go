package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// reconciler gets each object that it is called for, and notes what it has seen.
type reconciler struct {
	reader client.Reader
	object func() client.Object

	mu sync.Mutex // guards what follows
	// seen are the versions, and reached is closed when there are as many as expected.
	seen     []meter.Response
	expected int
	reached  chan struct{}
}

func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	obj := r.object()
	if err := r.reader.Get(ctx, request.NamespacedName, obj); err != nil {
		return reconcile.Result{}, err
	}
	at := time.Now().UnixNano()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, meter.Response{Version: obj.GetResourceVersion(), At: at})
	if len(r.seen) == r.expected {
		close(r.reached)
	}
	return reconcile.Result{}, nil
}

// expect begins to note, until there are count notes.
func (r *reconciler) expect(count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.expected, r.reached = make([]meter.Response, 0, count), count, make(chan struct{})
}

// await returns the expected notes, and when the last of them was made.
func (r *reconciler) await(ctx context.Context) ([]meter.Response, time.Time, error) {
	r.mu.Lock()
	reached := r.reached
	r.mu.Unlock()
	select {
	case <-reached:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) != r.expected {
		return nil, time.Time{}, fmt.Errorf("%d objects were reconciled, and %d expected: %w", len(r.seen), r.expected, context.Cause(ctx))
	}
	return r.seen, time.Unix(0, r.seen[len(r.seen)-1].At), nil
}

const (
	// updatesPerSecond is the steady rate of updates, and burst is how many there are at once.
	updatesPerSecond = 100
	burst            = 5000
)

// reconcile measures a controller: its first reconciles of all objects, the time from a write
// until its reconciler reads the result, and a burst of updates.
func (m *measurement) reconcile(ctx context.Context) (err error) {
	began, err := m.begin("first reconciles")
	if err != nil {
		return err
	}
	manager, err := m.newManager()
	if err != nil {
		return err
	}
	r := &reconciler{reader: manager.GetClient(), object: m.kind.object}
	r.expect(m.objects)
	if err := ctrl.NewControllerManagedBy(manager).Named("benchmark").For(m.kind.object()).Complete(r); err != nil {
		return err
	}
	stop := start(ctx, manager)
	defer func() { err = errors.Join(err, stop()) }()
	if err := synced(ctx, manager); err != nil {
		return err
	}
	_, last, err := r.await(ctx)
	if err != nil {
		return err
	}
	began.end(last)
	const row = "start until all objects are reconciled: "
	m.add(row+"time", "s", began.seconds)
	m.add(row+"CPU time", "s", began.cpuSeconds)
	peak, err := meter.PeakRSS()
	if err != nil {
		return err
	}
	m.add(row+"peak RSS", report.PeakMB, float64(peak)/megabyte)
	if err := m.steady(ctx, r); err != nil {
		return fmt.Errorf("steady updates: %w", err)
	}
	if err := m.burst(ctx, r); err != nil {
		return fmt.Errorf("burst: %w", err)
	}
	return m.compare(ctx, manager)
}

// steady measures the time from the request of a write until the reconciler has read it.
func (m *measurement) steady(ctx context.Context, r *reconciler) error {
	count := min(updatesPerSecond*m.seconds, m.objects)
	r.expect(count)
	steady, err := m.begin("steady updates")
	if err != nil {
		return err
	}
	if err := m.update(ctx, count, "--rate="+strconv.Itoa(updatesPerSecond)); err != nil {
		return err
	}
	seen, last, err := r.await(ctx)
	if err != nil {
		return err
	}
	steady.end(last)
	delays, err := m.delays(seen)
	if err != nil {
		return err
	}
	row := fmt.Sprintf("%d updates a second, from write to reconciler: ", updatesPerSecond)
	for i, percentile := range report.Percentiles {
		if percentile <= 99 { // too few updates for more
			m.add(fmt.Sprintf("%sp%v", row, percentile), "ms", delays[i])
		}
	}
	m.add(fmt.Sprintf("%d updates a second: CPU time per update", updatesPerSecond), "µs", steady.cpuSeconds*1e6/float64(count))
	return nil
}

// burst measures updates that come all at once, because the manager could not reach the API
// server when they were written.
func (m *measurement) burst(ctx context.Context, r *reconciler) error {
	if err := m.link.Hold(ctx); err != nil {
		return err
	}
	count := min(burst, m.objects)
	r.expect(count)
	if err := m.update(ctx, count); err != nil {
		return err
	}
	at, err := m.begin("burst")
	if err != nil {
		return err
	}
	m.link.Release(false)
	seen, last, err := r.await(ctx)
	if err != nil {
		return err
	}
	at.end(last)
	if _, err := m.delays(seen); err != nil {
		return err
	}
	each := 1e6 / float64(count)
	m.add("burst of updates: time per reconciled update", "µs", at.seconds*each)
	m.add("burst of updates: CPU time per reconciled update", "µs", at.cpuSeconds*each)
	return nil
}

// update lets another process update objects, which gives each a label that it never had.
func (m *measurement) update(ctx context.Context, count int, args ...string) error {
	command := exec.CommandContext(ctx, m.kube, append([]string{
		"update", "--url=" + m.url, "--token=" + m.token, "--ca=" + m.ca, "--kind=" + m.kindName, "--objects=" + strconv.Itoa(m.objects),
		"--count=" + strconv.Itoa(count), "--from=" + strconv.FormatInt(time.Now().UnixMicro(), 10), "--out=" + m.out,
	}, args...)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("write updates: %w\n%s", err, output)
	}
	return nil
}

// delays returns those of what the reconciler has seen, which must be what was written.
func (m *measurement) delays(seen []meter.Response) ([]float64, error) {
	writes, err := meter.ReadResponses(m.out)
	if err != nil {
		return nil, err
	}
	return meter.Delays(seen, writes, func(r meter.Response) int64 { return r.Sent })
}

// compare compares the cache with what the API server has.
func (m *measurement) compare(ctx context.Context, manager ctrl.Manager) error {
	cached, err := m.listed(ctx, manager.GetClient(), typed, client.UnsafeDisableDeepCopy)
	if err != nil {
		return err
	}
	stored, err := m.listed(ctx, manager.GetAPIReader(), typed, client.Limit(pageSize))
	if err != nil {
		return err
	}
	if cached != stored {
		return fmt.Errorf("the cache has %s, and the server %s", cached, stored)
	}
	return nil
}
