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
	ownWriteScenarios,
)

// asClientGo are the scenarios in which ours differs from client-go, but not behind client-go's
// interface.
var asClientGo = map[string]bool{
	"relist-tombstone":            true, // its handlers expect tombstones
	"handler-of-another-informer": true, // its tests expect no error
	"handler-filtered-end":        true, // the filter is client-go's
	"index-after-stop":            true, // its interface documents the error
	"own-update":                  true, // it has client-go's ListerWatcher, and no bodies
	"own-delete":                  true, // likewise
}

func TestConformance(t *testing.T) {
	for _, sc := range suite {
		t.Run(sc.name, func(t *testing.T) {
			want := sc.want
			t.Run(ours.name, func(t *testing.T) { sc.play(t, ours, want) })
			t.Run(overBodies.name, func(t *testing.T) { sc.play(t, overBodies, want) })
			if !asClientGo[sc.name] {
				t.Run(adapted.name, func(t *testing.T) { sc.play(t, adapted, want) })
			}
			if sc.clientgo != nil {
				want = sc.clientgo
			}
			if asClientGo[sc.name] {
				t.Run(adapted.name, func(t *testing.T) { sc.play(t, adapted, want) })
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
