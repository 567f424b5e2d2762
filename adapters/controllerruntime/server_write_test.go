package crcache

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// hold stops all watches from sending events until release is called. Lists go on.
func (s *server) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
}

// release lets the watches send what they have missed.
func (s *server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	s.releases++
	s.changed.Broadcast()
}

// write answers a POST, PUT, PATCH or DELETE of an object, or of its subresource, in JSON. path
// has their names.
func (s *server) write(w http.ResponseWriter, r *http.Request, q *asked, path []string) {
	name, subresource := "", ""
	if len(path) > 0 {
		name = path[0]
	}
	if len(path) > 1 {
		subresource = path[1]
	}
	body := &unstructured.Unstructured{Object: map[string]any{}}
	if err := json.NewDecoder(r.Body).Decode(&body.Object); err != nil && r.Method != http.MethodDelete {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	code, answer := s.answer(r, q, name, subresource, body)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(answer)
}

// answer changes an object, and returns the response. mu is held.
func (s *server) answer(r *http.Request, q *asked, name, subresource string, body *unstructured.Unstructured) (int, any) {
	stored := s.objects[q.resource+"/"+q.namespace+"/"+name]
	isApply := r.Header.Get("Content-Type") == string(types.ApplyPatchType)
	switch {
	case r.Method == http.MethodDelete && name == "":
		return s.deleteAll(q)
	case r.Method == http.MethodPost, stored == nil && isApply:
		body.SetNamespace(q.namespace)
		if s.objects[q.resource+"/"+q.namespace+"/"+body.GetName()] != nil {
			return failure(http.StatusConflict, metav1.StatusReasonAlreadyExists)
		}
		body.SetUID(types.UID("uid-" + strconv.Itoa(len(s.history))))
		body.SetCreationTimestamp(metav1.Now())
		return http.StatusCreated, s.changeTo(r, q, body)
	case stored == nil:
		return failure(http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.Method == http.MethodDelete:
		return s.delete(r, q, stored)
	case subresource == "scale":
		return http.StatusOK, map[string]any{"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": s.changeTo(r, q, stored.DeepCopy())["metadata"], "spec": body.Object["spec"]}
	}
	changed := stored.DeepCopy()
	switch {
	case r.Method == http.MethodPatch:
		changed.Object = merged(changed.Object, body.Object)
	case body.GetResourceVersion() != "" && body.GetResourceVersion() != stored.GetResourceVersion():
		return failure(http.StatusConflict, metav1.StatusReasonConflict)
	case subresource == "status":
		changed.Object["status"] = body.Object["status"]
	default:
		body.SetUID(stored.GetUID())
		changed = body
	}
	return http.StatusOK, s.changeTo(r, q, changed)
}

// changeTo stores an object, or removes it if it was deleted and its last finalizer is gone. It returns
// the object as the client wants it. mu is held.
func (s *server) changeTo(r *http.Request, q *asked, obj *unstructured.Unstructured) map[string]any {
	switch {
	case r.FormValue("dryRun") != "":
		obj.SetResourceVersion(strconv.Itoa(len(s.history) + 2))
	case obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0:
		s.drop(q.resource, obj.GetNamespace(), obj.GetName())
	default:
		s.store(q.resource, obj)
	}
	return q.shown(obj)
}

// delete deletes an object, or marks it if it has finalizers. mu is held.
func (s *server) delete(r *http.Request, q *asked, stored *unstructured.Unstructured) (int, any) {
	if len(stored.GetFinalizers()) > 0 {
		marked := stored.DeepCopy()
		marked.SetDeletionTimestamp(ptr.To(metav1.Now()))
		marked.SetDeletionGracePeriodSeconds(new(int64))
		return http.StatusOK, s.changeTo(r, q, marked)
	}
	s.drop(q.resource, stored.GetNamespace(), stored.GetName())
	return http.StatusOK, asStatus(metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name:  stored.GetName(),
		Group: stored.GroupVersionKind().Group,
		Kind:  q.resource,
		UID:   stored.GetUID(),
	}})
}

// deleteAll deletes the objects of a namespace, and answers with their last states. mu is held.
func (s *server) deleteAll(q *asked) (int, any) {
	items := []any{}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if obj := s.objects[key]; strings.HasPrefix(key, q.resource+"/") && q.selects(obj) {
			s.drop(q.resource, obj.GetNamespace(), obj.GetName())
			items = append(items, obj.Object)
		}
	}
	return http.StatusOK, map[string]any{"kind": kinds[q.resource] + "List", "apiVersion": "example.com/v1", "metadata": map[string]any{}, "items": items}
}

func failure(code int, reason metav1.StatusReason) (int, any) {
	return code, asStatus(metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Reason: reason})
}

func asStatus(s metav1.Status) metav1.Status {
	s.Kind, s.APIVersion = "Status", "v1"
	return s
}

// merged returns an object after a merge patch.
func merged(object, patch map[string]any) map[string]any {
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(object, name)
		case map[string]any:
			old, _ := object[name].(map[string]any)
			object[name] = merged(old, value)
		default:
			object[name] = value
		}
	}
	return object
}
