package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// reader reads with the client of a manager, as reconcilers do.
type reader struct {
	*measurement
	client client.Client
	// keys are those of all objects, so that successive ones are not next to each other.
	keys []client.ObjectKey
}

// read is a row.
type read struct {
	name, unit string
	perUnit    time.Duration
	// together is how many are done between two looks at the clock.
	together int
	// do does read i, and checks how many objects it returns.
	do func(ctx context.Context, i int) error
}

// query is a List.
type query struct {
	name, unit string
	perUnit    time.Duration
	options    []client.ListOption
	// belongs reports whether an object is a result.
	belongs func(client.Object) bool
}

// reads measures reads, by one goroutine and by two, with and without copies.
func (m *measurement) reads(ctx context.Context, from client.Client) error {
	rows, err := m.checkedReads(ctx, &reader{measurement: m, client: from})
	if err != nil {
		return err
	}
	for _, row := range rows {
		for goroutines := 1; goroutines <= 2; goroutines++ {
			if err := m.measureRead(ctx, row, goroutines); err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
		}
	}
	return nil
}

// checkedReads returns the reads, after it has checked what each of them returns.
func (m *measurement) checkedReads(ctx context.Context, r *reader) (rows []read, err error) {
	all := m.kind.list()
	if err := r.client.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	objects, err := items(all)
	if err != nil {
		return nil, err
	}
	if len(objects) != m.objects {
		return nil, fmt.Errorf("the cache has %d objects instead of %d", len(objects), m.objects)
	}
	slices.SortFunc(objects, func(a, b client.Object) int { return cmp.Compare(hash(a.GetName()), hash(b.GetName())) })
	for _, obj := range objects {
		r.keys = append(r.keys, client.ObjectKeyFromObject(obj))
	}
	for _, copies := range []bool{true, false} {
		row, err := r.get(ctx, copies)
		if err != nil {
			return nil, fmt.Errorf("get: %w", err)
		}
		rows = append(rows, row)
	}
	for _, q := range m.queries(objects[len(objects)/2]) {
		want := 0
		for _, obj := range objects {
			if q.belongs(obj) {
				want++
			}
		}
		for _, copies := range []bool{true, false} {
			row, err := r.list(ctx, q, want, copies)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.name, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// queries are those whose results include an object.
func (m *measurement) queries(obj client.Object) []query {
	namespace, app, key := obj.GetNamespace(), obj.GetLabels()["app"], m.buckets(obj)[0]
	return []query{
		{
			"List by index", "µs", time.Microsecond, []client.ListOption{client.MatchingFields{bucket: key}},
			func(obj client.Object) bool { return m.buckets(obj)[0] == key },
		},
		{
			"List of a namespace by labels", "µs", time.Microsecond, []client.ListOption{client.InNamespace(namespace), client.MatchingLabels{"app": app}},
			func(obj client.Object) bool { return obj.GetNamespace() == namespace && obj.GetLabels()["app"] == app },
		},
		{
			"List of a namespace", "µs", time.Microsecond, []client.ListOption{client.InNamespace(namespace)},
			func(obj client.Object) bool { return obj.GetNamespace() == namespace },
		},
		{"List of all", "ms", time.Millisecond, nil, func(client.Object) bool { return true }},
	}
}

// get checks what Get returns for all objects, and returns its row.
func (r *reader) get(ctx context.Context, copies bool) (read, error) {
	var options []client.GetOption
	if !copies {
		options = append(options, client.UnsafeDisableDeepCopy)
	}
	d := newDigester(r.objects)
	for _, key := range r.keys {
		obj := r.kind.object()
		if err := r.client.Get(ctx, key, obj, options...); err != nil {
			return read{}, err
		}
		if err := d.add(obj); err != nil {
			return read{}, err
		}
		if err := r.spoil(obj, copies); err != nil {
			return read{}, err
		}
	}
	if err := r.keep("Get", d); err != nil {
		return read{}, err
	}
	return read{"Get" + suffix(copies), "µs", time.Microsecond, 16, func(ctx context.Context, i int) error {
		key, obj := r.keys[i%len(r.keys)], r.kind.object()
		if err := r.client.Get(ctx, key, obj, options...); err != nil {
			return err
		}
		if obj.GetName() != key.Name {
			return fmt.Errorf("%s was returned for %s", obj.GetName(), key.Name)
		}
		return nil
	}}, nil
}

// list checks what a query returns, and returns its row.
func (r *reader) list(ctx context.Context, q query, want int, copies bool) (read, error) {
	options := q.options
	if !copies {
		options = slices.Concat(options, []client.ListOption{client.UnsafeDisableDeepCopy})
	}
	found := func(ctx context.Context) (client.ObjectList, error) {
		list := r.kind.list()
		if err := r.client.List(ctx, list, options...); err != nil {
			return nil, err
		}
		if got := meta.LenList(list); got != want {
			return nil, fmt.Errorf("%d objects are returned instead of %d", got, want)
		}
		return list, nil
	}
	list, err := found(ctx)
	if err != nil {
		return read{}, err
	}
	objects, err := items(list)
	if err != nil {
		return read{}, err
	}
	d := newDigester(want)
	for _, obj := range objects {
		if !q.belongs(obj) {
			return read{}, fmt.Errorf("%s does not belong to the result", obj.GetName())
		}
		if err := d.add(obj); err != nil {
			return read{}, err
		}
		if err := r.spoil(obj, copies); err != nil {
			return read{}, err
		}
	}
	if err := r.keep(q.name, d); err != nil {
		return read{}, err
	}
	return read{q.name + suffix(copies), q.unit, q.perUnit, 1, func(ctx context.Context, _ int) error {
		_, err := found(ctx)
		return err
	}}, nil
}

func suffix(copies bool) string {
	if copies {
		return ""
	}
	return ", without deep copy"
}

// spoil changes a copy, which later reads would notice if it were none. A copy has a kind.
func (r *reader) spoil(obj client.Object, copied bool) error {
	if !copied {
		return nil
	}
	if got := obj.GetObjectKind().GroupVersionKind(); got != r.kind.GroupVersionKind {
		return fmt.Errorf("the kind of a copy is %v", got)
	}
	for key := range obj.GetLabels() {
		obj.GetLabels()[key] = "spoiled"
	}
	for i := range obj.GetManagedFields() {
		obj.GetManagedFields()[i].Manager = "spoiled"
	}
	return nil
}

// keep keeps a digest. All reads of a name must have the same.
func (r *reader) keep(name string, d *digester) error {
	digest, err := d.sum()
	if err != nil {
		return err
	}
	name = r.kind.prefix + name
	if known, ok := r.result.Contents[name]; ok && known != digest {
		return fmt.Errorf("%s returns %s, and before that %s", name, digest, known)
	}
	r.result.Contents[name] = digest
	return nil
}

// measureRead repeats a read, by goroutines at the same time.
func (m *measurement) measureRead(ctx context.Context, row read, goroutines int) error {
	name := row.name + ", one goroutine"
	if goroutines > 1 {
		name = fmt.Sprintf("%s, %d goroutines", row.name, goroutines)
	}
	runtime.GC() // the garbage of the last row does not count for this one
	stop, err := meter.Profile(m.profile, name)
	if err != nil {
		return err
	}
	defer stop()
	counts := make([]int, goroutines)
	group, ctx := errgroup.WithContext(ctx)
	began, cpu := time.Now(), meter.CPUTime()
	for g := range goroutines {
		group.Go(func() error {
			n := 0
			for first := m.objects * g / goroutines; time.Since(began) < m.readTime; n += row.together {
				for i := range row.together {
					if err := row.do(ctx, first+n+i); err != nil {
						return err
					}
				}
			}
			counts[g] = n
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	took, total := time.Since(began), 0
	if m.busy {
		took = meter.CPUTime() - cpu
	}
	for _, n := range counts {
		total += n
	}
	m.add(name, row.unit, float64(took)/float64(row.perUnit)/float64(total))
	return nil
}

// items are the objects of a list, which stay those of the list.
func items(list client.ObjectList) (objects []client.Object, err error) {
	err = meta.EachListItem(list, func(item apiruntime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects, err
}
