package cache

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// TestScopesAtRandom changes everything at once: two goroutines set scopes, handlers come and
// go, objects are created, deleted, replaced and labeled, and the server hangs, refuses, forgets, lags
// and cuts watches. Each handler has to hear of an object only in turn. At the end, the cache and all
// handlers have exactly the objects of the last scopes.
func TestScopesAtRandom(t *testing.T) {
	if os.Getenv(cachetest.OverBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	seeds := uint64(10)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { (&scopeGame{Cluster: cachetest.NewCluster(t), seed: seed}).play() })
		})
	}
}

// scopeGame is a random history of the scopes of an informer.
type scopeGame struct {
	*cachetest.Cluster
	seed     uint64
	informer *SharedIndexInformer[object]
	faults   []interface{ Remove() }

	mu       sync.Mutex
	current  []scopeCard
	handlers []*scopeWitness
}

// scopeCard is a scope, and the same decision as a function.
type scopeCard struct {
	Scope
	has func(object) bool
}

// randomCards returns scopes: of some namespaces, of single objects, and of all others.
func randomCards(random *rand.Rand) (cards []scopeCard) {
	split := sharding.Split(sharding.UID, 4)
	selectors := []scopeCard{
		{Scope{}, func(object) bool { return true }},
		{Scope{LabelSelector: "letters=a"}, func(obj object) bool { return obj.Labels["letters"] == "a" }},
		{Scope{LabelSelector: "letters!=c"}, func(obj object) bool { return obj.Labels["letters"] != "c" }},
		{Scope{ShardSelector: split[0].String() + " || " + split[2].String()}, func(obj object) bool { return split[0].Matches(obj) || split[2].Matches(obj) }},
	}
	add := func(namespace string, inNamespace func(string) bool, isOther bool) {
		selector := selectors[random.IntN(len(selectors))]
		scope := selector.Scope
		scope.Namespace, scope.OtherNamespaces = namespace, isOther
		cards = append(cards, scopeCard{scope, func(obj object) bool { return inNamespace(obj.Namespace) && selector.has(obj) }})
	}
	named := map[string]bool{}
	for _, namespace := range []string{"x", "y", "z"} {
		is := func(of string) bool { return of == namespace }
		switch random.IntN(4) {
		case 0, 1:
			named[namespace] = true
			add(namespace, is, false)
		case 2:
			for _, name := range []string{"w0", "w1", "w2"}[random.IntN(3):] {
				named[namespace] = true
				cards = append(cards, scopeCard{Scope{Namespace: namespace, FieldSelector: "metadata.name=" + name}, func(obj object) bool { return is(obj.Namespace) && obj.Name == name }})
			}
		}
	}
	if random.IntN(2) == 0 {
		add("", func(of string) bool { return !named[of] }, len(named) > 0 || random.IntN(2) == 0)
	}
	return cards
}

// random returns the numbers of a part of the game.
func (g *scopeGame) random(part uint64) *rand.Rand { return rand.New(rand.NewPCG(g.seed, part)) }

func (g *scopeGame) play() {
	g.current = randomCards(g.random(0))
	for part := uint64(10); len(g.current) == 0; part++ {
		g.current = randomCards(g.random(part))
	}
	form, options := cachetest.InJSON, []SharedInformerOption{WithScopes(g.scopes()...)}
	if g.seed%2 == 1 {
		form = cachetest.InProtobuf
	}
	if g.seed%4 != 0 {
		options = append(options, WithStreamingList())
	}
	g.informer = newOfCluster(g.Cluster, form, options...)
	stop := cachetest.Run(g.T, g.informer.Run)
	g.join()
	var parts sync.WaitGroup
	parts.Go(func() { g.changeScopes(g.random(1)) })
	parts.Go(func() { g.changeScopes(g.random(2)) })
	parts.Go(func() { g.changeHandlers(g.random(3)) })
	g.changeObjects(g.random(4))
	parts.Wait()
	for _, fault := range g.faults {
		fault.Remove()
	}
	time.Sleep(15 * time.Minute) // longer than each delay after a failure
	synctest.Wait()
	g.check()

	// The end, while scopes change.
	parts.Go(func() {
		random := g.random(5)
		for range 100 {
			_ = g.informer.SetScopes(scopesOfCards(randomCards(random))...) // an error after the end
		}
	})
	stop()
	parts.Wait()
	if open := g.Reads.Open(); open != 0 {
		g.Errorf("%d bodies are open after the end", open)
	}
}

// scopes returns the current scopes.
func (g *scopeGame) scopes() []Scope { return scopesOfCards(g.current) }

func scopesOfCards(cards []scopeCard) (scopes []Scope) {
	for _, card := range cards {
		scopes = append(scopes, card.Scope)
	}
	return scopes
}

func (g *scopeGame) changeScopes(random *rand.Rand) {
	set := func(next []scopeCard) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.current = next
		if err := g.informer.SetScopes(g.scopes()...); err != nil {
			g.Error(err)
		}
	}
	for range 60 {
		g.mu.Lock()
		before := g.current
		g.mu.Unlock()
		set(randomCards(random))
		if random.IntN(4) == 0 {
			set(before) // while the watches of next open
		}
		time.Sleep(upTo(random, time.Second))
	}
}

func upTo(random *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(limit)))
}

// join adds a handler.
func (g *scopeGame) join() {
	w := newScopeWitness(g.T)
	var err error
	if w.registration, err = g.informer.AddEventHandler(w); err != nil {
		g.Error(err)
	}
	g.handlers = append(g.handlers, w)
}

func (g *scopeGame) changeHandlers(random *rand.Rand) {
	for range 60 {
		g.join()
		if random.IntN(2) == 0 {
			at := random.IntN(len(g.handlers))
			if err := g.informer.RemoveEventHandler(g.handlers[at].registration); err != nil {
				g.Error(err)
			}
			g.handlers = slices.Delete(g.handlers, at, at+1)
		}
		time.Sleep(upTo(random, time.Second))
	}
}

func (g *scopeGame) changeObjects(random *rand.Rand) {
	for range 500 {
		name := ObjectName{[]string{"x", "y", "z", "w"}[random.IntN(4)], fmt.Sprint("w", random.IntN(3))}
		code, _ := g.Send(g.Context(), g.Server, cachetest.Call{Method: http.MethodGet, Path: cachetest.PathOf(name.Namespace, name.Name)})
		exists := code == http.StatusOK
		switch what := random.IntN(40); {
		case what < 12 && !exists:
			cachetest.Create(g.Cluster, name.Namespace, name.Name)
		case what < 4 && exists:
			cachetest.Remove(g.Cluster, name.Namespace, name.Name)
		case what < 6 && exists: // another object of this name
			cachetest.Remove(g.Cluster, name.Namespace, name.Name)
			cachetest.Create(g.Cluster, name.Namespace, name.Name)
		case what < 26 && exists:
			cachetest.Label(g.Cluster, name, []string{"a", "b", "c"}[random.IntN(3)])
		case what >= 26:
			g.fail(what, random)
		}
		time.Sleep(upTo(random, 200*time.Millisecond))
	}
}

// fail makes the server fail, or ends the first failure.
func (g *scopeGame) fail(what int, random *rand.Rand) {
	of := []string{"letters=a", "letters!=c", ""}[random.IntN(3)]
	switch what {
	case 26:
		g.Server.CutWatches(widgets.Resource)
	case 27:
		g.Server.Compact()
	case 28:
		g.faults = append(g.faults, g.Server.On("*", widgets.Resource).Optional().Where(ofScope(of)).Hang())
	case 29:
		g.faults = append(g.faults, g.Server.On("*", widgets.Resource).Optional().Where(ofScope(of)).Forbidden())
	case 30:
		g.faults = append(g.faults, g.Server.LagWatches(widgets.Resource, upTo(random, 2*time.Second)))
	case 31:
		g.faults = append(g.faults, g.Server.On("watch", widgets.Resource).Optional().Where(ofScope(of)).Times(3).CutAfter(1+random.IntN(3)))
	case 32, 33, 34, 35:
		if len(g.faults) > 0 {
			g.faults[0].Remove()
			g.faults = g.faults[1:]
		}
	}
}

// check compares the cache and the handlers with the server.
func (g *scopeGame) check() {
	g.ReadAll()
	want := map[ObjectName]string{}
	for name, obj := range g.Objects {
		metadata := cachetest.MetadataOf(obj)
		if slices.ContainsFunc(g.current, func(card scopeCard) bool { return card.has(metadata) }) {
			want[name] = stateOf(metadata)
		}
	}
	got := map[ObjectName]string{}
	for obj := range g.informer.GetStore().All() {
		got[MetaObjectToName(obj)] = stateOf(obj)
	}
	if !maps.Equal(got, want) {
		g.Errorf("scopes %v: the cache has\n%v, want\n%v", g.informer.Scopes(), got, want)
	}
	for i, w := range g.handlers {
		if got := w.states(); !maps.Equal(got, want) {
			g.Errorf("scopes %v: handler %d has heard of\n%v, want\n%v", g.informer.Scopes(), i, got, want)
		}
	}
	checkCauses(g.T, g.informer, false)
	if status := g.informer.Status(); !g.informer.HasSynced() || status.Err != nil {
		g.Errorf("%v", status)
	}
}

func stateOf(obj object) string { return string(obj.UID) + "@" + obj.ResourceVersion }

// scopeWitness is a handler that knows which objects are present for it.
type scopeWitness struct {
	t            *testing.T
	registration ResourceEventHandlerRegistration

	mu      sync.Mutex
	present map[ObjectName]object
	// last has the highest version of each UID. No one may go back to an earlier one.
	last map[types.UID]int
}

func newScopeWitness(t *testing.T) *scopeWitness {
	return &scopeWitness{t: t, present: map[ObjectName]object{}, last: map[types.UID]int{}}
}

// see checks that an object does not go back. The mutex is held.
func (w *scopeWitness) see(obj object) {
	if version := cachetest.VersionOf(obj); version < w.last[obj.UID] {
		w.t.Errorf("%v goes from version %d back to %d", MetaObjectToName(obj), w.last[obj.UID], version)
	} else {
		w.last[obj.UID] = version
	}
}

func (w *scopeWitness) states() map[ObjectName]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	states := map[ObjectName]string{}
	for name, obj := range w.present {
		states[name] = stateOf(obj)
	}
	return states
}

func (w *scopeWitness) OnAdd(obj object, _ bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := MetaObjectToName(obj)
	if w.present[name] != nil {
		w.t.Errorf("an add of %v, which is present", name)
	}
	w.present[name] = obj
	w.see(obj)
}

func (w *scopeWitness) OnUpdate(old, obj object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := MetaObjectToName(obj)
	if before := w.present[name]; !packingtest.IsState(before, old) || before.UID != obj.UID {
		w.t.Errorf("an update of %v from another state or object", name)
	}
	w.present[name] = obj
	w.see(obj)
}

func (w *scopeWitness) OnDelete(obj object, _ bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := MetaObjectToName(obj)
	if before := w.present[name]; before == nil || before.UID != obj.UID {
		w.t.Errorf("a delete of %v, which is not present", name)
	}
	delete(w.present, name)
	w.see(obj)
}
