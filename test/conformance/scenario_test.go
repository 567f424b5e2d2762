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
	// lies says what the server does that the in-memory API server does not. Only the fake one plays
	// such a scenario.
	lies string
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
			for _, by := range []implementation{ours, overBodies, adapted, clientgo} {
				want := sc.want
				if sc.clientgo != nil && (by.name == clientgo.name || by.name == adapted.name && asClientGo[sc.name]) {
					want = sc.clientgo
				}
				t.Run(by.name+onFake.name, func(t *testing.T) { sc.play(t, by, onFake, want) })
				if sc.lies == "" {
					t.Run(by.name+onAPIServer.name, func(t *testing.T) { sc.play(t, by, onAPIServer, want) })
				}
			}
		})
	}
}

func (sc scenario) play(t *testing.T, by implementation, on platform, want []string) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, sc.config, by, on)
		defer s.stop()
		sc.script(s)
		if !slices.Equal(s.lines, want) {
			t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(s.lines, "\n\t"), strings.Join(want, "\n\t"))
		}
	})
}
