// Package attack plays random histories of everything that an informer promises about its scopes and its own writes, and checks
// the promises only. It knows nothing of how the informer keeps them.
package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

type object = *metav1.PartialObjectMetadata

var widgets = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}

var widgetKind = apitest.Kind{
	GroupVersionKind: widgets.GroupVersion().WithKind("Widget"), Resource: widgets.Resource, Namespaced: true, Status: true, SelectableFields: []string{"spec.color"},
}

// Modes of a game.
const (
	healthy  = iota // the server does all that is asked
	lagging         // its watches lag
	refusing        // it refuses each scope with the label selector of refusedSelector
	failing         // everything fails at times
	restored        // failing, and it is restored from backups
	modes
)

const (
	refusedSelector = "letters!=refused" // it selects all
	limit           = 3000
)

func env(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// TestAttack plays ATTACK_N games from the seed ATTACK_FROM on.
func TestAttack(t *testing.T) {
	klog.SetLogger(logr.Discard())
	from, n := env("ATTACK_FROM", 1), env("ATTACK_N", 25)
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { play(t, uint64(seed)) }) })
		if t.Failed() && os.Getenv("ATTACK_ALL") == "" {
			return
		}
	}
}

// ---------------------------------------------------------------- server

type serverURL string

func (s serverURL) String() string { return string(s) }

// pathOf returns the path of the widgets of a namespace, or of one of them.
func pathOf(namespace, name string) string {
	path := "/apis/" + widgets.GroupVersion().String()
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	path += "/" + widgets.Resource
	if name != "" {
		path += "/" + name
	}
	return path
}

// reads counts what an informer requests.
type reads struct {
	next http.RoundTripper

	mu    sync.Mutex
	open  map[string]int // watches
	lists map[string]int // by path and selectors
	dead  chan struct{}
}

func keyOf(namespace, labels, fields string) string { return namespace + "|" + labels + "|" + fields }

func (r *reads) setDead(dead bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case dead && r.dead == nil:
		r.dead = make(chan struct{})
	case !dead && r.dead != nil:
		close(r.dead)
		r.dead = nil
	}
}

func (r *reads) watches() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, open := range r.open {
		n += open
	}
	return n
}

func (r *reads) opener(namespace string, form func(string) string, server string) bodies.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server+pathOf(namespace, "")+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", form(accept))
		request.Header.Set("User-Agent", "informer")
		key := keyOf(namespace, options.LabelSelector, options.FieldSelector)
		r.mu.Lock()
		if !options.Watch && options.Continue == "" || options.SendInitialEvents != nil && *options.SendInitialEvents {
			r.lists[key]++
		}
		r.mu.Unlock()
		response, err := r.next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusOK {
			defer response.Body.Close()
			return nil, errorOf(response)
		}
		if !options.Watch {
			return response.Body, nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open[key]++
		return &watchBody{ReadCloser: response.Body, reads: r, key: key, ctx: ctx}, nil
	}
}

func errorOf(response *http.Response) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	status := metav1.Status{}
	if raw, isProtobuf := bytes.CutPrefix(body, []byte("k8s\x00")); isProtobuf {
		u := runtime.Unknown{}
		if err = u.Unmarshal(raw); err == nil {
			err = status.Unmarshal(u.Raw)
		}
	} else {
		err = json.Unmarshal(body, &status)
	}
	if err != nil {
		return err
	}
	return &apierrors.StatusError{ErrStatus: status}
}

type watchBody struct {
	io.ReadCloser
	*reads
	key     string
	ctx     context.Context
	closing sync.Once
}

func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for {
		b.mu.Lock()
		dead := b.dead
		b.mu.Unlock()
		if dead == nil {
			return n, err
		}
		select {
		case <-dead:
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
}

func (b *watchBody) Close() error {
	b.closing.Do(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open[b.key]--
	})
	return b.ReadCloser.Close()
}

// late delays the response to a request with a *delay in its context.
type late struct{ next http.RoundTripper }

type delay struct{ executed, release chan struct{} }

type delayKey struct{}

func (l late) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if d, ok := request.Context().Value(delayKey{}).(*delay); ok {
		close(d.executed)
		<-d.release
	}
	return response, err
}

// ---------------------------------------------------------------- model

type name = cache.ObjectName

// state is one state of a name on the server, from a version on. obj is nil after a delete.
type state struct {
	version uint64
	obj     *unstructured.Unstructured
}

func (s state) isBig() bool { return s.obj != nil && s.obj.GetAnnotations()["big"] != "" }

// scope is a scope, with its conditions in another form.
type scope struct {
	cache.Scope
	id     int // of its opening
	labels labels.Selector
	name   string
	shard  sharding.Selector
}

func (s *scope) isRefused() bool { return s.LabelSelector == refusedSelector }

// covers reports whether the region of the scope has a name.
func (s *scope) covers(n name, all []*scope) bool {
	if s.Namespace != "" {
		return s.Namespace == n.Namespace && (s.name == "" || s.name == n.Name)
	}
	return !s.OtherNamespaces || !slices.ContainsFunc(all, func(other *scope) bool { return other.Namespace == n.Namespace })
}

// selects reports whether the selectors select an object.
func (s *scope) selects(obj *unstructured.Unstructured) bool {
	return obj != nil && s.labels.Matches(labels.Set(obj.GetLabels())) && (s.name == "" || s.name == obj.GetName()) && (s.shard.Empty() || s.shard.Matches(obj))
}

// floor is an own write that the cache has shown. scopes are those that were set since then.
type floor struct {
	uid     types.UID
	version uint64
	scopes  []*scope
}

type game struct {
	*testing.T
	seed   uint64
	random *rand.Rand
	mode   int

	server   *apitest.Server
	reads    *reads
	others   http.RoundTripper
	client   http.RoundTripper
	own      writes.Observer
	readsOwn bool
	skips    bool
	big      bool // there are objects over the limit
	always   sharding.Selector
	informer *cache.SharedIndexInformer[object]
	isLater  bool

	mu       sync.Mutex
	trace    []string
	history  map[name][]state
	writers  sync.WaitGroup
	late     []*lateWrite
	scopes   []*scope
	openings int
	opened   map[string]int
	owners   map[name][]*scope // that may own a name now; in the modes in which that is known
	settled  bool
	certain  map[name]bool // whether a scope that is listed has had the name since it was last in none
	// answered has the highest version that an own write has left.
	answered    map[name]uint64
	floors      map[name]*floor
	seen        map[types.UID]uint64 // the highest version that the cache has shown
	good        map[name]floor       // what the cache had of a name when it was settled
	handlers    []*handler
	faults      []*apitest.Fault
	removed     []*handler
	wasRestored bool
	// isOver is set when no scope is refused any more, and slow handlers have caught up.
	isOver bool
}

type lateWrite struct {
	*delay
	done chan struct{}
	name
	state
	sure *scope
	code int
}

var names []name

func init() {
	for _, namespace := range []string{"x", "y", "z", "w"} {
		for i := range 4 {
			names = append(names, name{Namespace: namespace, Name: fmt.Sprint("w", i)})
		}
	}
}

func (g *game) log(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if os.Getenv("ATTACK_LIVE") != "" {
		fmt.Printf(format+"\n", args...)
	}
	g.trace = append(g.trace, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (g *game) fail(format string, args ...any) {
	g.Helper()
	g.log("FAILURE "+format, args...)
	g.Errorf(format, args...)
}

func (g *game) chance(n int) bool { return g.random.IntN(n) == 0 }

func (g *game) pick(from ...string) string { return from[g.random.IntN(len(from))] }

func (g *game) upTo(limit time.Duration) time.Duration {
	return time.Duration(g.random.Int64N(int64(limit)))
}

// randomScopes returns scopes that are a partition.
func (g *game) randomScopes() (scopes []cache.Scope) {
	r := g.random
	shard := func() string {
		key := sharding.UID
		if r.IntN(2) == 0 {
			key = sharding.Owner
		}
		split := sharding.Split(key, 4)
		switch r.IntN(3) {
		case 0:
			return split[r.IntN(4)].String()
		case 1:
			two, err := sharding.New(key, append(slices.Clone(split[0].Ranges()), split[2].Ranges()...)...)
			if err != nil {
				g.Fatal(err)
			}
			return two.String()
		}
		return sharding.Split(key, 2)[r.IntN(2)].String()
	}
	with := func(s cache.Scope) cache.Scope {
		switch r.IntN(6) {
		case 0:
			s.LabelSelector = "letters=a"
		case 1:
			s.LabelSelector = "letters!=c"
		case 2:
			s.ShardSelector = shard()
		case 3:
			s.LabelSelector, s.ShardSelector = "letters in (a,b)", shard()
		case 4:
			if g.mode >= refusing {
				s.LabelSelector = refusedSelector
			}
		}
		return s
	}
	for _, namespace := range []string{"x", "y", "z"} {
		switch r.IntN(4) {
		case 0, 1:
			scopes = append(scopes, with(cache.Scope{Namespace: namespace}))
		case 2:
			for i := r.IntN(4); i < 4; i += 1 + r.IntN(3) {
				s := cache.Scope{Namespace: namespace, FieldSelector: fmt.Sprint("metadata.name=w", i)}
				if r.IntN(3) == 0 {
					s = with(s)
				}
				scopes = append(scopes, s)
			}
		}
	}
	if r.IntN(2) == 0 {
		scopes = append(scopes, with(cache.Scope{OtherNamespaces: len(scopes) > 0 || r.IntN(2) == 0}))
	}
	return scopes
}

func (g *game) parse(s cache.Scope) *scope {
	parsed := &scope{Scope: s}
	var err error
	if parsed.labels, err = labels.Parse(s.LabelSelector); err != nil {
		g.Fatal(err)
	}
	parsed.name = strings.TrimPrefix(s.FieldSelector, "metadata.name=")
	if parsed.shard, err = sharding.Parse(s.ShardSelector); err != nil {
		g.Fatal(err)
	}
	if parsed.shard.Empty() {
		parsed.shard = g.always
	}
	return parsed
}

// wanted returns the scope whose region has a name, or nil.
func (g *game) wanted(n name) *scope { return wantedIn(g.scopes, n) }

func wantedIn(scopes []*scope, n name) *scope {
	for _, s := range scopes {
		if s.covers(n, scopes) {
			return s
		}
	}
	return nil
}

// choose records that scopes are set, before or after.
func (g *game) choose(next []cache.Scope) {
	old := g.scopes
	has := func(scopes []*scope, namespace string) bool {
		return slices.ContainsFunc(scopes, func(s *scope) bool { return s.Namespace == namespace })
	}
	var chosen []*scope
	for _, s := range next {
		at := slices.IndexFunc(old, func(was *scope) bool { return was.Scope == s })
		if at >= 0 && s.Namespace == "" && s.OtherNamespaces { // it lists again if it gets a namespace
			for _, namespace := range []string{"x", "y", "z", "w"} {
				if has(old, namespace) && !slices.ContainsFunc(next, func(s cache.Scope) bool { return s.Namespace == namespace }) {
					at = -1
					break
				}
			}
		}
		if at >= 0 {
			chosen = append(chosen, old[at])
			continue
		}
		parsed := g.parse(s)
		g.openings++
		parsed.id = g.openings
		g.opened[keyOf(s.Namespace, s.LabelSelector, s.FieldSelector)]++
		chosen = append(chosen, parsed)
	}
	g.scopes, g.settled = chosen, false
	for _, n := range names {
		now := g.wanted(n)
		switch {
		case now == nil:
			delete(g.owners, n)
			delete(g.certain, n)
		case len(g.owners[n]) == 0:
			g.owners[n] = []*scope{now}
		case slices.Contains(g.owners[n], now):
		case now.isRefused() && g.certain[n]:
		default:
			g.owners[n] = append(slices.Clone(g.owners[n]), now)
		}
		if f := g.floors[n]; f != nil {
			if now == nil || !now.selects(g.at(n, f.version).obj) {
				delete(g.floors, n)
			} else {
				f.scopes = append(f.scopes, now)
			}
		}
		delete(g.good, n)
	}
}

// at returns the state of a name at a version.
func (g *game) at(n name, version uint64) (at state) {
	for _, s := range g.history[n] {
		if s.version <= version {
			at = s
		}
	}
	return at
}

func (g *game) now(n name) state {
	if all := g.history[n]; len(all) > 0 {
		return all[len(all)-1]
	}
	return state{}
}

// ---------------------------------------------------------------- requests

func (g *game) send(ctx context.Context, by http.RoundTripper, method, path, contentType string, body any) (int, []byte) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			g.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, g.server.URL()+path, reader)
	if err != nil {
		g.Fatal(err)
	}
	r.Header.Set("User-Agent", "writer")
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := by.RoundTrip(r)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}

func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}

// refresh reads the state of a name, and reports whether it has changed.
func (g *game) refresh(n name) bool {
	code, body := g.send(context.Background(), g.server, http.MethodGet, pathOf(n.Namespace, n.Name), "", nil)
	last := g.now(n)
	switch code {
	case http.StatusOK:
		obj := &unstructured.Unstructured{}
		if err := obj.UnmarshalJSON(body); err != nil {
			g.Fatal(err)
		}
		version := number(obj.GetResourceVersion())
		if last.obj != nil && last.version == version && last.obj.GetUID() == obj.GetUID() {
			return false
		}
		g.history[n] = append(g.history[n], state{version, obj})
		return true
	case http.StatusNotFound:
		if last.obj == nil {
			return false
		}
		g.history[n] = append(g.history[n], state{g.version(), nil})
		return true
	}
	g.Fatalf("get %v: %d %s", n, code, body)
	return false
}

// version returns the version of the server.
func (g *game) version() uint64 {
	code, body := g.send(context.Background(), g.server, http.MethodGet, pathOf("", "")+"?limit=1", "", nil)
	list := metav1.PartialObjectMetadataList{}
	if err := json.Unmarshal(body, &list); err != nil || code != http.StatusOK {
		g.Fatalf("%d %v", code, err)
	}
	return number(list.ResourceVersion)
}

// write sends a random write of a name.
func (g *game) write(n name) {
	last := g.now(n).obj
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"color": g.pick("red", "blue")}}}
	obj.SetGroupVersionKind(widgetKind.GroupVersionKind)
	obj.SetNamespace(n.Namespace)
	obj.SetName(n.Name)
	obj.SetLabels(map[string]string{"letters": g.pick("a", "b", "c")})
	obj.SetAnnotations(map[string]string{"n": fmt.Sprint(g.random.IntN(1000))})
	if g.big && g.chance(5) {
		obj.SetAnnotations(map[string]string{"big": strings.Repeat("0123456789", 2*limit/10)})
	}
	if g.chance(2) {
		yes := true
		owner := g.pick("o1", "o2", "o3", "o4")
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner, UID: types.UID(owner + "-uid"), Controller: &yes}})
	}
	method, path, contentType, body := "", pathOf(n.Namespace, n.Name), "application/json", any(obj.Object)
	switch what := g.random.IntN(12); {
	case last == nil:
		method, path = http.MethodPost, pathOf(n.Namespace, "")
		if g.chance(8) {
			obj.SetFinalizers([]string{"test.example.com/keep"})
		}
	case what < 3:
		method, contentType, body = http.MethodDelete, "", nil
	case what < 8:
		method = http.MethodPut
		obj.SetResourceVersion(last.GetResourceVersion())
		if finalizers := last.GetFinalizers(); len(finalizers) > 0 && !g.chance(3) {
			obj.SetFinalizers(finalizers)
		} else if last.GetDeletionTimestamp() == nil && g.chance(8) {
			obj.SetFinalizers([]string{"test.example.com/keep"})
		}
	case what < 10:
		method, contentType = http.MethodPatch, "application/merge-patch+json"
		body = map[string]any{"metadata": map[string]any{"labels": map[string]any{"letters": g.pick("a", "b", "c")}}}
	default:
		method, path = http.MethodPut, path+"/status"
		obj.SetResourceVersion(last.GetResourceVersion())
		obj.Object["status"] = map[string]any{"n": int64(g.random.IntN(1000))}
	}
	by := g.random.IntN(4) // others, own, own, own with a late response
	if !g.readsOwn {
		by = 0
	}
	sure := g.sure(n)
	what := fmt.Sprintf("%s %s %v letters=%s big=%v", []string{"other", "own", "own", "late"}[by], method, n, obj.GetLabels()["letters"], obj.GetAnnotations()["big"] != "")
	switch by {
	case 0:
		code, _ := g.send(context.Background(), g.others, method, path, contentType, body)
		g.refresh(n)
		g.log("%s: %d, now %s", what, code, describe(g.now(n)))
	case 3:
		l := &lateWrite{delay: &delay{make(chan struct{}), make(chan struct{})}, done: make(chan struct{}), name: n, sure: sure}
		g.writers.Go(func() {
			defer close(l.done)
			l.code, _ = g.send(context.WithValue(context.Background(), delayKey{}, l.delay), g.client, method, path, contentType, body)
		})
		<-l.executed
		g.refresh(n)
		l.state = g.now(n)
		g.log("%s: executed, now %s", what, describe(l.state))
		g.late = append(g.late, l)
	default:
		code, _ := g.send(context.Background(), g.client, method, path, contentType, body)
		g.refresh(n)
		now := g.now(n)
		cached, has := g.informer.GetStore().Get(n)
		g.log("%s: %d, now %s; cached %s; sure %v", what, code, describe(now), describeCached(cached, has), sure)
		if code >= 200 && code < 300 {
			g.readable(n, now, sure, what)
		}
	}
	g.watchCache()
}

func describe(s state) string {
	if s.obj == nil {
		return fmt.Sprintf("gone@%d", s.version)
	}
	shard := ""
	if owner := metav1.GetControllerOf(s.obj); owner != nil {
		shard = string(owner.UID)
	}
	return fmt.Sprintf("%s@%d %s big=%v owner=%s deleting=%v", s.obj.GetUID(), s.version, s.obj.GetLabels()["letters"], s.isBig(), shard, s.obj.GetDeletionTimestamp() != nil)
}

func describeCached(obj object, has bool) string {
	if !has {
		return "nothing"
	}
	return fmt.Sprintf("%s@%s %s", obj.UID, obj.ResourceVersion, obj.Labels["letters"])
}

// release lets a late response come.
func (g *game) release() {
	if len(g.late) == 0 {
		return
	}
	at := g.random.IntN(len(g.late))
	l := g.late[at]
	g.late = slices.Delete(g.late, at, at+1)
	sure := g.sure(l.name)
	close(l.release)
	<-l.done
	cached, has := g.informer.GetStore().Get(l.name)
	g.log("late response of %v %s: %d; cached %s; sure %v", l.name, describe(l.state), l.code, describeCached(cached, has), sure)
	if l.code >= 200 && l.code < 300 {
		g.readable(l.name, l.state, sure, "late")
	}
	g.watchCache()
}

// sure returns the scope that has a name now and is listed, or nil if that is not known.
func (g *game) sure(n name) *scope {
	if g.wasRestored {
		return nil
	}
	if g.informer.HasSynced() {
		return g.wanted(n)
	}
	if g.mode == refusing && g.settled && len(g.owners[n]) == 1 && !g.owners[n][0].isRefused() {
		return g.owners[n][0]
	}
	return nil
}

// readable checks that the cache shows a write.
func (g *game) readable(n name, wrote state, sure *scope, what string) {
	g.Helper()
	if wrote.version < g.answered[n] { // the cache has a later own write, or waits for it if that was to another scope
		return
	}
	g.answered[n] = wrote.version
	if sure == nil || wrote.isBig() || g.now(n).isBig() { // a shard cannot know the owner of an object over the limit
		return
	}
	cached, has := g.informer.GetStore().Get(n)
	isShown := wrote.obj != nil && sure.selects(wrote.obj)
	if has && !isShown && cached.UID != g.uidAt(n, wrote.version) && g.created(n, cached.UID) < wrote.version {
		return // an earlier object of that name, whose end the watch has not told
	}
	if problem := g.older(n, wrote.version, []*scope{sure}, cached, has); problem != "" {
		g.fail("%s: %v: own write %s is not readable at once: cached is %s, scope %v: %s", what, n, describe(wrote), describeCached(cached, has), sure.Scope, problem)
		return
	}
	if !isShown {
		return
	}
	if last := g.floors[n]; last == nil || last.version < wrote.version {
		f := &floor{wrote.obj.GetUID(), wrote.version, []*scope{sure}}
		if next := g.wanted(n); next != nil && next != sure { // it may take over
			f.scopes = append(f.scopes, next)
		}
		g.floors[n] = f
	}
}

// uidAt returns the UID of the last object of a name up to a version.
func (g *game) uidAt(n name, version uint64) (uid types.UID) {
	for _, s := range g.history[n] {
		if s.version <= version && s.obj != nil {
			uid = s.obj.GetUID()
		}
	}
	return uid
}

// created returns the first version of an object.
func (g *game) created(n name, uid types.UID) uint64 {
	for _, s := range g.history[n] {
		if s.obj != nil && s.obj.GetUID() == uid {
			return s.version
		}
	}
	return 0
}

// older returns what is wrong if the cache has an earlier state of a name than that of a version. scopes are those that may
// have had the name since then.
func (g *game) older(n name, version uint64, scopes []*scope, cached object, has bool) string {
	if has {
		for _, s := range g.history[n] {
			if s.version >= version && s.obj != nil && s.obj.GetUID() == cached.UID && s.obj.GetResourceVersion() == cached.ResourceVersion {
				if !slices.ContainsFunc(scopes, func(scope *scope) bool { return scope.selects(s.obj) }) {
					return "no scope selects it"
				}
				return ""
			}
		}
		// The state before an object over the limit stays.
		for i, s := range g.history[n] {
			if s.version >= version && s.isBig() && s.obj.GetUID() == cached.UID && i > 0 {
				return ""
			}
		}
		return "it is earlier, or the server never had it"
	}
	all := g.history[n]
	for i, s := range all {
		if s.version < version && (i+1 == len(all) || all[i+1].version > version) || s.version >= version {
			if s.version >= version && (s.obj == nil || slices.ContainsFunc(scopes, func(scope *scope) bool { return !scope.selects(s.obj) })) {
				return ""
			}
			if s.version >= version && s.isBig() {
				return ""
			}
		}
	}
	return "it is gone"
}

// watchCache checks that nothing in the cache goes backwards.
func (g *game) watchCache() {
	g.Helper()
	for _, n := range names {
		cached, has := g.informer.GetStore().Get(n)
		if has && !g.wasRestored {
			version := number(cached.ResourceVersion)
			if version < g.seen[cached.UID] {
				g.fail("%v: the cache goes back from version %d to %s", n, g.seen[cached.UID], describeCached(cached, has))
			}
			g.seen[cached.UID] = max(version, g.seen[cached.UID])
		}
		if f := g.floors[n]; f != nil && !g.wasRestored {
			if problem := g.older(n, f.version, f.scopes, cached, has); problem != "" {
				g.fail("%v: the own write %s@%d was readable, and now the cache has %s: %s", n, f.uid, f.version, describeCached(cached, has), problem)
				delete(g.floors, n)
			}
		}
	}
}

// ---------------------------------------------------------------- handlers

type handler struct {
	*game
	id           int
	registration cache.ResourceEventHandlerRegistration
	pace         time.Duration
	merges       bool

	hmu     sync.Mutex
	present map[name]object
	last    map[types.UID]uint64
	ended   bool
}

func (h *handler) event(what string, obj object) func() {
	if h.pace > 0 {
		time.Sleep(h.pace)
	}
	h.hmu.Lock()
	h.log("  handler %d: %s %s/%s %s", h.id, what, obj.Namespace, obj.Name, describeCached(obj, true))
	if h.ended {
		h.fail("handler %d is called after its end: %s", h.id, what)
	}
	version := number(obj.ResourceVersion)
	if version < h.last[obj.UID] && h.mode != restored {
		h.fail("handler %d: %s of %s/%s goes back from version %d to %d", h.id, what, obj.Namespace, obj.Name, h.last[obj.UID], version)
	}
	h.last[obj.UID] = version
	return h.hmu.Unlock
}

func (h *handler) OnAdd(obj object, _ bool) {
	defer h.event("add", obj)()
	n := cache.MetaObjectToName(obj)
	if h.present[n] != nil {
		h.fail("handler %d: add of %v, which is present", h.id, n)
	}
	h.present[n] = obj
}

func (h *handler) OnUpdate(old, obj object) {
	defer h.event("update", obj)()
	n := cache.MetaObjectToName(obj)
	if before := h.present[n]; before == nil || before != old || before.UID != obj.UID {
		h.fail("handler %d: update of %v from another state or object", h.id, n)
	}
	h.present[n] = obj
}

func (h *handler) OnDelete(obj object, _ bool) {
	defer h.event("delete", obj)()
	n := cache.MetaObjectToName(obj)
	if before := h.present[n]; before == nil || before.UID != obj.UID {
		h.fail("handler %d: delete of %v, which is not present", h.id, n)
	}
	delete(h.present, n)
}

func (g *game) join() {
	h := &handler{game: g, id: len(g.handlers) + len(g.removed), present: map[name]object{}, last: map[types.UID]uint64{}}
	var options []cache.HandlerOption
	if g.chance(4) {
		h.pace = g.upTo(50*time.Millisecond) + 1
	}
	if g.chance(4) {
		h.merges = true
		options = append(options, cache.WithBacklogLimit(1+g.random.IntN(4)))
	}
	g.log("handler %d joins", h.id)
	var err error
	if h.registration, err = g.informer.AddEventHandler(h, options...); err != nil {
		g.fail("%v", err)
	}
	g.handlers = append(g.handlers, h)
}

func (g *game) leave() {
	if len(g.handlers) < 2 {
		return
	}
	at := g.random.IntN(len(g.handlers))
	h := g.handlers[at]
	g.log("handler %d leaves", h.id)
	if err := g.informer.RemoveEventHandler(h.registration); err != nil {
		g.fail("%v", err)
	}
	g.handlers = slices.Delete(g.handlers, at, at+1)
	g.removed = append(g.removed, h)
	if h.pace == 0 {
		<-h.registration.Gone()
		h.hmu.Lock()
		h.ended = true
		h.hmu.Unlock()
	}
}

// ---------------------------------------------------------------- the game

func inProtobuf(accept string) string { return accept }

func inJSON(accept string) string {
	_, accept, _ = strings.Cut(accept, ",")
	return accept
}

func wholeInJSON(string) string { return "application/json" }

func byLetters(obj object) []string { return []string{obj.Labels["letters"]} }

func play(t *testing.T, seed uint64) {
	g := &game{
		T: t, seed: seed, random: rand.New(rand.NewPCG(seed, 41)), history: map[name][]state{}, opened: map[string]int{}, owners: map[name][]*scope{}, certain: map[name]bool{},
		floors: map[name]*floor{}, answered: map[name]uint64{}, seen: map[types.UID]uint64{}, good: map[name]floor{},
	}
	g.mode = g.random.IntN(modes - 1)
	if mode := env("ATTACK_MODE", -1); mode >= 0 {
		g.mode = mode
	}
	defer func() {
		if t.Failed() {
			for _, line := range g.trace {
				fmt.Println(line)
			}
		}
	}()
	limits := []apitest.Option{apitest.WithKinds(widgetKind), apitest.WithoutGarbageCollection()}
	if g.mode >= failing && g.chance(3) {
		limits = append(limits, apitest.WithHistory(6))
	}
	var err error
	if g.server, err = apitest.New(limits...); err != nil {
		t.Fatal(err)
	}
	defer g.server.Close()
	g.reads = &reads{next: g.server, open: map[string]int{}, lists: map[string]int{}}
	g.others = g.server
	g.client = g.own.Transport(late{g.server})
	g.readsOwn = !g.chance(4)
	options := []cache.SharedInformerOption{
		cache.WithIndexers(cache.Indexers[object]{"letters": byLetters}),
		cache.WithWatchErrorHandler(func(context.Context, schema.GroupVersionResource, error) {}),
	}
	if g.chance(3) {
		options = append(options, cache.WithResync(7*time.Minute))
	}
	if g.chance(2) {
		options = append(options, cache.WithStreamingList())
	}
	if g.readsOwn {
		options = append(options, cache.WithReadYourWrites(&g.own))
	}
	if g.chance(2) {
		g.skips = true
		options = append(options, cache.WithSkipUndecodable())
	}
	if g.big = (g.skips || g.mode >= failing) && g.chance(2); g.big {
		options = append(options, cache.WithMaxObjectBytes(limit))
	}
	if g.chance(6) {
		g.always = sharding.Split(sharding.Owner, 2)[0]
		options = append(options, cache.WithShard(g.always))
	}
	if g.mode == refusing || g.mode >= failing {
		g.faults = append(g.faults, g.server.On("*", widgets.Resource).Optional().Where(func(r *http.Request) bool {
			return r.UserAgent() == "informer" && r.URL.Query().Get("labelSelector") == refusedSelector
		}).Forbidden())
	}
	if g.mode == lagging {
		g.faults = append(g.faults, g.server.LagWatches(widgets.Resource, g.upTo(30*time.Second)+1))
	}
	first := g.randomScopes()
	for len(first) == 0 {
		first = g.randomScopes()
	}
	if g.isLater = g.chance(3); g.isLater {
		options = append(options, cache.WithScopesLater())
	} else {
		options = append(options, cache.WithScopes(first...))
	}
	form := []func(string) string{inProtobuf, inJSON, wholeInJSON}[g.random.IntN(3)]
	kind := cache.Kind[object]{Resource: widgets, Namespaced: true, Server: serverURL(g.server.URL()), Open: func(namespace string) bodies.OpenFunc {
		return g.reads.opener(namespace, form, g.server.URL())
	}}
	if form("") != "" {
		kind.Kind = "Widget"
	}
	if g.informer, err = kind.NewInformer(options...); err != nil {
		t.Fatal(err)
	}
	g.log("seed %d mode %d readsOwn %v skips %v big %v shard %v later %v form %s", seed, g.mode, g.readsOwn, g.skips, g.big, g.always, g.isLater, form("x,y"))
	for range 8 {
		n := names[g.random.IntN(len(names))]
		if g.now(n).obj == nil {
			g.write2(n)
		}
	}
	if !g.isLater {
		g.log("scopes %v", first)
		g.choose(first)
	}
	if g.chance(2) {
		g.join()
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.informer.Run(ctx)
	}()
	if g.isLater {
		g.setScopes(first)
	}
	g.join()
	for range 60 + g.random.IntN(100) {
		g.step()
		if t.Failed() {
			break
		}
	}
	if !t.Failed() {
		g.finish()
	}
	for len(g.late) > 0 {
		g.release()
	}
	g.writers.Wait()
	for _, f := range g.faults {
		f.Remove()
	}
	g.reads.setDead(false)
	cancel()
	<-ended
	synctest.Wait()
	for _, h := range append(g.handlers, g.removed...) {
		select {
		case <-h.registration.Gone():
		default:
			g.fail("handler %d is not gone after the end", h.id)
		}
	}
	if n := g.reads.watches(); n != 0 {
		g.fail("%d watches are open after the end: %v", n, g.reads.open)
	}
	if err := g.informer.SetScopes(); err == nil {
		g.fail("SetScopes after the end has no error")
	}
}

// write2 creates an object by others.
func (g *game) write2(n name) {
	own := g.readsOwn
	g.readsOwn = false
	g.write(n)
	g.readsOwn = own
}

func (g *game) step() {
	switch what := g.random.IntN(100); {
	case what < 45:
		g.write(names[g.random.IntN(len(names))])
	case what < 52:
		g.release()
	case what < 64:
		g.rescope()
	case what < 68:
		g.join()
	case what < 71:
		g.leave()
	case what < 78:
		d := g.upTo([]time.Duration{time.Millisecond, time.Second, 20 * time.Second}[g.random.IntN(3)])
		g.log("sleep %v", d)
		time.Sleep(d)
		g.watchCache()
	case what < 80 && g.mode != restored:
		d := g.upTo(20 * time.Minute)
		if g.mode == lagging || g.mode == refusing {
			d /= 10
		}
		g.log("long sleep %v", d)
		time.Sleep(d)
		g.watchCache()
	case what < 86:
		synctest.Wait()
		g.quiet()
	case what < 90:
		if g.mode < failing {
			g.catchUp()
		}
	default:
		if g.mode >= failing {
			g.harm()
		}
	}
}

// rescope sets scopes.
func (g *game) rescope() {
	next := g.randomScopes()
	if g.chance(3) && len(g.scopes) > 0 { // keep most
		next = nil
		for _, s := range g.scopes {
			next = append(next, s.Scope)
		}
		at := g.random.IntN(len(next))
		switch {
		case g.chance(2):
			next = slices.Delete(next, at, at+1)
		case next[at].FieldSelector == "":
			next[at].LabelSelector, next[at].ShardSelector = g.pick("", "letters=a", "letters=b", "letters!=c"), ""
		}
	}
	if g.chance(20) {
		next = nil
	}
	times := 1
	if g.chance(4) {
		times = 2
	}
	before := make([]cache.Scope, 0, len(g.scopes))
	for _, s := range g.scopes {
		before = append(before, s.Scope)
	}
	for i := range times {
		if i == 1 {
			next = before
		}
		if g.chance(4) {
			g.alongside(next)
		} else {
			g.setScopes(next)
		}
	}
}

func (g *game) setScopes(next []cache.Scope) {
	given := slices.Clone(next)
	if len(next) > 0 && g.chance(8) { // a contradiction, which changes nothing
		namespace := g.pick("x", "y", "z")
		given = append(given, cache.Scope{Namespace: namespace, LabelSelector: "letters=x"}, cache.Scope{Namespace: namespace, LabelSelector: "letters=y"})
		g.log("scopes %v, which contradict each other", given)
		if err := g.informer.SetScopes(given...); err == nil {
			g.fail("a contradiction has no error")
		}
		g.checkScopes()
		given = slices.Clone(next)
	}
	g.log("scopes %v", given)
	g.choose(next)
	if err := g.informer.SetScopes(given...); err != nil {
		g.fail("%v: %v", given, err)
	}
	g.checkScopes()
}

// alongside sets scopes while writes are under way.
func (g *game) alongside(next []cache.Scope) {
	g.log("meanwhile: scopes %v", next)
	old := g.scopes
	g.choose(next)
	now := g.scopes
	g.scopes = old
	owners := g.owners
	g.owners = map[name][]*scope{} // not known
	done := make(chan error, 1)
	go func() { done <- g.informer.SetScopes(next...) }()
	// A write whose scope stays is readable. The others are not checked.
	g.scopes = nil
	for _, s := range now {
		if slices.Contains(old, s) && s.Namespace != "" {
			g.scopes = append(g.scopes, s)
		}
	}
	mode := g.mode
	for range 1 + g.random.IntN(4) {
		g.write(names[g.random.IntN(len(names))])
	}
	g.mode = mode
	if err := <-done; err != nil {
		g.fail("%v: %v", next, err)
	}
	g.scopes, g.owners = now, owners
	g.checkScopes()
}

func (g *game) checkScopes() {
	want := map[string]bool{}
	for _, s := range g.scopes {
		want[s.Scope.String()] = true
	}
	got := map[string]bool{}
	for _, s := range g.informer.Scopes() {
		got[s.String()] = true
	}
	if g.always.Empty() && !maps.Equal(got, want) {
		g.fail("Scopes are %v, want %v", got, want)
	}
	// What is in no scope is gone at once.
	for _, n := range names {
		if g.wanted(n) == nil {
			if cached, has := g.informer.GetStore().Get(n); has {
				g.fail("%v is in no scope, and the cache has %s", n, describeCached(cached, has))
			}
		}
	}
	g.watchCache()
}

// quiet checks what holds when nothing moves: handlers and indexes have what the cache has.
func (g *game) quiet() {
	g.Helper()
	g.watchCache()
	store := map[name]object{}
	for obj := range g.informer.GetStore().All() {
		store[cache.MetaObjectToName(obj)] = obj
	}
	for _, letter := range []string{"a", "b", "c"} {
		want := 0
		for _, obj := range store {
			if obj.Labels["letters"] == letter {
				want++
			}
		}
		got, err := g.informer.GetIndexer().ByIndex("letters", letter)
		if err != nil || len(got) != want {
			g.fail("the index has %d objects of %s, the cache %d, %v", len(got), letter, want, err)
		}
		for _, obj := range got {
			if store[cache.MetaObjectToName(obj)] != obj {
				g.fail("the index has another %v", cache.MetaObjectToName(obj))
			}
		}
	}
	for _, h := range g.handlers {
		if h.pace > 0 && !g.isOver {
			continue
		}
		h.hmu.Lock()
		if !maps.Equal(h.present, store) {
			g.fail("handler %d has %s, the cache %s", h.id, describeAll(h.present), describeAll(store))
		}
		h.hmu.Unlock()
	}
}

func describeAll(objects map[name]object) string {
	var all []string
	for n, obj := range objects {
		all = append(all, n.String()+" "+describeCached(obj, true))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// catchUp waits until a server that does not fail has told all, and compares.
func (g *game) catchUp() {
	g.log("catchUp")
	time.Sleep(time.Minute + time.Second)
	if g.mode == lagging {
		time.Sleep(time.Minute)
	}
	synctest.Wait()
	g.quiet()
	for _, n := range names {
		if s := g.wanted(n); s != nil && !s.isRefused() {
			g.owners[n], g.certain[n] = []*scope{s}, true
		}
	}
	g.settled = true
	hasRefused := slices.ContainsFunc(g.scopes, (*scope).isRefused)
	if g.informer.HasSynced() == hasRefused {
		g.fail("HasSynced is %v; %s; scopes %v", !hasRefused, g.informer.NotSyncedReason(), g.informer.Scopes())
	}
	g.compare()
	if g.mode != refusing {
		g.checkLists()
	}
}

// checkLists checks that each scope was listed once.
func (g *game) checkLists() {
	g.reads.mu.Lock()
	defer g.reads.mu.Unlock()
	for key, n := range g.reads.lists {
		if n > g.opened[key] {
			g.fail("%s was listed %d times, and opened %d times", key, n, g.opened[key])
		}
	}
	for _, s := range g.scopes {
		if key := keyOf(s.Namespace, s.LabelSelector, s.FieldSelector); g.reads.lists[key] == 0 {
			g.fail("%s was never listed: %v", key, g.reads.lists)
		}
	}
	for status := range g.informer.Statuses() {
		for reason, n := range status.Stats.Relists {
			if n > 0 {
				g.fail("a healthy server, and %d relists of %q", n, reason)
			}
		}
	}
}

// hasLeft reports whether the only owner of a name has not selected one of its states since a version.
func (g *game) hasLeft(n name, version uint64) bool {
	return slices.ContainsFunc(g.history[n], func(s state) bool { return s.version > version && !g.owners[n][0].selects(s.obj) })
}

// compare compares the cache with the server.
func (g *game) compare() {
	g.Helper()
	undecodable := map[name]bool{}
	for _, u := range g.informer.Status().Undecodable {
		undecodable[name{Namespace: u.Namespace, Name: u.Name}] = true
	}
	for _, n := range names {
		now := g.now(n)
		cached, has := g.informer.GetStore().Get(n)
		mayHave, mayMiss := false, len(g.owners[n]) == 0
		for _, owner := range g.owners[n] {
			if !owner.isRefused() && owner.selects(now.obj) || owner.isRefused() && (g.mode != refusing || g.isOver) && owner.selects(now.obj) {
				mayHave = true
			} else {
				mayMiss = true
			}
		}
		problem := ""
		switch {
		case now.isBig():
			isCertain := len(g.owners[n]) == 1 && mayHave
			isHeld := !slices.ContainsFunc(g.owners[n], func(owner *scope) bool { return slices.Contains(g.scopes, owner) })
			if isCertain && !undecodable[n] && (!isHeld || os.Getenv("ATTACK_HELD") != "") {
				problem = "Status has not that it is undecodable"
			}
			if !mayHave && undecodable[n] && os.Getenv("ATTACK_SHARDED") != "" {
				problem = "Status has that it is undecodable, but it is in no scope"
			}
			if has && cached.UID != now.obj.GetUID() { // its labels and its owner are not known
				problem = "undecodable, and the cache has another object or one of no scope"
			}
			if good, ok := g.good[n]; ok && isCertain && !g.hasLeft(n, good.version) && good.uid == now.obj.GetUID() && (!has || number(cached.ResourceVersion) < good.version) {
				problem = fmt.Sprintf("undecodable, and the last good state %d is lost", good.version)
			}
		case undecodable[n] && (mayHave || os.Getenv("ATTACK_SHARDED") != ""):
			problem = "Status has that it is undecodable"
		case has && (!mayHave || cached.UID != now.obj.GetUID() || cached.ResourceVersion != now.obj.GetResourceVersion() || !maps.Equal(cached.Labels, now.obj.GetLabels())):
			problem = "wrong"
		case !has && !mayMiss:
			problem = "missing"
		}
		if problem != "" {
			g.fail("%v: %s: cached is %s, the server has %s, the owners are %v", n, problem, describeCached(cached, has), describe(now), g.owners[n])
		}
		if has && !now.isBig() && len(g.owners[n]) == 1 {
			g.good[n] = floor{uid: cached.UID, version: number(cached.ResourceVersion)}
		} else if !now.isBig() {
			delete(g.good, n)
		}
	}
}

// harm makes the server fail, or ends a failure.
func (g *game) harm() {
	random := g.random
	informer := func(verb string) apitest.Match {
		m := g.server.On(verb, widgets.Resource).Optional()
		of := g.pick("", "", "letters=a", "letters!=c")
		all := g.chance(2)
		return m.Where(func(r *http.Request) bool {
			return r.UserAgent() == "informer" && (all || r.URL.Query().Get("labelSelector") == of)
		}).Times(1 + random.IntN(4))
	}
	what := random.IntN(20)
	g.log("harm %d", what)
	add := func(f *apitest.Fault) { g.faults = append(g.faults, f) }
	switch what {
	case 0, 1:
		g.server.CutWatches(widgets.Resource)
	case 2:
		g.server.Compact()
	case 3:
		g.server.Restart()
	case 4:
		add(informer("*").Hang())
	case 5:
		add(informer("*").Forbidden())
	case 6:
		add(g.server.LagWatches(widgets.Resource, g.upTo(30*time.Second)+1))
	case 7:
		add(informer("watch").CutAfter(1 + random.IntN(3)))
	case 8:
		add(informer("list").InternalError())
	case 9:
		add(informer("*").Truncate(int64(random.IntN(1500))))
	case 10:
		add(informer("*").Expired())
	case 11:
		g.reads.setDead(true)
	case 12, 13:
		g.reads.setDead(false)
	case 14:
		add(informer("*").LoseResponse())
	case 15:
		add(informer("*").Delay(g.upTo(20 * time.Second)))
	default:
		g.reads.setDead(false)
		if len(g.faults) > 1 {
			at := 1 + random.IntN(len(g.faults)-1)
			g.faults[at].Remove()
			g.faults = slices.Delete(g.faults, at, at+1)
		}
	}
}

func (g *game) finish() {
	g.log("finish")
	for len(g.late) > 0 {
		g.release()
	}
	if g.Failed() {
		return
	}
	if g.mode < failing {
		g.catchUp()
	}
	for _, f := range g.faults {
		f.Remove()
	}
	g.faults = nil
	g.reads.setDead(false)
	if g.mode >= failing {
		g.server.CutWatches("*")
		if g.big && !g.skips { // such an object would stop its scope
			for _, n := range names {
				if g.now(n).isBig() {
					g.send(context.Background(), g.server, http.MethodPatch, pathOf(n.Namespace, n.Name), "application/merge-patch+json", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"big": nil}}})
					g.refresh(n)
					g.log("%v is small again: %s", n, describe(g.now(n)))
				}
			}
		}
	}
	if g.mode == refusing || g.mode >= failing {
		time.Sleep(30 * time.Minute)
	}
	time.Sleep(5 * time.Minute)
	// A bookmark tells of the end of each write.
	synctest.Wait()
	for _, n := range names {
		if s := g.wanted(n); s != nil {
			g.owners[n] = []*scope{s}
		} else {
			delete(g.owners, n)
		}
	}
	g.isOver = true
	g.log("the end")
	g.quiet()
	g.compare()
	now := g.informer.Status()
	if !g.informer.HasSynced() || now.Err != nil || now.PendingWrites != 0 || now.LateWrites != 0 || now.Unconfirmed != 0 {
		g.fail("in the end: synced %v (%s), pending %d, late %d, unconfirmed %d, %v", g.informer.HasSynced(), g.informer.NotSyncedReason(), now.PendingWrites, now.LateWrites, now.Unconfirmed, now)
	}
	for _, h := range g.handlers {
		if !h.registration.HasSynced() {
			g.fail("handler %d is not synced: %s", h.id, h.registration.NotSyncedReason())
		}
	}
	for observed := range g.informer.Statuses() {
		if relists := observed.Stats.Relists; relists[""] > 0 || relists[status.Unconfirmed] > 0 {
			g.fail("lists without a cause: %v", relists)
		}
	}
	g.reads.mu.Lock()
	want := map[string]int{}
	for _, s := range g.scopes {
		want[keyOf(s.Namespace, s.LabelSelector, s.FieldSelector)]++
	}
	open := maps.Clone(g.reads.open)
	maps.DeleteFunc(open, func(_ string, n int) bool { return n == 0 })
	if !maps.Equal(open, want) {
		g.fail("open watches are %v, want %v", open, want)
	}
	g.reads.mu.Unlock()
}
