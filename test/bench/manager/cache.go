package main

import (
	"context"
	"errors"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

const megabyte = 1e6

// sync measures a first sync with an index and one handler, and what it leaves on the heap.
func (m *measurement) sync(ctx context.Context) error {
	return m.firstSync(ctx, func(manager ctrl.Manager) error {
		return m.keepDigest(ctx, typed.name, manager.GetClient(), typed, client.UnsafeDisableDeepCopy)
	})
}

// cache measures the same, and reads.
func (m *measurement) cache(ctx context.Context) error {
	return m.firstSync(ctx, func(manager ctrl.Manager) error { return m.reads(ctx, manager.GetClient()) })
}

// firstSync calls then after a first sync.
func (m *measurement) firstSync(ctx context.Context, then func(ctrl.Manager) error) (err error) {
	empty := meter.LiveHeap()
	sync, err := m.begin("first sync")
	if err != nil {
		return err
	}
	manager, err := m.newManager()
	if err != nil {
		return err
	}
	if err := manager.GetFieldIndexer().IndexField(ctx, m.kind.object(), bucket, m.buckets); err != nil {
		return err
	}
	informer, err := manager.GetCache().GetInformer(ctx, m.kind.object(), cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	counters := meter.NewCounters(1)
	counters.Expect(m.objects)
	if err := handle(informer, counters[0]); err != nil {
		return err
	}
	stop := start(ctx, manager)
	defer func() { err = errors.Join(err, stop()) }()
	if err := synced(ctx, manager); err != nil {
		return err
	}
	until := time.Since(sync.began)
	handled, err := counters.Await(ctx)
	if err != nil {
		return err
	}
	sync.end(handled)
	peak, err := meter.PeakRSS()
	if err != nil {
		return err
	}
	if err := counters.Check(meter.Counts{Adds: m.objects}); err != nil {
		return err
	}
	const row = "first sync: "
	m.add(row+"time until WaitForCacheSync returns", "s", until.Seconds())
	m.add(report.SyncTime, "s", sync.seconds)
	m.add(row+"CPU time", "s", sync.cpuSeconds)
	m.add(row+"peak RSS", report.PeakMB, float64(peak)/megabyte)
	m.add(row+"allocated", report.PeakMB, sync.allocatedBytes/megabyte)
	m.add("live heap per object", "B", float64(meter.LiveHeap()-empty)/float64(m.objects))
	if err := meter.HeapProfile(m.profile, "cache"); err != nil {
		return err
	}
	return then(manager)
}
