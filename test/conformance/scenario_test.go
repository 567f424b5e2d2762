package conformance

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// scenario is a story that is played with each informer.
type scenario struct {
	name   string
	config config
	script func(*stage)
	// want are the lines of both, or only of ours if there is clientgo.
	want []string
	// clientgo are client-go's lines in a known difference; differences has the
	// reason.
	clientgo []string
}

func lines(all ...string) []string { return all }

// suite is all there is to conform to.
var suite = slices.Concat(
	listScenarios,
	watchScenarios,
	relistScenarios,
	failureScenarios,
	handlerScenarios,
	resyncScenarios,
	storeScenarios,
	stopScenarios,
)

func TestConformance(t *testing.T) {
	for _, sc := range suite {
		t.Run(sc.name, func(t *testing.T) {
			want := sc.want
			t.Run(ours.name, func(t *testing.T) { sc.play(t, ours, want) })
			t.Run(overBodies.name, func(t *testing.T) { sc.play(t, overBodies, want) })
			if sc.clientgo != nil {
				want = sc.clientgo
			}
			t.Run(clientgo.name, func(t *testing.T) { sc.play(t, clientgo, want) })
		})
	}
}

func (sc scenario) play(t *testing.T, by implementation, want []string) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, sc.config, by)
		defer s.stop()
		sc.script(s)
		if !slices.Equal(s.lines, want) {
			t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(s.lines, "\n\t"), strings.Join(want, "\n\t"))
		}
	})
}
