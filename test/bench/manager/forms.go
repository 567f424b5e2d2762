package main

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// forms measures a first sync with a handler of each form.
func (m *measurement) forms(ctx context.Context, forms ...form) (err error) {
	empty := meter.LiveHeap()
	manager, err := m.newManager()
	if err != nil {
		return err
	}
	sync, err := m.begin("forms")
	if err != nil {
		return err
	}
	counters := meter.NewCounters(len(forms))
	counters.Expect(m.objects)
	row := ""
	for i, f := range forms {
		informer, err := manager.GetCache().GetInformer(ctx, f.object(m.kind), cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if err := handle(informer, counters[i]); err != nil {
			return err
		}
		if i > 0 {
			row += " and "
		}
		row += f.name
	}
	stop := start(ctx, manager)
	defer func() { err = errors.Join(err, stop()) }()
	if err := synced(ctx, manager); err != nil {
		return err
	}
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
	row += " readers: "
	m.add(row+"time until the handlers have all objects", "s", sync.seconds)
	m.add(row+"CPU time", "s", sync.cpuSeconds)
	m.add(row+"peak RSS", report.PeakMB, float64(peak)/megabyte)
	m.add(row+"live heap per object", "B", float64(meter.LiveHeap()-empty)/float64(m.objects))
	if err := meter.HeapProfile(m.profile, row); err != nil {
		return err
	}
	for _, f := range forms {
		if err := m.keepDigest(ctx, f.name, manager.GetCache(), f, client.UnsafeDisableDeepCopy); err != nil {
			return err
		}
	}
	return nil
}

// live lists the objects in all forms without a cache.
func (m *measurement) live(ctx context.Context) error {
	manager, err := m.newManager()
	if err != nil {
		return err
	}
	for _, f := range []form{typed, metadata, unstructuredForm} {
		if err := m.keepDigest(ctx, f.name, manager.GetAPIReader(), f, client.Limit(pageSize)); err != nil {
			return err
		}
	}
	return nil
}

// pageSize is how many objects are listed at once without a cache.
const pageSize = 500

// keepDigest keeps the digest of what a reader lists, for a comparison with that of other
// processes.
func (m *measurement) keepDigest(ctx context.Context, name string, reader client.Reader, f form, options ...client.ListOption) error {
	digest, err := m.listed(ctx, reader, f, options...)
	m.result.Contents[m.kind.prefix+name] = digest
	return err
}

// listed returns the digest of what a reader lists, page by page.
func (m *measurement) listed(ctx context.Context, reader client.Reader, f form, options ...client.ListOption) (string, error) {
	d := newDigester(m.objects)
	list := f.list(m.kind)
	for isLast := false; !isLast; {
		token := list.GetContinue()
		if err := reader.List(ctx, list, slices.Concat(options, []client.ListOption{client.Continue(token)})...); err != nil {
			return "", err
		}
		if err := d.addList(list); err != nil {
			return "", err
		}
		isLast = list.GetContinue() == "" || list.GetContinue() == token || list.GetContinue() == ofCache
	}
	return d.sum()
}

// ofCache is the continue token of lists from a cache, which has no pages.
const ofCache = "continue-not-supported"
