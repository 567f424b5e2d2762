package podserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Sentinel is the pod that changes when all else has been sent. Who has heard of it
// has heard of the rest.
const Sentinel = 0

// firstVersion is that of the oldest pod: of a cluster that is not new.
const firstVersion = 48_000_000

// state is what the collection is at one version. It does not change.
type state struct {
	version uint64
	// pods are what render returns.
	pods [][]byte
	// generations of those pods that have changed.
	generations map[int]int
}

// newState renders pods, which takes some 15 µs each.
func newState(objects int) *state {
	s := &state{version: firstVersion + uint64(objects), pods: make([][]byte, objects)}
	renderEach(objects, func(i int) { s.pods[i] = render(i, 1, firstVersion+uint64(i)) })
	return s
}

// change returns a later state, in which the pods at these places have changed.
func (s *state) change(places []int) *state {
	next := &state{version: s.version + uint64(len(places)), pods: slices.Clone(s.pods), generations: maps.Clone(s.generations)}
	if next.generations == nil {
		next.generations = map[int]int{}
	}
	for _, place := range places {
		next.generations[place] = max(next.generations[place], 1) + 1
	}
	renderEach(len(places), func(n int) {
		place := places[n]
		next.pods[place] = render(place, next.generations[place], s.version+uint64(n)+1)
	})
	return next
}

// renderEach calls make for each number below n, on all cores.
func renderEach(n int, make func(int)) {
	var running sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		running.Go(func() {
			for i := part; i < n; i += parts {
				make(i)
			}
		})
	}
	running.Wait()
}

// spread returns count places, evenly over the collection but for the sentinel.
func (s *state) spread(count int) ([]int, error) {
	others := len(s.pods) - 1
	if count < 0 || count > others {
		return nil, fmt.Errorf("%d of %d objects cannot be changed", count, others)
	}
	places := make([]int, count)
	for n := range places {
		places[n] = Sentinel + 1 + n*others/count
	}
	return places, nil
}

// page is a part of a state.
type page struct {
	pods      [][]byte
	remaining int
	token     string
}

type continueToken struct {
	Version uint64
	Start   int
}

// page returns up to limit pods after those that a token stands for, all if limit
// is 0. As of a real server, an older version than this one has expired if it was
// compacted, which here is at once.
func (s *state) page(limit int, token string) (page, error) {
	at := continueToken{Version: s.version}
	if token != "" {
		text, err := base64.RawURLEncoding.DecodeString(token)
		if err == nil {
			err = json.Unmarshal(text, &at)
		}
		if err != nil || at.Start < 0 || at.Start > len(s.pods) {
			return page{}, apierrors.NewBadRequest("continue key is not valid")
		}
		if at.Version != s.version {
			return page{}, apierrors.NewResourceExpired("The provided continue parameter is too old")
		}
	}
	p := page{pods: s.pods[at.Start:]}
	if limit > 0 && limit < len(p.pods) {
		p.remaining = len(p.pods) - limit
		p.pods = p.pods[:limit]
		text, err := json.Marshal(continueToken{Version: s.version, Start: at.Start + limit})
		if err != nil {
			return page{}, err
		}
		p.token = base64.RawURLEncoding.EncodeToString(text)
	}
	return p, nil
}

// writeError answers as the API server does.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status) // the client may be gone
}
