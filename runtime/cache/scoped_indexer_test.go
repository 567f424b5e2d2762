package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// FuzzScopedIndexer plays a random history of one server to an Indexer that follows several scopes,
// which overlap. The watch of each scope is late by itself. Scopes are opened, closed and listed again. Each
// byte is one choice. With restores, the server is restored from backups.
func FuzzScopedIndexer(f *testing.F) {
	for n, script := range scripts(23, 300, 400) {
		f.Add(script, n%4 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, restores bool) {
		if len(script) > 2000 {
			return
		}
		g := newScopesGame(t, script)
		g.restores = restores
		g.play()
	})
}

// TestScopedIndexerOfARestoredServer plays histories in which the server is restored from backups.
func TestScopedIndexerOfARestoredServer(t *testing.T) {
	for seed, script := range scripts(31, 2000, 600) {
		g := newScopesGame(t, script)
		g.restores = true
		if g.play(); t.Failed() {
			t.Fatalf("script %d: %q", seed, script)
		}
	}
}

// TestScopedIndexerForLong plays longer histories than FuzzScopedIndexer.
func TestScopedIndexerForLong(t *testing.T) {
	for seed, script := range scripts(29, 60, 3000) {
		if newScopesGame(t, script).play(); t.Failed() {
			t.Fatalf("script %d: %q", seed, script)
		}
	}
}

// scopesGame is an Indexer, and the server that it follows.
type scopesGame struct {
	t      *testing.T
	script []byte
	x      *Indexer[object]
	// history has the changes of the server. That of version v is history[v-1].
	history []serverChange
	objects map[ObjectName]object
	uids    int

	scopes []*gameScope
	nextID scopeID
	queue  Deltas[object]
	// answers are the answers to requests for one object that are on their way.
	answers []func()

	known map[ObjectName]object
	// told has the last version of each object in notifications.
	told map[types.UID]int
	// restores is set if the server is restored from backups, isRestored when it was once.
	restores, isRestored bool
	// latest is the latest version of all backups, and closedAt that of all scopes that were closed.
	latest, closedAt int
	// probed is set for the objects that ended because a request did not find them.
	probed map[ObjectName]bool
	log    []string
}

// serverChange is a change of one object. old or obj is nil if there was or is none.
type serverChange struct{ old, obj object }

// gameScope is a scope with its watch.
type gameScope struct {
	id     scopeID
	traits scopeTraits
	labels string // the object has one of these letters; empty for all objects
	// gone has the namespaces that were removed from the scope. It is nil if none can be.
	gone map[string]bool
	// at is the version up to which the deltas are in the queue, or were applied.
	at       int
	isListed bool
	// isBroken is set if the server has lost what the watch has told, and mustList if the Indexer asks for
	// a list. A watch goes on until then.
	isBroken, mustList bool
	// answer is a list that the server has sent, and the scope has not read yet.
	answer   *Collection[object]
	answered int
}

func (s *gameScope) String() string {
	return fmt.Sprintf("scope %d (%s, %q, shard %s)", s.id, s.traits.Namespace, s.labels, s.traits.Shard)
}

// has reports whether a state is in the scope.
func (s *gameScope) has(obj object) bool {
	if obj == nil || s.traits.Namespace != "" && s.traits.Namespace != obj.Namespace {
		return false
	}
	if s.traits.Excludes != nil && s.traits.Excludes(obj.Namespace, obj.Name) || !s.traits.Shard.Contains(sharding.Hash(string(obj.UID))) {
		return false
	}
	return s.labels == "" || slices.Contains(byLetters(obj), s.labels)
}

func newScopesGame(t *testing.T, script []byte) *scopesGame {
	return &scopesGame{t: t, script: script, x: NewIndexer(Indexers[object]{"letters": byLetters}), objects: map[ObjectName]object{},
		known: map[ObjectName]object{}, told: map[types.UID]int{}, probed: map[ObjectName]bool{}}
}

// choose returns a number below n.
func (g *scopesGame) choose(n int) int {
	if len(g.script) == 0 {
		return 0
	}
	b := g.script[0]
	g.script = g.script[1:]
	return int(b) % n
}

func (g *scopesGame) logf(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf(format, args...))
}

func (g *scopesGame) failf(format string, args ...any) {
	g.t.Helper()
	if !g.t.Failed() {
		for _, line := range g.log[max(0, len(g.log)-150):] {
			g.t.Log(line)
		}
	}
	g.t.Errorf(format, args...)
}

func (g *scopesGame) play() {
	g.open()
	for len(g.script) > 0 && !g.t.Failed() {
		switch g.choose(16) {
		case 0, 1, 2, 3, 4:
			g.write()
		case 5, 6, 7, 8, 9:
			if s := g.scope(); s != nil {
				g.read(s, 1+g.choose(4))
			}
		case 10:
			if s := g.scope(); s != nil {
				g.read(s, len(g.history))
				g.bookmark(s)
			}
		case 11:
			if s := g.scope(); s != nil {
				g.request(s)
			}
		case 12:
			if len(g.scopes) < 6 {
				g.open()
			}
		case 13:
			switch g.choose(3) {
			case 0:
				g.close()
			case 1:
				g.narrow()
			}
		case 14:
			for _, s := range g.scopes {
				g.probe(s)
			}
		case 15:
			g.apply(len(g.queue))
			if g.restores && g.choose(6) == 0 {
				g.restore()
			}
		}
		if len(g.answers) > 0 && g.choose(12) == 0 {
			g.answers[0]()
			g.answers = g.answers[1:]
		}
		if g.choose(3) > 0 {
			g.apply(g.choose(5))
		}
	}
	g.rest()
}

func (g *scopesGame) scope() *gameScope {
	if len(g.scopes) == 0 {
		return nil
	}
	return g.scopes[g.choose(len(g.scopes))]
}

// write changes an object of the server.
func (g *scopesGame) write() {
	name := ObjectName{[]string{"a", "b"}[g.choose(2)], strconv.Itoa(g.choose(3))}
	old, what := g.objects[name], g.choose(5)
	if what == 0 {
		if old != nil {
			g.record(name, old, nil)
		}
		return
	}
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: name.Namespace, Name: name.Name, ResourceVersion: strconv.Itoa(len(g.history) + 1),
		Labels: map[string]string{"letters": []string{"", "x", "y", "xy"}[g.choose(4)]},
	}}
	if old != nil {
		obj.UID = old.UID
	} else {
		g.uids++
		obj.UID = types.UID(fmt.Sprint("uid-", g.uids))
	}
	g.record(name, old, obj)
}

func (g *scopesGame) record(name ObjectName, old, obj object) {
	for _, s := range g.scopes { // once the server has passed the version of a scope, nothing shows that it was restored
		for s.isBroken && s.at <= len(g.history)+1 {
			g.request(s)
		}
	}
	g.history = append(g.history, serverChange{old, obj})
	if obj == nil {
		g.logf("server %d: %s is deleted", len(g.history), name)
		delete(g.objects, name)
		return
	}
	g.logf("server %d: %s of %s has %v", len(g.history), name, obj.UID, byLetters(obj))
	g.objects[name] = obj
}

// open opens a scope.
func (g *scopesGame) open() {
	s := &gameScope{id: g.nextID, labels: []string{"", "x", "y"}[g.choose(3)]}
	g.nextID++
	s.traits.Namespace = []string{"", "", "a", "b"}[g.choose(4)]
	s.traits.Moves = s.labels != ""
	if shard := g.choose(4); shard < 2 {
		s.traits.Shard = sharding.Split(sharding.UID, 2)[shard]
	}
	if g.choose(4) == 0 {
		s.traits.Excludes = func(_, name string) bool { return name == "1" }
	}
	if !g.restores && s.traits.Namespace == "" && g.choose(2) == 0 {
		before := s.traits.Excludes
		s.gone = map[string]bool{}
		s.traits.Excludes = func(namespace, name string) bool {
			return s.gone[namespace] || before != nil && before(namespace, name)
		}
	}
	g.logf("open %s", s)
	g.scopes = append(g.scopes, s)
	g.x.openScope(s.id, s.traits)
}

// close closes a scope. Its deltas may still be in the queue. A scope must be listed again after the server
// has lost what the scope has told: nothing else shows that, if no other scope has told it.
func (g *scopesGame) close() {
	s := g.scope()
	if g.restores { // the list that shows it may be in the queue
		g.apply(len(g.queue))
	}
	if s == nil || s.isBroken {
		return
	}
	g.closedAt = max(g.closedAt, s.at)
	g.logf("close %s", s)
	g.scopes = slices.DeleteFunc(g.scopes, func(other *gameScope) bool { return other == s })
	g.hear(g.x.closeScope(s.id))
}

// narrow removes a namespace from a scope of all namespaces. Deltas about it may still be in the queue.
func (g *scopesGame) narrow() {
	if g.restores {
		return
	}
	s := g.scope()
	if s == nil || s.traits.Namespace != "" || s.gone == nil {
		return
	}
	namespace := []string{"a", "b"}[g.choose(2)]
	g.logf("remove namespace %s from %s", namespace, s)
	s.gone[namespace] = true
	g.hear(g.x.narrowScope(s.id, []string{namespace}))
}

// request lets the server answer a list, or the scope read the answer.
func (g *scopesGame) request(s *gameScope) {
	if s.answer == nil {
		s.answer, s.answered = &Collection[object]{version: strconv.Itoa(len(g.history))}, len(g.history)
		if len(g.history) == 0 {
			s.answer = nil
			return
		}
		for _, obj := range g.objects {
			if s.has(obj) {
				s.answer.Items = append(s.answer.Items, Item[object]{Object: obj})
			}
		}
		slices.SortFunc(s.answer.Items, func(a, b Item[object]) int { return cmpNames(a.Object, b.Object) })
		if g.choose(2) == 0 {
			return
		}
	}
	if s.answered >= s.at || s.isBroken || s.mustList { // otherwise its watch has gone on
		g.logf("%s lists at %s", s, s.answer.version)
		if s.isListed {
			s.answer.before = strconv.Itoa(s.at)
		}
		g.queue = append(g.queue, Delta[object]{Type: Replaced, scope: s.id, Collection: s.answer})
		s.at, s.isListed, s.isBroken, s.mustList = s.answered, true, false, false
	}
	s.answer = nil
}

func cmpNames(a, b object) int {
	return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
}

// read reads up to n changes from the watch of a scope.
func (g *scopesGame) read(s *gameScope, n int) {
	if !s.isListed || s.isBroken {
		g.request(s)
		return
	}
	for ; n > 0 && s.at < len(g.history); n-- {
		change := g.history[s.at]
		s.at++
		d := Delta[object]{scope: s.id, Item: Item[object]{Object: change.obj}}
		switch had, has := s.has(change.old), s.has(change.obj); {
		case had && has:
			d.Type = Updated
		case has:
			d.Type = Added
		case had:
			d.Type = Deleted
			last := *change.old
			last.ResourceVersion = strconv.Itoa(s.at)
			d.Object = &last
		default:
			continue
		}
		g.queue = append(g.queue, d)
	}
}

// bookmark applies what is queued, and the version that a scope has read.
func (g *scopesGame) bookmark(s *gameScope) {
	if !s.isListed || s.isBroken {
		return
	}
	g.apply(len(g.queue))
	g.logf("%s reaches %d", s, s.at)
	g.hear(g.x.reachScope(s.id, strconv.Itoa(s.at)))
	g.takeStale()
}

// restore restores the server from a backup. Watches of versions that it does not have any more end.
func (g *scopesGame) restore() {
	at := len(g.history) - g.choose(20)
	if at < max(1, g.closedAt) {
		return
	}
	g.logf("the server is restored to %d", at)
	g.isRestored, g.latest = true, max(g.latest, len(g.history))
	g.history = g.history[:at]
	clear(g.objects)
	for _, change := range g.history {
		if change.obj != nil {
			g.objects[MetaObjectToName(change.obj)] = change.obj
		} else {
			delete(g.objects, MetaObjectToName(change.old))
		}
	}
	for _, s := range g.scopes {
		s.isBroken = s.isBroken || s.at > at
		if s.answered > at {
			s.answer = nil
		}
	}
	g.answers = nil
}

// probe asks a scope for the objects that wait for it.
func (g *scopesGame) probe(s *gameScope) {
	for _, awaited := range g.x.awaitedFrom(s.id, time.Now()) {
		name := ObjectName(awaited.Name)
		if awaited.Version == 0 || int(awaited.Version) > len(g.history) && !g.isRestored {
			g.failf("%s is awaited at %d, the server is at %d", name, awaited.Version, len(g.history))
		}
		if obj := g.objects[name]; s.has(obj) {
			g.logf("%s has %s@%s when it is asked", s, name, obj.ResourceVersion)
			d := Delta[object]{Type: Updated, scope: s.id, aside: true, Item: Item[object]{Object: obj}}
			g.answers = append(g.answers, func() { g.queue = append(g.queue, d) })
			continue
		}
		version := len(g.history)
		g.logf("%s does not have %s at %d when it is asked", s, name, version)
		g.answers = append(g.answers, func() {
			g.logf("absent from %s at %d: %s", s, version, name)
			g.probed[name] = true
			g.hear(g.x.absentFrom(s.id, awaited.Name, uint64(version)))
		})
	}
}

// apply applies the first n deltas of the queue.
func (g *scopesGame) apply(n int) {
	n = min(n, len(g.queue))
	if n == 0 {
		return
	}
	batch := slices.Clone(g.queue[:n])
	g.queue = g.queue[n:]
	for _, d := range batch {
		if d.Type != Replaced {
			g.logf("apply %v of %s@%s from %d, aside: %v", d.Type, MetaObjectToName(d.Object), d.Object.ResourceVersion, d.scope, d.aside)
		} else {
			g.logf("apply list of %d at %s", d.scope, d.Collection.version)
		}
	}
	g.hear(g.x.apply(batch))
	g.takeStale()
}

// takeStale notes which scopes have to list again.
func (g *scopesGame) takeStale() {
	stale := g.x.staleScopes()
	if len(stale) > 0 && !g.isRestored {
		g.failf("scopes %d have to list again, but the server was never restored", stale)
	}
	for _, s := range g.scopes {
		if slices.Contains(stale, s.id) {
			g.logf("%s has to list again", s)
			s.mustList, s.answer = true, nil
		}
	}
}

// hear checks notifications, and the cache after them.
func (g *scopesGame) hear(notes []processor.Notification[object]) {
	g.t.Helper()
	for _, n := range notes {
		name := MetaObjectToName(n.Obj)
		g.logf("    note %v %s@%s of %s", n.Kind, name, n.Obj.ResourceVersion, n.Obj.UID)
		before := g.t.Failed()
		hear(g.t, g.known, n)
		if g.t.Failed() && !before {
			for _, line := range g.log[max(0, len(g.log)-150):] {
				g.t.Log(line)
			}
		}
		switch version := number(n.Obj); {
		case g.isRestored: // the order is another one
		case n.Kind == processor.Delete:
			g.checkEnd(n)
			g.told[n.Obj.UID] = max(g.told[n.Obj.UID], version)
		case version < g.told[n.Obj.UID] || version == g.told[n.Obj.UID] && n.Kind == processor.Update:
			g.failf("%s goes from %d to %d", name, g.told[n.Obj.UID], version)
		default:
			g.told[n.Obj.UID] = version
			delete(g.probed, name)
		}
	}
	for _, obj := range g.x.List() {
		if g.known[MetaObjectToName(obj)] != obj {
			g.failf("cached is %s@%s, told was %v", obj.Name, obj.ResourceVersion, g.known[MetaObjectToName(obj)])
		}
	}
	if g.x.Len() != len(g.known) {
		g.failf("%d objects are cached, told are %d", g.x.Len(), len(g.known))
	}
	if err := g.x.store.Check(); err != nil {
		g.failf("%v", err)
	}
}

// checkEnd checks that an object that ends was in no open scope at some moment since its last state.
func (g *scopesGame) checkEnd(n processor.Notification[object]) {
	if g.probed[MetaObjectToName(n.Obj)] {
		return // it may have been in another scope when one was asked
	}
	name, uid := MetaObjectToName(n.Old), n.Old.UID
	state := n.Old
	for version := number(n.Old); ; version++ {
		if !slices.ContainsFunc(g.scopes, func(s *gameScope) bool { return s.has(state) }) {
			return
		}
		if version == len(g.history) {
			break
		}
		change := g.history[version]
		switch {
		case change.obj != nil && MetaObjectToName(change.obj) == name:
			if change.obj.UID != uid {
				return
			}
			state = change.obj
		case change.obj == nil && change.old.UID == uid:
			return
		}
	}
	g.failf("%s@%s has ended, but was in some scope all the time", name, n.Old.ResourceVersion)
}

// relist lists the scopes again that have to be.
func (g *scopesGame) relist() {
	for g.apply(len(g.queue)); ; g.apply(len(g.queue)) {
		i := slices.IndexFunc(g.scopes, func(s *gameScope) bool { return s.mustList })
		if i < 0 {
			return
		}
		g.request(g.scopes[i])
	}
}

// rest lets all scopes read everything, and compares the cache with the server.
func (g *scopesGame) rest() {
	if g.t.Failed() || len(g.history) == 0 {
		return
	}
	for len(g.history) <= g.latest && g.isRestored { // versions of before may still be awaited
		name := ObjectName{"a", "last"}
		g.record(name, g.objects[name], &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name, UID: "last", ResourceVersion: strconv.Itoa(len(g.history) + 1),
		}})
	}
	random := rand.New(rand.NewPCG(1, uint64(len(g.history))))
	random.Shuffle(len(g.scopes), func(i, j int) { g.scopes[i], g.scopes[j] = g.scopes[j], g.scopes[i] })
	for _, s := range g.scopes {
		s.answer = nil
		for !s.isListed || s.isBroken {
			g.read(s, 1)
		}
		g.read(s, len(g.history))
	}
	g.relist()
	for _, answer := range g.answers {
		answer()
	}
	g.apply(len(g.queue))
	for _, s := range g.scopes {
		g.bookmark(s)
	}
	g.relist() // a bookmark may show that the server has lost the state of an answer
	for _, s := range g.scopes {
		g.bookmark(s)
	}
	if g.t.Failed() {
		return
	}
	want := model{}
	for name, obj := range g.objects {
		if slices.ContainsFunc(g.scopes, func(s *gameScope) bool { return s.has(obj) }) {
			want[name] = obj
		}
	}
	for name, obj := range g.known {
		if truth := want[name]; g.isRestored && truth != nil && listed.EqualContent(truth, obj) {
			want[name] = obj // a state that the server has lost, and then had again
		}
		if want[name] != obj {
			g.failf("at rest %s@%s is cached, want %v", name, obj.ResourceVersion, want[name])
		}
	}
	if len(want) != len(g.known) {
		g.failf("at rest %d objects are cached, want %d", len(g.known), len(want))
	}
	compare(g.t, g.x, want)
	if n := g.x.leaving(); n != 0 {
		g.failf("at rest %d objects are leaving", n)
	}
	if g.x.scopes == nil || g.isRestored { // a scope need not know that an object lives again
		return
	}
	if err := g.x.scopes.Check(g.x.store.Tags()); err != nil {
		g.failf("at rest: %v", err)
	}
	for slot, tag := range g.x.store.Tags() {
		for _, s := range g.scopes {
			obj := g.x.store.At(uint32(slot))
			if holds := g.x.scopes.Holds(g.x.scopes.Scope(s.id), ledger.Tag(tag)); holds != s.has(obj) {
				g.failf("at rest %s holds %s: %v", s, obj.Name, holds)
			}
		}
	}
}
