package cache

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// steps is the number of different steps.
const steps = 25

// step is one step of a script.
func (s *servedHistory) step(what, arg byte) {
	name := ObjectName{Namespace: []string{"a", "b", "c"}[int(arg>>3)%3], Name: fmt.Sprint(arg % 8)}
	last := s.objects[name]
	s.mode = what / steps % 4
	if !s.readsOwn {
		s.mode = fromOthers
	}
	s.written++
	letters, color := "xyz"[:arg>>6], []string{"red", "green", "blue"}[s.written%3]
	switch what % steps {
	case 0:
		s.create(newWidget(name, letters, color))
	case 1:
		s.change(name, letters, color)
	case 2, 3:
		s.remove(name, []string{"", "Background", "Foreground", "Orphan"}[arg>>6])
		if what%steps == 3 {
			s.create(newWidget(name, letters, color))
		}
	case 4:
		s.finalize(name, arg&0x40 != 0)
	case 5:
		s.writeStatus(name)
	case 6:
		s.change(name, letters, color)
		s.writeStale(last)
	case 7:
		s.add(newWidget(name, letters, color))
	case 8:
		s.write(name, call{http.MethodDelete, pathOf(name.Namespace, "") + "?labelSelector=letters%3Dxy", "", nil})
	case 9:
		s.advance()
	case 10:
		s.server.CutWatches("widgets")
	case 11:
		s.wasLate = true
		s.replace(&s.readFaults, readFault(s.from("informer"), arg))
	case 12:
		s.replace(&s.writeFaults, writeFault(s.from("writer"), arg))
	case 13:
		s.wasLate = true
		s.reads.setDead(arg&1 == 0)
	case 14:
		s.flush()
	case 15:
		time.Sleep(time.Duration(arg) * time.Duration(arg) * time.Second / 8) // up to two hours
	case 16:
		s.join()
	case 17:
		s.leave()
	case 18:
		s.patch(name, letters, color, arg)
	case 19:
		s.dryRun(name, arg)
	case 20:
		if arg&1 == 0 {
			s.server.Compact()
		} else {
			s.server.Restart()
		}
	case 21:
		s.wasLate = true
		s.holdUp(arg)
	case 22:
		obj := newWidget(ObjectName{Namespace: name.Namespace}, letters, color)
		obj.SetGenerateName("made-")
		s.create(obj)
	case 23:
		s.createOwned(name, newWidget(ObjectName{name.Namespace, name.Name + "-child"}, letters, color))
	case 24:
		s.restore(arg&1 == 0)
	}
}

// create sends a POST.
func (s *servedHistory) create(obj *unstructured.Unstructured) {
	exists := s.objects[MetaObjectToName(obj)] != nil
	code := s.write(MetaObjectToName(obj), call{http.MethodPost, pathOf(obj.GetNamespace(), ""), "application/json", obj.Object})
	s.wantCode(code, !exists, http.StatusCreated, http.StatusConflict)
}

// createOwned creates an object that the garbage collector deletes with its owner.
func (s *servedHistory) createOwned(owner ObjectName, obj *unstructured.Unstructured) {
	if last := s.objects[owner]; last != nil {
		blocks := true
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: last.GetAPIVersion(), Kind: last.GetKind(), Name: last.GetName(), UID: last.GetUID(), BlockOwnerDeletion: &blocks}})
		s.create(obj)
	}
}

// change sends a PUT with the last version.
func (s *servedHistory) change(name ObjectName, letters, color string) {
	obj := newWidget(name, letters, color)
	last := s.objects[name]
	if last != nil {
		obj.SetResourceVersion(last.GetResourceVersion())
		obj.SetFinalizers(last.GetFinalizers())
		obj.SetOwnerReferences(last.GetOwnerReferences())
	}
	code := s.write(name, call{http.MethodPut, pathOf(name.Namespace, name.Name), "application/json", obj.Object})
	s.wantCode(code, last != nil, http.StatusOK, http.StatusNotFound)
}

// writeStale sends a PUT with a version that is not the last one.
func (s *servedHistory) writeStale(last *unstructured.Unstructured) {
	if last == nil {
		return
	}
	now := s.objects[MetaObjectToName(last)]
	if now == nil || now.GetResourceVersion() == last.GetResourceVersion() {
		return
	}
	obj := last.DeepCopy()
	obj.SetLabels(map[string]string{"letters": "stale"})
	code := s.write(MetaObjectToName(obj), call{http.MethodPut, pathOf(obj.GetNamespace(), obj.GetName()), "application/json", obj.Object})
	s.wantCode(code, false, 0, http.StatusConflict)
}

// remove sends a DELETE.
func (s *servedHistory) remove(name ObjectName, propagation string) {
	var options any
	if propagation != "" {
		options = map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation}
	}
	exists := s.objects[name] != nil
	code := s.write(name, call{http.MethodDelete, pathOf(name.Namespace, name.Name), "application/json", options})
	s.wantCode(code, exists, http.StatusOK, http.StatusNotFound)
}

// finalize adds or removes a finalizer.
func (s *servedHistory) finalize(name ObjectName, add bool) {
	last := s.objects[name]
	if last == nil {
		return
	}
	obj := last.DeepCopy()
	obj.SetFinalizers(nil)
	if add && obj.GetDeletionTimestamp() == nil {
		obj.SetFinalizers([]string{"test.example.com/keep"})
	}
	code := s.write(name, call{http.MethodPut, pathOf(name.Namespace, name.Name), "application/json", obj.Object})
	s.wantCode(code, true, http.StatusOK, 0)
}

// writeStatus sends a PUT of the status, which leaves the spec.
func (s *servedHistory) writeStatus(name ObjectName) {
	last := s.objects[name]
	if last == nil {
		return
	}
	obj := last.DeepCopy()
	obj.Object["status"] = map[string]any{"written": int64(s.written)}
	obj.Object["spec"] = map[string]any{"color": "none"}
	code := s.write(name, call{http.MethodPut, pathOf(name.Namespace, name.Name) + "/status", "application/json", obj.Object})
	s.wantCode(code, true, http.StatusOK, 0)
}

// patch sends a merge patch, a JSON patch, or a configuration that is applied.
func (s *servedHistory) patch(name ObjectName, letters, color string, arg byte) {
	request := call{http.MethodPatch, pathOf(name.Namespace, name.Name), "application/merge-patch+json", map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"letters": letters}}, "spec": map[string]any{"color": color},
	}}
	switch arg % 3 {
	case 0:
		request.contentType = "application/json-patch+json"
		request.body = []any{map[string]any{"op": "add", "path": "/spec/color", "value": color}}
	case 1:
		obj := newWidget(name, letters, color)
		request.path += "?fieldManager=applier&force=true"
		request.contentType, request.body = "application/apply-patch+yaml", obj.Object
	}
	exists := s.objects[name] != nil
	code := s.write(name, request)
	if arg%3 == 1 {
		s.wantCode(code, exists, http.StatusOK, http.StatusCreated)
	} else {
		s.wantCode(code, exists, http.StatusOK, http.StatusNotFound)
	}
}

// dryRun sends writes that change nothing.
func (s *servedHistory) dryRun(name ObjectName, arg byte) {
	one, all := pathOf(name.Namespace, name.Name)+"?dryRun=All", pathOf(name.Namespace, "")+"?dryRun=All"
	obj := newWidget(name, "dry", "run")
	if last := s.objects[name]; last != nil {
		obj.SetResourceVersion(last.GetResourceVersion())
	}
	s.write(name, []call{
		{http.MethodPost, all, "application/json", newWidget(name, "dry", "run").Object},
		{http.MethodPut, one, "application/json", obj.Object},
		{http.MethodDelete, one, "", nil},
		{http.MethodPatch, one, "application/merge-patch+json", map[string]any{"spec": map[string]any{"color": "run"}}},
		{http.MethodDelete, all, "", nil},
	}[int(arg>>3)%5])
}

// add stores an object without a request.
func (s *servedHistory) add(obj *unstructured.Unstructured) {
	if last := s.objects[MetaObjectToName(obj)]; last != nil {
		obj.SetUID(last.GetUID())
		obj.SetFinalizers(last.GetFinalizers())
		obj.SetDeletionTimestamp(last.GetDeletionTimestamp())
	}
	if err := s.server.Add(obj); err != nil {
		s.Error(err)
	}
	s.read(MetaObjectToName(obj))
}

// advance writes an object of another kind.
func (s *servedHistory) advance() {
	s.written++
	obj := map[string]any{"metadata": map[string]any{"name": fmt.Sprint("one-", s.written)}}
	if code, body := s.send(s.Context(), s.server, call{http.MethodPost, "/api/v1/namespaces/a/configmaps", "application/json", obj}); code != http.StatusCreated {
		s.Errorf("%d %s", code, body)
	}
}

// restore makes a backup, or restores the last one. As in a cluster whose administrator follows the
// documentation, watches of later versions get 410 until all informers have noticed.
func (s *servedHistory) restore(backup bool) {
	if !s.restores {
		return
	}
	n := len(s.backups)
	switch {
	case backup:
		s.advance() // so that the version is one of a state
		s.backups = append(s.backups, s.page(nil).GetResourceVersion())
	case n > 0:
		s.recover()
		backup := s.backups[n-1]
		s.backups = s.backups[:n-1]
		expired := s.from("informer").Where(func(r *http.Request) bool { return protocol.IsLater(r.URL.Query().Get("resourceVersion"), backup) }).Expired()
		if err := s.server.RestoreTo(backup); err != nil {
			s.Log(err) // it has expired
		}
		s.wasRestored = true
		s.readAll()
		time.Sleep(5 * time.Minute)
		expired.Remove()
	}
}

// write sends a request as the mode says, and returns the code of the response, or 0 if there is none
// yet. The server has executed it when write returns.
func (s *servedHistory) write(name ObjectName, request call) int {
	ctx := context.Background()
	switch s.mode {
	case answeredLate, answeredMeanwhile:
		d := delayed{make(chan struct{}), make(chan struct{})}
		if s.mode == answeredLate {
			s.late = append(s.late, d)
		} else {
			close(d.release)
		}
		s.sent.Go(func() { s.send(context.WithValue(ctx, delayedKey{}, d), s.client, request) })
		<-d.executed
		return 0
	case answeredAtOnce:
		before := s.objects[name]
		code, body := s.send(ctx, s.client, request)
		if code < 300 && code > 0 && !strings.Contains(request.path, "dryRun") {
			s.checkAnswer(name, before, body)
		}
		return code
	}
	code, _ := s.send(ctx, s.others, request)
	return code
}

// checkAnswer checks that the cache has what a response says.
func (s *servedHistory) checkAnswer(name ObjectName, before *unstructured.Unstructured, body []byte) {
	response := &unstructured.Unstructured{}
	if err := response.UnmarshalJSON(body); err != nil {
		s.Errorf("%v in %s", err, body)
	}
	switch response.GetKind() {
	case "Status":
		s.checkRead(name, before, nil)
	case "Widget":
		s.checkRead(MetaObjectToName(response), before, response)
	}
}

// holdUp keeps writes from watches, or ends that.
func (s *servedHistory) holdUp(arg byte) {
	s.tap.setLimit(false)
	s.replace(&s.lag, nil)
	switch arg % 3 {
	case 0:
		s.lag = s.server.HoldWatches("widgets")
		s.tap.setLimit(true)
	case 1:
		s.lag = s.server.LagWatches("widgets", time.Duration(arg)*time.Second/4)
	}
}

// wantCode checks the code of a response.
func (s *servedHistory) wantCode(code int, succeeds bool, success, failure int) {
	s.Helper()
	want := failure
	if succeeds {
		want = success
	}
	if code != want && code != 0 && s.writeFaults == nil {
		s.Errorf("the server answers %d, want %d", code, want)
	}
}

// flush lets late responses come.
func (s *servedHistory) flush() {
	for i, d := range s.late {
		if i%2 == 0 {
			close(d.release)
		} else {
			defer close(d.release)
		}
	}
	s.late = nil
}
