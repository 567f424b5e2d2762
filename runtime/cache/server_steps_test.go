package cache

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// steps is the number of different steps.
const steps = 25

// step is one step of a script.
func (s *servedHistory) step(what, arg byte) {
	name := ObjectName{Namespace: []string{"a", "b", "c"}[int(arg>>3)%3], Name: fmt.Sprint(arg % 8)}
	last := s.Objects[name]
	s.mode = what / steps % 4
	if !s.readsOwn {
		s.mode = fromOthers
	}
	s.written++
	letters, color := "xyz"[:arg>>6], []string{"red", "green", "blue"}[s.written%3]
	switch what % steps {
	case 0:
		s.create(cachetest.NewWidget(name, letters, color))
	case 1:
		s.change(name, letters, color)
	case 2, 3:
		s.remove(name, []string{"", "Background", "Foreground", "Orphan"}[arg>>6])
		if what%steps == 3 {
			s.create(cachetest.NewWidget(name, letters, color))
		}
	case 4:
		s.finalize(name, arg&0x40 != 0)
	case 5:
		s.writeStatus(name)
	case 6:
		s.change(name, letters, color)
		s.writeStale(last)
	case 7:
		s.add(cachetest.NewWidget(name, letters, color))
	case 8:
		s.write(name, cachetest.Call{Method: http.MethodDelete, Path: cachetest.PathOf(name.Namespace, "") + "?labelSelector=letters%3Dxy", ContentType: "", Body: nil})
	case 9:
		s.advance()
	case 10:
		s.Server.CutWatches("widgets")
	case 11:
		s.wasLate = true
		s.replace(&s.readFaults, cachetest.ReadFault(s.From("informer"), arg))
	case 12:
		s.replace(&s.writeFaults, cachetest.WriteFault(s.From("writer"), arg))
	case 13:
		s.wasLate = true
		s.Reads.SetDead(arg&1 == 0)
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
			s.Server.Compact()
		} else {
			s.Server.Restart()
		}
	case 21:
		s.wasLate = true
		s.holdUp(arg)
	case 22:
		obj := cachetest.NewWidget(ObjectName{Namespace: name.Namespace}, letters, color)
		obj.SetGenerateName("made-")
		s.create(obj)
	case 23:
		s.createOwned(name, cachetest.NewWidget(ObjectName{name.Namespace, name.Name + "-child"}, letters, color))
	case 24:
		s.restore(arg&1 == 0)
	}
}

// create sends a POST.
func (s *servedHistory) create(obj *unstructured.Unstructured) {
	exists := s.Objects[MetaObjectToName(obj)] != nil
	code := s.write(MetaObjectToName(obj), cachetest.Call{Method: http.MethodPost, Path: cachetest.PathOf(obj.GetNamespace(), ""), ContentType: "application/json", Body: obj.Object})
	s.wantCode(code, !exists, http.StatusCreated, http.StatusConflict)
}

// createOwned creates an object that the garbage collector deletes with its owner.
func (s *servedHistory) createOwned(owner ObjectName, obj *unstructured.Unstructured) {
	if last := s.Objects[owner]; last != nil {
		blocks := true
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: last.GetAPIVersion(), Kind: last.GetKind(), Name: last.GetName(), UID: last.GetUID(), BlockOwnerDeletion: &blocks}})
		s.create(obj)
	}
}

// change sends a PUT with the last version.
func (s *servedHistory) change(name ObjectName, letters, color string) {
	obj := cachetest.NewWidget(name, letters, color)
	last := s.Objects[name]
	if last != nil {
		obj.SetResourceVersion(last.GetResourceVersion())
		obj.SetFinalizers(last.GetFinalizers())
		obj.SetOwnerReferences(last.GetOwnerReferences())
	}
	code := s.write(name, cachetest.Call{Method: http.MethodPut, Path: cachetest.PathOf(name.Namespace, name.Name), ContentType: "application/json", Body: obj.Object})
	s.wantCode(code, last != nil, http.StatusOK, http.StatusNotFound)
}

// writeStale sends a PUT with a version that is not the last one.
func (s *servedHistory) writeStale(last *unstructured.Unstructured) {
	if last == nil {
		return
	}
	now := s.Objects[MetaObjectToName(last)]
	if now == nil || now.GetResourceVersion() == last.GetResourceVersion() {
		return
	}
	obj := last.DeepCopy()
	obj.SetLabels(map[string]string{"letters": "stale"})
	code := s.write(MetaObjectToName(obj), cachetest.Call{Method: http.MethodPut, Path: cachetest.PathOf(obj.GetNamespace(), obj.GetName()), ContentType: "application/json", Body: obj.Object})
	s.wantCode(code, false, 0, http.StatusConflict)
}

// remove sends a DELETE.
func (s *servedHistory) remove(name ObjectName, propagation string) {
	var options any
	if propagation != "" {
		options = map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation}
	}
	exists := s.Objects[name] != nil
	code := s.write(name, cachetest.Call{Method: http.MethodDelete, Path: cachetest.PathOf(name.Namespace, name.Name), ContentType: "application/json", Body: options})
	s.wantCode(code, exists, http.StatusOK, http.StatusNotFound)
}

// finalize adds or removes a finalizer.
func (s *servedHistory) finalize(name ObjectName, add bool) {
	last := s.Objects[name]
	if last == nil {
		return
	}
	obj := last.DeepCopy()
	obj.SetFinalizers(nil)
	if add && obj.GetDeletionTimestamp() == nil {
		obj.SetFinalizers([]string{"test.example.com/keep"})
	}
	code := s.write(name, cachetest.Call{Method: http.MethodPut, Path: cachetest.PathOf(name.Namespace, name.Name), ContentType: "application/json", Body: obj.Object})
	s.wantCode(code, true, http.StatusOK, 0)
}

// writeStatus sends a PUT of the status, which leaves the spec.
func (s *servedHistory) writeStatus(name ObjectName) {
	last := s.Objects[name]
	if last == nil {
		return
	}
	obj := last.DeepCopy()
	obj.Object["status"] = map[string]any{"written": int64(s.written)}
	obj.Object["spec"] = map[string]any{"color": "none"}
	code := s.write(name, cachetest.Call{Method: http.MethodPut, Path: cachetest.PathOf(name.Namespace, name.Name) + "/status", ContentType: "application/json", Body: obj.Object})
	s.wantCode(code, true, http.StatusOK, 0)
}

// patch sends a merge patch, a JSON patch, or a configuration that is applied.
func (s *servedHistory) patch(name ObjectName, letters, color string, arg byte) {
	request := cachetest.Call{Method: http.MethodPatch, Path: cachetest.PathOf(name.Namespace, name.Name), ContentType: "application/merge-patch+json", Body: map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"letters": letters}}, "spec": map[string]any{"color": color},
	}}
	switch arg % 3 {
	case 0:
		request.ContentType = "application/json-patch+json"
		request.Body = []any{map[string]any{"op": "add", "path": "/spec/color", "value": color}}
	case 1:
		obj := cachetest.NewWidget(name, letters, color)
		request.Path += "?fieldManager=applier&force=true"
		request.ContentType, request.Body = "application/apply-patch+yaml", obj.Object
	}
	exists := s.Objects[name] != nil
	code := s.write(name, request)
	if arg%3 == 1 {
		s.wantCode(code, exists, http.StatusOK, http.StatusCreated)
	} else {
		s.wantCode(code, exists, http.StatusOK, http.StatusNotFound)
	}
}

// dryRun sends writes that change nothing.
func (s *servedHistory) dryRun(name ObjectName, arg byte) {
	one, all := cachetest.PathOf(name.Namespace, name.Name)+"?dryRun=All", cachetest.PathOf(name.Namespace, "")+"?dryRun=All"
	obj := cachetest.NewWidget(name, "dry", "run")
	if last := s.Objects[name]; last != nil {
		obj.SetResourceVersion(last.GetResourceVersion())
	}
	s.write(name, []cachetest.Call{
		{Method: http.MethodPost, Path: all, ContentType: "application/json", Body: cachetest.NewWidget(name, "dry", "run").Object},
		{Method: http.MethodPut, Path: one, ContentType: "application/json", Body: obj.Object},
		{Method: http.MethodDelete, Path: one, ContentType: "", Body: nil},
		{Method: http.MethodPatch, Path: one, ContentType: "application/merge-patch+json", Body: map[string]any{"spec": map[string]any{"color": "run"}}},
		{Method: http.MethodDelete, Path: all, ContentType: "", Body: nil},
	}[int(arg>>3)%5])
}

// add stores an object without a request.
func (s *servedHistory) add(obj *unstructured.Unstructured) {
	if last := s.Objects[MetaObjectToName(obj)]; last != nil {
		obj.SetUID(last.GetUID())
		obj.SetFinalizers(last.GetFinalizers())
		obj.SetDeletionTimestamp(last.GetDeletionTimestamp())
	}
	if err := s.Server.Add(obj); err != nil {
		s.Error(err)
	}
	s.Read(MetaObjectToName(obj))
}

// advance writes an object of another kind.
func (s *servedHistory) advance() {
	s.written++
	obj := map[string]any{"metadata": map[string]any{"name": fmt.Sprint("one-", s.written)}}
	if code, body := s.Send(s.Context(), s.Server, cachetest.Call{Method: http.MethodPost, Path: "/api/v1/namespaces/a/configmaps", ContentType: "application/json", Body: obj}); code != http.StatusCreated {
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
		s.backups = append(s.backups, s.Page(nil).GetResourceVersion())
	case n > 0:
		s.recover()
		backup := s.backups[n-1]
		s.backups = s.backups[:n-1]
		expired := s.From("informer").Where(func(r *http.Request) bool { return protocol.IsLater(r.URL.Query().Get("resourceVersion"), backup) }).Expired()
		if err := s.Server.RestoreTo(backup); err != nil {
			s.Log(err) // it has expired
		}
		s.wasRestored = true
		s.ReadAll()
		time.Sleep(5 * time.Minute)
		expired.Remove()
	}
}

// write sends a request as the mode says, and returns the code of the response, or 0 if there is none
// yet. The server has executed it when write returns.
func (s *servedHistory) write(name ObjectName, request cachetest.Call) int {
	ctx := context.Background()
	switch s.mode {
	case answeredLate, answeredMeanwhile:
		d := cachetest.Delayed{Executed: make(chan struct{}), Release: make(chan struct{})}
		if s.mode == answeredLate {
			s.late = append(s.late, d)
		} else {
			close(d.Release)
		}
		s.sent.Go(func() { s.Send(context.WithValue(ctx, cachetest.DelayedKey{}, d), s.Client, request) })
		<-d.Executed
		return 0
	case answeredAtOnce:
		before := s.Objects[name]
		code, body := s.Send(ctx, s.Client, request)
		if code < 300 && code > 0 && !strings.Contains(request.Path, "dryRun") {
			s.checkAnswer(name, before, body)
		}
		return code
	}
	code, _ := s.Send(ctx, s.Others, request)
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
	s.tap.SetLimit(false)
	s.replace(&s.lag, nil)
	switch arg % 3 {
	case 0:
		s.lag = s.Server.HoldWatches("widgets")
		s.tap.SetLimit(true)
	case 1:
		s.lag = s.Server.LagWatches("widgets", time.Duration(arg)*time.Second/4)
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
			close(d.Release)
		} else {
			defer close(d.Release)
		}
	}
	s.late = nil
}
