package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// model is a History that copies everything at every version.
type model struct {
	limit     int
	version   uint64
	compacted uint64
	// worlds has the objects at each version.
	worlds map[uint64]map[Key]string
	events map[schema.GroupResource][]modelEvent
	// dropped is the version of the newest event that is no longer kept.
	dropped map[schema.GroupResource]uint64
}

type modelEvent struct {
	version       uint64
	kind          watch.EventType
	key           Key
	value, before string
}

func newModel(limit int) *model {
	return &model{
		limit: limit, version: 1,
		worlds:  map[uint64]map[Key]string{1: {}},
		events:  map[schema.GroupResource][]modelEvent{},
		dropped: map[schema.GroupResource]uint64{},
	}
}

func (m *model) now() map[Key]string { return m.worlds[m.version] }

func (m *model) advance() {
	next := maps.Clone(m.now())
	m.version++
	m.worlds[m.version] = next
}

func (m *model) write(kind watch.EventType, key Key, value string) {
	before := m.now()[key]
	m.advance()
	if kind == watch.Deleted {
		delete(m.now(), key)
	} else {
		m.now()[key] = value
	}
	log := append(m.events[key.GroupResource], modelEvent{m.version, kind, key, value, before})
	if m.limit > 0 && len(log) > m.limit {
		m.dropped[key.GroupResource] = log[0].version
		log = log[1:]
	}
	m.events[key.GroupResource] = log
}

func (m *model) oldest(gr schema.GroupResource) uint64 { return max(m.dropped[gr], m.compacted) }

func (m *model) restore(version uint64) error {
	for _, dropped := range m.dropped {
		if version < dropped {
			return ErrExpired
		}
	}
	switch {
	case version == 0:
		return ErrExpired
	case version > m.version:
		return ErrFuture
	}
	m.version = version
	m.compacted = min(m.compacted, version)
	for gr, log := range m.events {
		m.events[gr] = slices.DeleteFunc(slices.Clone(log), func(e modelEvent) bool { return e.version > version })
	}
	return nil
}

func (m *model) list(gr schema.GroupResource, namespace string, version uint64) ([]Key, error) {
	if version == 0 {
		version = m.version
	}
	if version > m.version {
		return nil, ErrFuture
	}
	if version < m.oldest(gr) {
		return nil, ErrExpired
	}
	var keys []Key
	for key := range m.worlds[version] {
		if key.GroupResource == gr && (namespace == "" || namespace == key.Namespace) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(etcdKey(a), etcdKey(b)) })
	return keys, nil
}

func etcdKey(key Key) string {
	if key.Namespace == "" {
		return "/registry/" + key.Name
	}
	return "/registry/" + key.Namespace + "/" + key.Name
}

// value is what the test wrote into a state, or "" if state is nil.
func value(state *State) string {
	if state == nil {
		return ""
	}
	return state.Object["value"].(string)
}

func object(value string) map[string]any {
	return map[string]any{"value": value, "metadata": map[string]any{"name": "x"}}
}

// pair plays the same operations on a History and on a model.
type pair struct {
	t       testing.TB
	history *History
	model   *model
	// views are slices of events that were returned, with what they were.
	views []view
}

type view struct{ now, then []Event }

var (
	databases = schema.GroupResource{Group: "example.com", Resource: "databases"}
	nodes     = schema.GroupResource{Resource: "nodes"}
)

// keyOf names one of a few objects, so that they are often written again.
func keyOf(n byte) Key {
	if n%4 == 0 {
		return Key{GroupResource: nodes, Name: fmt.Sprintf("n%d", n/4%8)}
	}
	return Key{GroupResource: databases, Namespace: []string{"a", "a-b", "a.b", "b"}[n/4%4], Name: fmt.Sprintf("d%d", n/16)}
}

// step plays one operation.
func (p *pair) step(operation, argument byte) {
	p.t.Helper()
	key := keyOf(argument)
	switch operation % 8 {
	case 0, 1, 2, 3:
		text := strconv.Itoa(int(p.model.version))
		kind := watch.Modified
		if _, exists := p.model.now()[key]; !exists {
			kind = watch.Added
		}
		p.model.write(kind, key, text)
		p.checkState(p.history.Put(key, object(text)), text)
	case 4, 5:
		if _, exists := p.model.now()[key]; exists {
			text := p.model.now()[key]
			p.model.write(watch.Deleted, key, text)
			p.checkState(p.history.Delete(key), text)
		}
	case 6:
		p.model.advance()
		if got := p.history.Advance(); got != p.model.version {
			p.t.Fatalf("Advance() = %d, want %d", got, p.model.version)
		}
	case 7:
		if argument%4 == 0 {
			p.model.advance()
			p.model.compacted = p.model.version
			p.history.Compact()
			return
		}
		version := p.model.version - min(p.model.version, uint64(argument)%5)
		if got, want := p.history.Restore(version), p.model.restore(version); got != want {
			p.t.Fatalf("Restore(%d) = %v, want %v", version, got, want)
		}
	}
}

func (p *pair) checkState(state *State, text string) {
	p.t.Helper()
	if state.Version != p.model.version || value(state) != text {
		p.t.Fatalf("state has version %d and %q, want %d and %q", state.Version, value(state), p.model.version, text)
	}
	if got := state.Object["metadata"].(map[string]any)["resourceVersion"]; got != strconv.FormatUint(state.Version, 10) {
		p.t.Fatalf("resourceVersion is %v, want %d", got, state.Version)
	}
}

// check compares everything that can be asked.
func (p *pair) check() {
	p.t.Helper()
	h, m := p.history, p.model
	if h.Version() != m.version {
		p.t.Fatalf("Version() = %d, want %d", h.Version(), m.version)
	}
	for n := range 256 {
		key := keyOf(byte(n))
		if got, want := value(h.Get(key)), m.now()[key]; got != want {
			p.t.Fatalf("Get(%v) = %q, want %q", key, got, want)
		}
	}
	for _, gr := range []schema.GroupResource{databases, nodes} {
		if got, want := h.Oldest(gr), m.oldest(gr); got != want {
			p.t.Fatalf("Oldest(%s) = %d, want %d", gr, got, want)
		}
		all, _ := m.list(gr, "", 0)
		if got := h.Len(gr); got != len(all) {
			p.t.Fatalf("Len(%s) = %d, want %d", gr, got, len(all))
		}
		if got := slices.Contains(h.Resources(), gr); got != (len(all) > 0) {
			p.t.Fatalf("Resources() has %s: %v, with %d objects", gr, got, len(all))
		}
		for version := range m.version + 2 {
			for _, namespace := range []string{"", "a", "a-b", "none"} {
				p.checkList(gr, namespace, version)
			}
			p.checkEvents(gr, version)
		}
	}
	for _, v := range p.views {
		if !slices.Equal(v.now, v.then) {
			p.t.Fatal("events that were returned have changed")
		}
	}
}

func (p *pair) checkList(gr schema.GroupResource, namespace string, version uint64) {
	p.t.Helper()
	states, err := p.history.List(gr, namespace, version)
	keys, wantErr := p.model.list(gr, namespace, version)
	if err != wantErr || len(states) != len(keys) {
		p.t.Fatalf("List(%s, %q, %d) = %d states, %v, want %d, %v", gr, namespace, version, len(states), err, len(keys), wantErr)
	}
	if version == 0 {
		version = p.model.version
	}
	for i, state := range states {
		if want := p.model.worlds[version][keys[i]]; state.Key != keys[i] || value(state) != want {
			p.t.Fatalf("List(%s, %q, %d)[%d] = %v %q, want %v %q", gr, namespace, version, i, state.Key, value(state), keys[i], want)
		}
	}
}

func (p *pair) checkEvents(gr schema.GroupResource, after uint64) {
	p.t.Helper()
	events, err := p.history.Events(gr, after)
	if expired := after < p.model.dropped[gr]; (err == ErrExpired) != expired || err != nil && !expired {
		p.t.Fatalf("Events(%s, %d): %v, expired %v", gr, after, err, expired)
	}
	if err != nil {
		return
	}
	want := slices.DeleteFunc(slices.Clone(p.model.events[gr]), func(e modelEvent) bool { return e.version <= after })
	if len(events) != len(want) {
		p.t.Fatalf("Events(%s, %d) has %d events, want %d", gr, after, len(events), len(want))
	}
	for i, e := range events {
		if got := (modelEvent{e.State.Version, e.Type, e.State.Key, value(e.State), value(e.Before)}); got != want[i] {
			p.t.Fatalf("Events(%s, %d)[%d] = %+v, want %+v", gr, after, i, got, want[i])
		}
	}
	if len(p.views) < 1000 {
		p.views = append(p.views, view{events, slices.Clone(events)})
	}
}

// play runs a script of two bytes for each operation. Every checks after that many operations.
func play(t testing.TB, script []byte, limit, every int) {
	p := &pair{t: t, history: New(limit), model: newModel(limit)}
	for i := 0; i+1 < len(script); i += 2 {
		p.step(script[i], script[i+1])
		if (i/2+1)%every == 0 {
			p.check()
		}
	}
	p.check()
}

func FuzzHistoryLikeModel(f *testing.F) {
	f.Add([]byte{0, 1, 4, 1, 0, 1, 7, 1}, byte(2))
	f.Add([]byte{0, 1, 0, 5, 4, 1, 7, 3, 0, 1, 7, 0, 6, 0, 0, 1}, byte(0))
	f.Fuzz(func(t *testing.T, script []byte, limit byte) {
		play(t, script[:min(len(script), 120)], int(limit%8), 1)
	})
}

func TestHistoryIsLikeModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(random.Uint32())
			// Restores are rare, or little would ever be kept.
			if i%2 == 0 && script[i]%8 == 7 && random.IntN(8) > 0 {
				script[i] = 0
			}
		}
		play(t, script, int(seed%12)*3, 10)
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b","c":[1,2.5,-3,null,true,{}],"<":"\u2028\"\\&","d":{"é":"\u0000\ufffd"}}`, `[]`, `"\ud800"`, `1e400`, `{"b":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var decoded any
		if json.Unmarshal(text, &decoded) != nil {
			return
		}
		want, err := json.Marshal(decoded)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := appendJSON(nil, decoded); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("appendJSON = %s, %v, want %s", got, err, want)
		}
	})
}
