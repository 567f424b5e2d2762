package conformance

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/internal/packing"
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
	// streamed are the lines of both, and streamedClientgo those of client-go, with a server that has
	// streaming lists, if they are others.
	streamed, streamedClientgo []string
	// unordered is set if the lines depend on the order of a list. A streaming list of client-go has that of a map,
	// so it does not play such a scenario.
	unordered bool
	// overHTTP is set if client-go's REST client matters, which the fake server does not have.
	overHTTP bool
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
	"relist-unchanged":            true, // a program can depend on it
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
				if packing.Default != nil && by.name == clientgo.name {
					continue // it is the same as without
				}
				isTheirs := by.name == clientgo.name || by.name == adapted.name && asClientGo[sc.name]
				want := sc.want
				if sc.clientgo != nil && isTheirs {
					want = sc.clientgo
				}
				if !sc.overHTTP {
					t.Run(by.name+onFake.name, func(t *testing.T) { sc.play(t, by, onFake, want) })
				}
				if sc.lies != "" {
					continue
				}
				t.Run(by.name+onAPIServer.name, func(t *testing.T) { sc.play(t, by, onAPIServer, want) })
				if sc.unordered && by.name == clientgo.name {
					continue
				}
				t.Run(by.name+onStreams.name, func(t *testing.T) { sc.play(t, by, onStreams, sc.wantStreamed(isTheirs)) })
			}
		})
	}
}

// wantStreamed returns the lines with a server that has streaming lists.
func (sc scenario) wantStreamed(isTheirs bool) []string {
	switch {
	case sc.streamedClientgo != nil && isTheirs:
		return sc.streamedClientgo
	case sc.streamed != nil:
		return sc.streamed
	case sc.clientgo != nil && isTheirs:
		return sc.clientgo
	}
	return sc.want
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
