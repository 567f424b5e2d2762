package shards

import (
	"context"
	"testing"

	"github.com/typedinformers/informer-gen/test/progress"
)

// TestWrongCoordinator has members that do what they must not. The check has to find each of them:
// otherwise TestShards proves nothing.
func TestWrongCoordinator(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		play func(p *play, ctx context.Context) error
	}{
		"two groups": {nil, func(p *play, ctx context.Context) error {
			// Each of them has all databases.
			m, err := p.fleet.StartIn(ctx, namespaceOf(0))
			if err != nil {
				return err
			}
			return p.awaitWork(ctx, m)
		}},
		"work goes on without a lease": {[]string{"OPERATOR_WRONG=unfenced", "OPERATOR_WORK=2s"}, (*play).pause},
		"a handover does not wait":     {[]string{"OPERATOR_WRONG=early", "OPERATOR_WORK=3s"}, (*play).add},
	} {
		t.Run(name, func(t *testing.T) {
			count := min(*objects, 100)
			cluster := open(t, false)
			p := newPlay(t, cluster, count, c.env, "--shard-key=owner", "--workers=20")
			cluster.grantLeases(t, namespaceOf(0)) // for the group that must not be
			ctx := progress.Context(t)             // after the build, which may take minutes
			p.start(ctx, t, 2)
			stop := p.world.churn(t, *rate)
			err := c.play(p, ctx)
			for range 3 { // so that what was taken over is worked on
				if err == nil {
					err = p.world.probe(ctx, count)
				}
			}
			stop()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.fleet.Stop(); err != nil {
				t.Error(err)
			}
			found := p.fleet.Log.Check()
			if len(found) == 0 {
				t.Errorf("the check finds nothing in %v", p.fleet.Log.Summary())
				return
			}
			t.Logf("%d violations, such as %v", len(found), found[0])
		})
	}
}
