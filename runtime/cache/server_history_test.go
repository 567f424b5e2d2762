package cache

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// FuzzServerHistory plays a random history of the in-memory API server to an informer that reads its
// bodies. Programs, and the one of the informer, create, change and delete objects by requests, also
// with finalizers; requests fail, their answers come late or never, watches are cut or silent, events
// expire, hours pass. In the end the server lists what its answers have said, the cache is equal to
// that, and each handler has a legal history of states that the server had.
//
// Two bytes make one step: what, and to which object or for how long.
func FuzzServerHistory(f *testing.F) {
	for n, script := range scripts(17, 80, 300) {
		f.Add(script, uint16(n*37))
	}
	f.Fuzz(func(t *testing.T, script []byte, setup uint16) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playServerHistory(t, script, setup) })
	})
}

// served is a history of a server.
type served struct {
	*cluster
	informer *SharedIndexInformer[object]
	handlers []*historian
	selects  selector
	// namespaces are those of the informer; "" is for all others.
	namespaces []string
	// readsOwn is set if the informer reads its own writes.
	readsOwn bool
	// mode tells by whom the next write is, and how the answer comes.
	mode byte
	late []delayed
	sent sync.WaitGroup
	// writes counts them, so that no two are equal.
	written int
}

func playServerHistory(t *testing.T, script []byte, setup uint16) {
	var limits []apitest.Option
	if setup&0x100 != 0 {
		limits = append(limits, apitest.WithHistory(20))
	}
	s := &served{
		cluster:    newCluster(t, limits...),
		selects:    selector{byLabel: setup&2 != 0, byField: setup&4 != 0},
		namespaces: [][]string{{""}, {"a"}, {"", "a", "b"}, {"a", "b"}}[setup>>3&3],
	}
	options := append(s.selects.options(), WithResync(7*time.Minute), WithIndexers(Indexers[object]{"letters": byLetters}), WithWatchErrorHandler(quiet))
	if setup&1 == 0 {
		options = append(options, WithoutStreamingList())
	}
	if setup&0x20 != 0 {
		s.readsOwn, options = true, append(options, ReadYourWrites(&s.own))
	}
	var scopes []Scope
	for _, namespace := range s.namespaces {
		scopes = append(scopes, Scope{Namespace: namespace})
	}
	// An informer of metadata asks for protobuf.
	accept := []string{"", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "application/json", ""}[setup>>6&3]
	kind := Kind[object]{Resource: widgets, Namespaced: true, Server: testServer(s.server.URL()), Open: func(namespace string) OpenFunc { return s.open(namespace, accept) }}
	if accept == "application/json" {
		kind.Kind = "Widget"
	}
	var err error
	if s.informer, err = kind.NewInformer(append(options, WithScopes(scopes...))...); err != nil {
		t.Fatal(err)
	}
	run(t, s.informer.Run)
	s.join()
	for ; len(script) >= 2; script = script[2:] {
		s.step(script[0], script[1])
		if script[1]&0x20 != 0 {
			synctest.Wait() // otherwise steps meet the informer in the middle of things
		}
	}
	s.finish()
}

// step is one step of a script.
func (s *served) step(what, arg byte) {
	name := ObjectName{Namespace: []string{"a", "b", "c"}[int(arg>>3)%3], Name: fmt.Sprint(arg % 8)}
	last := s.objects[name]
	s.mode = what / 18 % 4
	if !s.readsOwn {
		s.mode = fromOthers
	}
	s.written++
	letters, color := "xyz"[:arg>>6], []string{"red", "green", "blue"}[s.written%3]
	switch what % 18 {
	case 0:
		code := s.write(http.MethodPost, name, "", newWidget(name, letters, color))
		s.expectCode(code, last == nil, 201, 409)
	case 1:
		if last == nil {
			s.expectCode(s.write(http.MethodPut, name, "", newWidget(name, letters, color)), false, 0, 404)
			break
		}
		s.change(last, letters, color)
	case 2, 3:
		if last != nil {
			s.write(http.MethodDelete, name, "", nil)
		}
		if what%18 == 3 {
			s.write(http.MethodPost, name, "", newWidget(name, letters, color))
		}
	case 4:
		if last != nil {
			s.finalize(last, arg&0x40 != 0)
		}
	case 5: // a status
		if last != nil {
			obj := last.DeepCopy()
			obj.Object["status"] = map[string]any{"written": int64(s.written)}
			obj.Object["spec"] = "ignored"
			s.write(http.MethodPut, name, "/status", obj.Object)
		}
	case 6: // a stale version
		if last != nil {
			s.change(last, letters, color)
			obj := last.DeepCopy()
			obj.SetLabels(map[string]string{"letters": "stale"})
			if now := s.objects[name]; now != nil && now.GetResourceVersion() != last.GetResourceVersion() {
				s.expectCode(s.write(http.MethodPut, name, "", obj.Object), false, 0, 409)
			}
		}
	case 7: // past all transports
		obj := &unstructured.Unstructured{Object: newWidget(name, letters, color)}
		if last != nil {
			obj.SetUID(last.GetUID())
			obj.SetFinalizers(last.GetFinalizers())
			obj.SetDeletionTimestamp(last.GetDeletionTimestamp())
		}
		if err := s.server.Add(obj); err != nil {
			s.Error(err)
		}
		s.read(name)
	case 8:
		s.write(http.MethodDelete, ObjectName{Namespace: name.Namespace}, "?labelSelector=letters%3Dxy", nil)
	case 9:
		s.advance()
	case 10:
		s.reads.cut()
	case 11:
		s.reads.expect(troublesOf(arg, false)...)
	case 12:
		s.writes.expect(troublesOf(arg, true)...)
	case 13:
		s.reads.setSilent(arg&1 == 0)
	case 14:
		s.flush()
	case 15:
		time.Sleep(time.Duration(arg) * time.Duration(arg) * time.Second / 8) // up to two hours
	case 16:
		s.join()
	case 17:
		if n := len(s.handlers); n > 1 {
			if err := s.informer.RemoveEventHandler(s.handlers[n-1].registration); err != nil {
				s.Error(err)
			}
			s.handlers = s.handlers[:n-1]
		}
	}
}

// change updates an object.
func (s *served) change(last *unstructured.Unstructured, letters, color string) {
	obj := last.DeepCopy()
	obj.SetLabels(map[string]string{"letters": letters})
	obj.Object["spec"] = map[string]any{"color": color}
	s.expectCode(s.write(http.MethodPut, ObjectName{obj.GetNamespace(), obj.GetName()}, "", obj.Object), true, 200, 0)
}

// finalize adds or removes a finalizer.
func (s *served) finalize(last *unstructured.Unstructured, add bool) {
	obj := last.DeepCopy()
	obj.SetFinalizers(nil)
	if add && obj.GetDeletionTimestamp() == nil {
		obj.SetFinalizers([]string{"test.example.com/keep"})
	}
	s.expectCode(s.write(http.MethodPut, ObjectName{obj.GetNamespace(), obj.GetName()}, "", obj.Object), true, 200, 0)
}

// expectCode checks the code of a request that was executed and answered.
func (s *served) expectCode(code int, succeeds bool, success, failure int) {
	s.Helper()
	want := failure
	if succeeds {
		want = success
	}
	switch code {
	case 0, 403, 429, 500, want:
	default:
		s.Errorf("the server answers %d, want %d", code, want)
	}
}

// write sends a request as the mode says, and returns the code of the answer, or 0 without one. The
// server has executed it when write returns.
func (s *served) write(method string, name ObjectName, subresource string, content map[string]any) int {
	path := pathOf(name.Namespace, name.Name) + subresource
	if method == http.MethodPost {
		path = pathOf(name.Namespace, "")
	}
	var body any
	if content != nil {
		body = content
	}
	switch s.mode {
	case answeredLate:
		d := delayed{make(chan struct{}), make(chan struct{})}
		s.late = append(s.late, d)
		s.sent.Go(func() {
			s.send(context.WithValue(context.Background(), delayedKey{}, d), s.client, method, path, "application/json", body)
		})
		<-d.executed
		return 0
	case answeredMeanwhile:
		d := delayed{make(chan struct{}), make(chan struct{})}
		close(d.release)
		s.sent.Go(func() {
			s.send(context.WithValue(context.Background(), delayedKey{}, d), s.client, method, path, "application/json", body)
		})
		<-d.executed
		return 0
	case answeredAtOnce:
		before := s.objects[name]
		code, _ := s.send(context.Background(), s.client, method, path, "application/json", body)
		if code >= 200 && code < 300 && name.Name != "" {
			s.checkRead(name, before)
		}
		return code
	}
	code, _ := s.send(context.Background(), s.writes, method, path, "application/json", body)
	return code
}

// checkRead checks that the cache shows the last write to an object, whose answer this program has.
// before is the state before it.
func (s *served) checkRead(name ObjectName, before *unstructured.Unstructured) {
	s.informer.mu.Lock()
	defer s.informer.mu.Unlock()
	scope := s.informer.own.Load().scopeOf(name.Namespace)
	if scope == nil || !scope.table.IsListed() {
		return
	}
	cached, found := s.informer.GetStore().Get(name)
	switch last := s.objects[name]; {
	case last == nil:
		if found && cached.UID == before.GetUID() { // it may be an earlier one
			s.Errorf("%v is still there after it was deleted: %v", name, cached)
		}
	case s.selects.byField: // only deletes are shown
	case !s.selects.has(last):
		if found {
			s.Errorf("%v@%s is outside of the scope, cached is %v", name, last.GetResourceVersion(), cached)
		}
	case !found || cached.ResourceVersion != last.GetResourceVersion() || cached.UID != last.GetUID():
		s.Errorf("%v of %v@%s was written, cached is %v", name, last.GetUID(), last.GetResourceVersion(), cached)
	}
}

// flush lets late answers come.
func (s *served) flush() {
	for i, d := range s.late {
		if i%2 == 0 {
			close(d.release)
		} else {
			defer close(d.release)
		}
	}
	s.late = nil
}

// advance writes an object of another kind.
func (s *served) advance() {
	s.written++
	event := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": fmt.Sprint("one-", s.written)}}
	if code, body := s.send(context.Background(), s.server, http.MethodPost, "/api/v1/namespaces/a/configmaps", "application/json", event); code != 201 {
		s.Errorf("%d %s", code, body)
	}
}

func (s *served) join() {
	h := &historian{t: s.T, known: map[ObjectName]object{}, severalLists: len(s.namespaces) > 1, scoped: s.selects.any()}
	var options []HandlerOption
	if h.severalLists && len(s.handlers)%2 == 1 { // merged events may be initial later
		h.slow, options = true, append(options, WithBacklogLimit(len(s.handlers)))
	}
	reg, err := s.informer.AddEventHandler(h, options...)
	if err != nil {
		s.Error(err)
	}
	h.mu.Lock()
	h.registration = reg
	h.mu.Unlock()
	s.handlers = append(s.handlers, h)
}

// finish ends all faults, and checks what the informer and the server have when nothing more happens.
func (s *served) finish() {
	s.reads.expect()
	s.writes.expect()
	s.reads.setSilent(false)
	s.reads.cut() // a silent watch would end too late
	s.flush()
	s.sent.Wait()
	time.Sleep(20 * time.Minute)
	for range 5 {
		s.advance()
		time.Sleep(time.Minute)
	}
	inResync := func(h *historian) bool { return h.slow && h.registration.Backlog() > 0 }
	for synctest.Wait(); slices.ContainsFunc(s.handlers, inResync); synctest.Wait() {
		time.Sleep(time.Second)
	}
	s.check(s.selects)
	want := map[ObjectName]object{}
	for name, obj := range s.objects {
		if s.selects.has(obj) && (slices.Contains(s.namespaces, "") || slices.Contains(s.namespaces, name.Namespace)) {
			want[name] = metadataOf(obj)
		}
	}
	if n := s.reads.open(); n != len(s.namespaces) {
		s.Errorf("%d watches are open", n)
	}
	checkEnd(s.T, s.informer, want, s.handlers)
	for _, h := range s.handlers {
		s.checkHeard(h)
	}
}

// checkHeard checks that the server had the states that a handler has heard of.
func (s *served) checkHeard(h *historian) {
	for _, obj := range h.heard {
		if state := s.states[obj.UID][obj.ResourceVersion]; !isStateOf(obj, state) {
			s.Errorf("a handler has heard of\n%v, the server had\n%v", obj, state)
		}
	}
}

// isStateOf reports whether an informer's object has the content of a state of the server.
func isStateOf(obj, state object) bool {
	return state != nil && obj.Namespace == state.Namespace && obj.Name == state.Name && obj.Generation == state.Generation &&
		maps.Equal(obj.Labels, state.Labels) && slices.Equal(obj.Finalizers, state.Finalizers) && obj.DeletionTimestamp.Equal(state.DeletionTimestamp)
}
