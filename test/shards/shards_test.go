package shards

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/test/shards/fleet"
)

// play is a run of processes with faults.
type play struct {
	fleet  *fleet.Fleet
	world  *world
	random *rand.Rand
}

// newPlay creates databases, and builds the operator with the record of its work.
func newPlay(t *testing.T, c cluster, count int, env []string, args ...string) *play {
	t.Helper()
	f, err := fleet.New(t.Context(), fleet.Options{
		Operator: operator,
		Overlay:  "testdata/record.go",
		Dir:      folder(t),
		Config:   c.robot,
		Args:     append([]string{"--lease-duration=" + lease.String(), "--qps=-1", "--workers=4"}, args...),
		Env:      env,
		Put:      c.put(),
	})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, stop, err := f.Elsewhere(c.admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	t.Cleanup(func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
	p := &play{fleet: f, world: newWorld(t, elsewhere, *seed), random: rand.New(rand.NewPCG(*seed, 1))}
	p.world.prepare(t, c.kube(t))
	if c.etcd == nil {
		p.world.populate(t, count)
	} else {
		p.copies(t, c.etcd, count)
	}
	return p
}

// folder returns a new folder, which stays if the test fails: it has the journals and logs of the processes.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the journals and logs are in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// start starts processes, each of which then has a part of the databases.
func (p *play) start(ctx context.Context, t *testing.T, count int) {
	t.Helper()
	for range count {
		if _, err := p.fleet.Start(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range p.fleet.Running() {
		if err := p.awaitPart(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestShards lets processes share databases that change all the time, and kills, pauses, cuts off,
// adds and removes them.
func TestShards(t *testing.T) {
	for name, c := range map[string]struct {
		gate bool
		key  string
	}{
		"the server filters":            {true, "namespace-on-server"},
		"the client filters":            {false, "namespace-on-server"},
		"children are with their owner": {false, "owner"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			p := newPlay(t, open(t, c.gate), *objects, []string{"OPERATOR_WORK=10ms"}, "--shard-key="+c.key)
			ctx := progress.Context(t) // after the build, which may take minutes
			t.Logf("%d databases in %d namespaces are there after %.0f s", *objects, namespaces(), time.Since(began).Seconds())
			p.start(ctx, t, *members)
			stop := p.world.churn(t, *rate)
			err := p.playAll(ctx, t)
			stop()
			if err == nil {
				err = p.awaitRest(ctx)
			}
			if err == nil {
				var left []*datav1.Database
				left, err = p.world.databases.List(labels.Everything())
				t.Logf("%d databases have one owner each, which has seen their last versions, after %.0f s", len(left), time.Since(began).Seconds())
			}
			// What was wrong until then is found also if the run did not come to its end.
			if err := errors.Join(err, p.fleet.Stop()); err != nil {
				t.Error(err)
			}
			for _, m := range p.fleet.All() {
				if used, ok := m.Usage(); ok {
					t.Logf("%s: %v", m.Name, used)
				}
			}
			if asked := p.fleet.Sharded.Load(); (asked > 0) != (c.key == "namespace-on-server") {
				t.Errorf("the processes have asked %d times for a shard, with the key %s", asked, c.key)
			}
			summary := p.fleet.Log.Summary()
			t.Log(summary)
			if summary.Handed == 0 || summary.Fenced == 0 || summary.Writes == 0 {
				t.Errorf("the run proves nothing: %v", summary)
			}
			found := p.fleet.Log.Check()
			for i, v := range found {
				if i == 20 {
					t.Errorf("and %d more", len(found)-i)
					break
				}
				t.Error(v)
			}
		})
	}
}

// playAll plays all faults, each as often as -rounds says.
func (p *play) playAll(ctx context.Context, t *testing.T) error {
	for range *rounds {
		for _, i := range p.random.Perm(len(steps)) {
			began := time.Now()
			if err := steps[i].play(p, ctx); err != nil {
				return fmt.Errorf("%s: %w", steps[i].name, err)
			}
			for _, m := range p.fleet.All() {
				if err := m.Read(); err != nil {
					return err
				}
			}
			t.Logf("%s: %.1f s, %d reconciles so far", steps[i].name, time.Since(began).Seconds(), p.fleet.Log.Total())
		}
	}
	return nil
}

// awaitRest waits until each database was reconciled at its last version by a process that runs, and all
// processes together own each database once.
func (p *play) awaitRest(ctx context.Context) error {
	return p.world.await(ctx, "all is at rest", func() (missing string, err error) {
		running := map[string]bool{}
		for _, m := range p.fleet.Running() {
			running[m.Name] = true
			if err := m.Read(); err != nil {
				return "", err
			}
		}
		all, err := p.world.databases.List(labels.Everything())
		if err != nil {
			return "", err
		}
		last := p.fleet.Log.Last()
		left := 0
		for _, db := range all {
			work := last[cache.MetaObjectToName(db).String()]
			if isReconciled(db) && work.Seen == db.ResourceVersion && running[work.Process] {
				continue
			}
			if left++; missing == "" {
				missing = fmt.Sprintf("%s/%s has version %s, and was reconciled at %q by %q", db.Namespace, db.Name, db.ResourceVersion, work.Seen, work.Process)
			}
		}
		if left > 0 {
			return fmt.Sprintf("%d of %d are left: %s", left, len(all), missing), nil
		}
		owned := 0
		for _, m := range p.fleet.Running() {
			n, err := m.Owned(ctx)
			if err != nil {
				return err.Error(), nil
			}
			owned += n
		}
		if owned != len(all) {
			return fmt.Sprintf("the processes own %d databases, and there are %d", owned, len(all)), nil
		}
		return "", nil
	})
}
