package scopes

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// rules are those of docs/design/scopes.md that a world keeps.
type rules struct{ keepsUntilListed, comparesVersions, listsToGrow bool }

var allRules = rules{true, true, true}

// world is a server, and an informer whose scopes change. Everything that takes time is a step of its own: an answer
// to a list, the delivery of events, what waits in the queue of the informer.
type world struct {
	rules
	random *rand.Rand

	version uint64
	objects map[listed.Name]*metav1.PartialObjectMetadata
	log     []change // all changes, in the order of their versions
	uids    int
	// isRestored is set after restore.
	isRestored bool

	reflectors map[frontier.ID]*simulated
	current    []scope // the wanted ones
	opened     frontier.ID
	queue      []delta

	owners *Owners
	stages map[frontier.ID]*Stage
	cache  map[listed.Name]*metav1.PartialObjectMetadata
	told   map[listed.Name]uint64 // the highest version that a handler knows of
}

type change struct {
	version     uint64
	before, now *metav1.PartialObjectMetadata
}

// scope is a region with a selector: red objects only, blue ones only, or all.
type scope struct {
	region Region
	color  string
}

func (s *scope) equals(other scope) bool { return *s == other }

type simulated struct {
	scope
	id frontier.ID
	// answer is the list that the server has sent, if isAnswered is set. position is the version that the watch has reached.
	isAnswered, isListed, isRefused bool
	answer                          []wire.Item
	answered                        uint64
	position                        uint64
	// reached is the version that the Reflector has reported, as its Status has it.
	reached uint64
}

type delta struct {
	from    frontier.ID
	event   watch.EventType // empty for a list
	item    wire.Item
	items   []wire.Item
	version uint64
}

var namespaces = []string{"a", "b", "c"}

func newWorld(random *rand.Rand, rules rules) *world {
	return &world{
		rules: rules, random: random, version: 1, objects: map[listed.Name]*metav1.PartialObjectMetadata{},
		reflectors: map[frontier.ID]*simulated{}, owners: NewOwners(), stages: map[frontier.ID]*Stage{},
		cache: map[listed.Name]*metav1.PartialObjectMetadata{}, told: map[listed.Name]uint64{},
	}
}

func (w *world) pick(n int) int { return w.random.IntN(n) }

func nameOf(obj metav1.Object) listed.Name {
	return listed.Name{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func versionOf(obj *metav1.PartialObjectMetadata) uint64 {
	version, _ := strconv.ParseUint(obj.ResourceVersion, 10, 64)
	return version
}

// write changes an object on the server.
func (w *world) write() {
	name := listed.Name{Namespace: namespaces[w.pick(len(namespaces))], Name: strconv.Itoa(w.pick(3))}
	w.version++
	before := w.objects[name]
	now := &metav1.PartialObjectMetadata{}
	now.Namespace, now.Name, now.ResourceVersion = name.Namespace, name.Name, strconv.FormatUint(w.version, 10)
	now.Labels = map[string]string{"color": []string{"red", "blue"}[w.pick(2)]}
	switch {
	case before == nil:
		w.uids++
		now.UID = types.UID(strconv.Itoa(w.uids))
	case w.pick(3) == 0:
		now = nil
	default:
		now.UID = before.UID
	}
	if now == nil {
		delete(w.objects, name)
	} else {
		w.objects[name] = now
	}
	w.log = append(w.log, change{w.version, before, now})
}

// restore takes the server back to an earlier version. What it has lost is never told.
func (w *world) restore() {
	w.version = uint64(1 + w.pick(int(w.version)))
	for len(w.log) > 0 && w.log[len(w.log)-1].version > w.version {
		last := w.log[len(w.log)-1]
		w.log = w.log[:len(w.log)-1]
		if last.before == nil {
			delete(w.objects, nameOf(last.now))
		} else {
			w.objects[nameOf(last.before)] = last.before
		}
	}
	w.isRestored = true // what has arrived before it is told after it
	for _, r := range w.reflectors {
		// The server does not know the version of the watch. If it has passed the version before the watch begins, nothing shows it.
		if r.position > w.version || r.isAnswered && r.answered > w.version {
			r.isListed, r.isAnswered = false, false
		}
	}
}

func (s *scope) selects(obj *metav1.PartialObjectMetadata) bool {
	if obj == nil || s.color != "" && obj.Labels["color"] != s.color {
		return false
	}
	return s.region.IsWide || s.region.Namespace == obj.Namespace && (s.region.Name == "" || s.region.Name == obj.Name)
}

// list takes a step of a Reflector that lists.
func (w *world) list(r *simulated) {
	switch {
	case r.isRefused:
	case !r.isAnswered:
		r.isAnswered, r.answered, r.answer = true, w.version, nil
		for _, obj := range w.objects {
			if r.selects(obj) && w.reads(r, nameOf(obj)) {
				r.answer = append(r.answer, wire.Item{Object: obj})
			}
		}
	default:
		r.isListed, r.isAnswered, r.position, r.reached = true, false, r.answered, r.answered
		w.queue = append(w.queue, delta{from: r.id, items: r.answer, version: r.answered})
	}
}

// reads reports whether the decoder of a Reflector reads an object. Some leave out what another one has
// taken over. That is correct because no Reflector gets back what it has lost.
func (w *world) reads(r *simulated, name listed.Name) bool {
	if r.id%2 == 0 || w.owners.IsOpening(r.id) {
		return true
	}
	owner, _ := w.owners.Owner(name)
	return owner == r.id
}

// deliver delivers up to n events of a watch.
func (w *world) deliver(r *simulated, n int) {
	at, _ := slices.BinarySearchFunc(w.log, r.position+1, func(c change, version uint64) int { return int(c.version) - int(version) })
	for _, c := range w.log[at:] {
		if n == 0 {
			return
		}
		n--
		r.position = c.version
		had, has := r.selects(c.before), r.selects(c.now)
		d := delta{from: r.id, version: c.version}
		switch {
		case has && had:
			d.event, d.item.Object = watch.Modified, c.now
		case has:
			d.event, d.item.Object = watch.Added, c.now
		case had:
			last := c.before.DeepCopy()
			last.ResourceVersion = strconv.FormatUint(c.version, 10)
			d.event, d.item.Object = watch.Deleted, last
		default:
			continue
		}
		if !w.reads(r, nameOf(d.item.Object)) {
			continue
		}
		r.reached = c.version
		w.queue = append(w.queue, d)
	}
}

// bookmark tells the version of a watch that has delivered everything.
func (w *world) bookmark(r *simulated) {
	r.position, r.reached = w.version, w.version
	w.takeOver()
}

// takeOver lets scopes take over that are ready, if nothing waits.
func (w *world) takeOver() error {
	if len(w.queue) > 0 {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(w.stages)) {
		stage := w.stages[id]
		if stage != nil && stage.IsListed() {
			stage.Reach(w.reflectors[id].reached)
			if err := w.commitReady(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// commitReady lets a scope take over if it is ready.
func (w *world) commitReady(id frontier.ID) error {
	stage := w.stages[id]
	if stage == nil || !stage.IsListed() || w.comparesVersions && w.owners.MinVersion(id) > stage.Version() {
		return nil
	}
	delete(w.stages, id)
	_, closed := w.owners.Commit(id)
	w.close(closed)
	return w.replace(delta{from: id, items: stage.Items(), version: stage.Version()})
}

func (w *world) close(ids []frontier.ID) {
	for _, id := range ids {
		delete(w.reflectors, id)
		delete(w.stages, id)
	}
}

// process applies what has waited longest.
func (w *world) process() error {
	d := w.queue[0]
	w.queue = w.queue[1:]
	if w.reflectors[d.from] == nil {
		return nil
	}
	if stage := w.stages[d.from]; stage != nil {
		if d.event == "" {
			stage.Replace(d.items, d.version)
		} else {
			stage.Apply(d.event, &d.item, d.version)
		}
		return w.commitReady(d.from)
	}
	if d.event == "" {
		w.owners.NoteList(d.from, d.version)
		if err := w.replace(d); err != nil {
			return err
		}
		return w.takeOverAfterList()
	}
	name := nameOf(d.item.Object)
	if owner, _ := w.owners.Owner(name); owner != d.from {
		return nil
	}
	w.owners.Note(d.from, name, d.version)
	if d.event == watch.Deleted {
		return w.remove(name, d.version)
	}
	return w.store(d.item.Object)
}

func (w *world) takeOverAfterList() error {
	for _, id := range slices.Sorted(maps.Keys(w.stages)) {
		if err := w.commitReady(id); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) replace(d delta) error {
	has := map[listed.Name]struct{}{}
	for _, item := range d.items {
		name := nameOf(item.Object)
		if owner, _ := w.owners.Owner(name); owner == d.from {
			has[name] = struct{}{}
			if err := w.store(item.Object); err != nil {
				return err
			}
		}
	}
	for name := range w.cache {
		if owner, _ := w.owners.Owner(name); owner == d.from {
			if _, isListed := has[name]; !isListed {
				if err := w.remove(name, 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *world) store(stored wire.Object) error {
	obj := stored.(*metav1.PartialObjectMetadata)
	name, version := nameOf(obj), versionOf(obj)
	if version < w.told[name] && !w.isRestored {
		return fmt.Errorf("%v went from version %d back to %d", name, w.told[name], version)
	}
	w.told[name] = version
	w.cache[name] = obj
	return nil
}

func (w *world) remove(name listed.Name, version uint64) error {
	if w.cache[name] != nil && version != 0 {
		if version < w.told[name] && !w.isRestored {
			return fmt.Errorf("%v went from version %d back to its end at %d", name, w.told[name], version)
		}
		w.told[name] = version
	}
	delete(w.cache, name)
	return nil
}

// setScopes sets some scopes: of one namespace, of one object, and of all others.
func (w *world) setScopes() error {
	var next []scope
	colors := []string{"", "", "red", "blue"}
	for _, namespace := range namespaces {
		switch w.pick(4) {
		case 0:
			next = append(next, scope{Region{Namespace: namespace}, colors[w.pick(4)]})
		case 1:
			for i := range w.pick(3) {
				next = append(next, scope{Region{Namespace: namespace, Name: strconv.Itoa(i)}, ""})
			}
		}
	}
	if w.pick(2) == 0 {
		next = append(next, scope{Region{IsWide: true}, colors[w.pick(4)]})
	}
	return w.set(next)
}

func (w *world) set(next []scope) error {
	var scopes []Scope
	regions := make([]Region, len(next))
	for i, s := range next {
		regions[i] = s.region
	}
	extends := w.owners.Extends(regions) && w.listsToGrow
	var opened []*simulated
	for _, s := range next {
		id := frontier.ID(0)
		at := slices.IndexFunc(w.current, func(have scope) bool { return have.equals(s) })
		if at >= 0 && !(extends && s.region.IsWide) {
			id = w.idOf(s)
		} else {
			w.opened++
			id = w.opened
			opened = append(opened, &simulated{scope: s, id: id, isRefused: w.pick(6) == 0})
		}
		scopes = append(scopes, Scope{id, s.region})
	}
	w.current = next
	change := w.owners.Set(scopes, func(id frontier.ID) (uint64, bool) {
		r := w.reflectors[id]
		return r.reached, true
	})
	for _, r := range opened {
		w.reflectors[r.id] = r
		if !w.keepsUntilListed && w.owners.IsOpening(r.id) {
			_, closed := w.owners.Commit(r.id)
			change.Closed = append(change.Closed, closed...)
		}
		if w.owners.IsOpening(r.id) {
			w.stages[r.id] = &Stage{}
		}
	}
	w.close(change.Closed)
	for name := range w.cache {
		if _, has := w.owners.Owner(name); !has {
			if !change.IsWide && !slices.Contains(change.Namespaces, name.Namespace) {
				panic(fmt.Sprintf("%v has lost its owner, and %+v does not say so", name, change))
			}
			delete(w.cache, name)
			delete(w.told, name) // if the scope comes back, it is another object
		}
	}
	return w.takeOverAfterList()
}

// idOf returns the frontier.ID of a scope that is open, the youngest one.
func (w *world) idOf(s scope) (id frontier.ID) {
	for _, r := range w.reflectors {
		if r.scope.equals(s) {
			id = max(id, r.id)
		}
	}
	return id
}

// step takes a random step.
func (w *world) step(restores bool) error {
	all := slices.Sorted(maps.Keys(w.reflectors))
	some := func() *simulated {
		if len(all) == 0 {
			return nil
		}
		return w.reflectors[all[w.pick(len(all))]]
	}
	switch at := w.pick(20); {
	case at < 6:
		w.write()
	case at < 12:
		if len(w.queue) > 0 {
			return w.process()
		}
		return w.takeOver()
	case at == 12:
		return w.setScopes()
	case at == 13:
		if r := some(); r != nil && w.pick(3) == 0 {
			r.isListed, r.isAnswered = false, false // 410 Gone
		}
	case at == 14 && restores && w.pick(10) == 0:
		w.restore()
	default:
		r := some()
		switch {
		case r == nil:
		case !r.isListed:
			w.list(r)
		default:
			w.deliver(r, 1+w.pick(3))
		}
	}
	return nil
}

// catchUp lets everything arrive, and compares the cache with the server.
func (w *world) catchUp() error {
	for range 10 {
		for _, r := range w.reflectors {
			for !r.isListed && !r.isRefused {
				w.list(r)
			}
			if r.isListed {
				w.deliver(r, len(w.log))
			}
		}
		for len(w.queue) > 0 {
			if err := w.process(); err != nil {
				return err
			}
		}
		for _, id := range slices.Sorted(maps.Keys(w.reflectors)) {
			if r := w.reflectors[id]; r != nil && r.isListed {
				w.bookmark(r)
			}
		}
		if err := w.takeOver(); err != nil {
			return err
		}
	}
	want := map[listed.Name]*metav1.PartialObjectMetadata{}
	for name, obj := range w.objects {
		owner, has := w.owners.Owner(name)
		if r := w.reflectors[owner]; has && r.selects(obj) && !r.isRefused {
			want[name] = obj
		}
	}
	for name := range w.cache {
		if owner, _ := w.owners.Owner(name); w.reflectors[owner].isRefused {
			return fmt.Errorf("%v has an owner that was refused", name)
		}
	}
	if !maps.Equal(w.cache, want) {
		return fmt.Errorf("the cache has %v instead of %v", text(w.cache), text(want))
	}
	for id := range w.stages {
		if !w.reflectors[id].isRefused {
			return fmt.Errorf("scope %d has not taken over", id)
		}
	}
	for _, s := range w.current {
		r := w.reflectors[w.idOf(s)]
		if !r.isRefused && len(w.reflectors) > len(w.current) && !w.anyRefused() {
			return errors.New("a scope that is not needed is open")
		}
	}
	return nil
}

func (w *world) anyRefused() bool {
	for _, r := range w.reflectors {
		if r.isRefused {
			return true
		}
	}
	return false
}

func text(objects map[listed.Name]*metav1.PartialObjectMetadata) (all []string) {
	for name, obj := range objects {
		all = append(all, name.Namespace+"/"+name.Name+"@"+obj.ResourceVersion)
	}
	slices.Sort(all)
	return all
}

// run plays one history.
func run(seed uint64, rules rules, restores bool) error {
	w := newWorld(rand.New(rand.NewPCG(seed, 1)), rules)
	for range 10 {
		w.write()
	}
	for range 150 {
		if err := w.step(restores); err != nil {
			return err
		}
	}
	return w.catchUp()
}

func TestMoves(t *testing.T) {
	for seed := range uint64(3000) {
		if err := run(seed, allRules, seed%2 == 1); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
	}
}

func FuzzMoves(f *testing.F) {
	f.Add(uint64(1), true)
	f.Fuzz(func(t *testing.T, seed uint64, restores bool) {
		if err := run(seed, allRules, restores); err != nil {
			t.Fatal(err)
		}
	})
}

// Without any one of the rules, histories end wrong.
func TestRulesAreNeeded(t *testing.T) {
	for name, without := range map[string]rules{
		"keeps until listed":  {false, true, true},
		"compares versions":   {true, false, true},
		"lists to grow":       {true, true, false},
		"none of these rules": {},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := 0
			for seed := range uint64(500) {
				if err := run(seed, without, false); err != nil {
					wrong++
				}
			}
			t.Logf("%d of 500 histories end wrong", wrong)
			if wrong == 0 {
				t.Error("no history needs the rule")
			}
		})
	}
}

// TestRegionShrinksWhileItOpens gives a namespace a scope of its own before the scope of all others has taken it over. That scope must
// not get the namespace, and another one must not take it over from one that is closed.
func TestRegionShrinksWhileItOpens(t *testing.T) {
	o := NewOwners()
	version := func(frontier.ID) (uint64, bool) { return 1, true }
	of := func(id frontier.ID, namespace string) Scope { return Scope{id, Region{Namespace: namespace}} }
	others := func(id frontier.ID) Scope { return Scope{id, Region{IsWide: true}} }
	o.Set([]Scope{of(0, "y"), of(5, "z")}, version)
	o.Set([]Scope{others(1)}, version)
	o.Set([]Scope{of(2, "y"), others(1)}, version)
	_, closed := o.Commit(1)
	from, _ := o.Commit(2)
	for _, id := range from {
		if slices.Contains(closed, id) {
			t.Errorf("2 takes over from %d, which was closed when 1 took over", id)
		}
	}
}
