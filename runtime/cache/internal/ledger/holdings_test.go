package ledger

import (
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestHoldings compares the holdings of objects with sets, while objects and scopes come and go, and the
// holdings of none are dropped.
func TestHoldings(t *testing.T) {
	type model struct {
		scopes []ID
		teller ID
		aside  bool
	}
	random := rand.New(rand.NewPCG(3, 5))
	l := New[*metav1.PartialObjectMetadata]()
	h := &l.holdings
	tags, want := make([]uint32, 200), make([]model, 200)
	for i := range want {
		want[i].aside = true
	}
	most := 0
	for range 100_000 {
		i, id := random.IntN(len(tags)), ID(random.IntN(30))
		m := &want[i]
		do := action(1 + random.IntN(int(release)))
		at, has := slices.BinarySearch(m.scopes, id)
		switch {
		case do == release && has:
			m.scopes = slices.Delete(slices.Clone(m.scopes), at, at+1)
		case do != release && !has:
			m.scopes = slices.Insert(slices.Clone(m.scopes), at, id)
		}
		switch do {
		case tell:
			m.teller, m.aside = id, false
		case tellAside:
			m.teller, m.aside = 0, true
		}
		tags[i] = uint32(h.change(step{from: Tag(tags[i]), do: do, scope: id}))
		if random.IntN(50) == 0 {
			l.Compact(tags)
		}
		most = max(most, len(h.all))
		got := h.all[tags[i]]
		if !slices.Equal(got.scopes, m.scopes) || got.teller != m.teller || got.isAside != m.aside {
			t.Fatalf("after %d of %d the holding is %+v, want %+v", do, id, got, *m)
		}
	}
	for i, tag := range tags {
		if got := h.all[tag]; !slices.Equal(got.scopes, want[i].scopes) || got.teller != want[i].teller {
			t.Errorf("at the end the holding is %+v, want %+v", got, want[i])
		}
	}
	if most < minCompact || most > 2*minCompact || len(h.steps) > 4*h.limit {
		t.Errorf("there were %d holdings of 200 objects, and %d steps are kept", most, len(h.steps))
	}
}
