// Package fakeserver makes a generated fake clientset behave as an API server does, where
// the tests of this operator depend on it.
package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
)

// Server answers the requests of the clients of a fake clientset.
type Server struct {
	// OnStatus, unless it is nil, is called when the status of a Database is written.
	OnStatus func()
	// Lag is how late a watch delivers each event. It needs a synctest bubble.
	Lag time.Duration

	tracker clienttesting.ObjectTracker

	mu      sync.Mutex // guards what follows, and each write as a whole
	version int
	log     []change
	changed chan struct{} // closed by the next change
}

// Serve makes client treat UIDs, versions, generations, the status and finalizers as an API
// server does. A watch begins after the list whose version it has; a fake clientset alone
// loses what is written between the two. There is no garbage collector. The caller sets
// the fields before it uses client.
func Serve(client *fake.Clientset) *Server {
	s := &Server{tracker: client.Tracker(), version: 1, changed: make(chan struct{})}
	for verb, react := range map[string]clienttesting.ReactionFunc{"create": s.create, "update": s.update, "patch": s.patch, "delete": s.delete, "list": s.list} {
		client.PrependReactor(verb, "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return react(action)
		})
	}
	client.PrependWatchReactor("*", s.watch)
	return s
}

func (s *Server) create(action clienttesting.Action) (bool, runtime.Object, error) {
	obj := action.(clienttesting.CreateAction).GetObject()
	m := metaOf(obj)
	s.stamp(m)
	m.SetUID(types.UID(fmt.Sprintf("uid-%d", s.version)))
	m.SetGeneration(1)
	if err := s.tracker.Create(action.GetResource(), obj, action.GetNamespace()); err != nil {
		return true, nil, err
	}
	s.tell(watch.Added, action, obj)
	return true, obj, nil
}

func (s *Server) update(action clienttesting.Action) (bool, runtime.Object, error) {
	obj := action.(clienttesting.UpdateAction).GetObject()
	current, err := s.current(action, metaOf(obj).GetName(), metaOf(obj).GetResourceVersion())
	if err != nil {
		return true, nil, err
	}
	if action.GetSubresource() == "status" {
		obj, current = current.DeepCopyObject(), obj
	}
	switch obj := obj.(type) {
	case *datav1.Database:
		if action.GetSubresource() == "status" && s.OnStatus != nil {
			s.OnStatus()
		}
		obj.Status = current.(*datav1.Database).Status
		if obj.Spec != current.(*datav1.Database).Spec {
			obj.Generation++
		}
	case *datav1.DatabaseServer:
		obj.Status = current.(*datav1.DatabaseServer).Status
	}
	return true, obj, s.store(action, obj)
}

// patch merges finalizers, which is the one patch of the controller.
func (s *Server) patch(action clienttesting.Action) (bool, runtime.Object, error) {
	patch := action.(clienttesting.PatchAction)
	var body struct {
		Metadata struct {
			ResourceVersion string
			Finalizers      []string
		}
	}
	if err := json.Unmarshal(patch.GetPatch(), &body); err != nil || patch.GetPatchType() != types.MergePatchType {
		return true, nil, apierrors.NewBadRequest(fmt.Sprintf("%s %s: %v", patch.GetPatchType(), patch.GetPatch(), err))
	}
	obj, err := s.current(action, patch.GetName(), body.Metadata.ResourceVersion)
	if err != nil {
		return true, nil, err
	}
	obj = obj.DeepCopyObject()
	metaOf(obj).SetFinalizers(body.Metadata.Finalizers)
	return true, obj, s.store(action, obj)
}

func (s *Server) delete(action clienttesting.Action) (bool, runtime.Object, error) {
	request := action.(clienttesting.DeleteActionImpl)
	obj, err := s.current(action, request.Name, "")
	if err != nil {
		return true, nil, err
	}
	obj = obj.DeepCopyObject()
	m := metaOf(obj)
	if p := request.DeleteOptions.Preconditions; p != nil && p.UID != nil && *p.UID != m.GetUID() {
		return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), request.Name, errors.New("it has another UID"))
	}
	if m.GetDeletionTimestamp() == nil {
		now := metav1.Now()
		m.SetDeletionTimestamp(&now)
	}
	return true, nil, s.store(action, obj)
}

// current returns the stored object, if it has the version; "" is any.
func (s *Server) current(action clienttesting.Action, name, version string) (runtime.Object, error) {
	obj, err := s.tracker.Get(action.GetResource(), action.GetNamespace(), name)
	if err != nil {
		return nil, err
	}
	if version != "" && version != metaOf(obj).GetResourceVersion() {
		return nil, apierrors.NewConflict(action.GetResource().GroupResource(), name, errors.New("it has changed"))
	}
	return obj, nil
}

// store writes obj. An object that is being deleted is gone without finalizers.
func (s *Server) store(action clienttesting.Action, obj runtime.Object) error {
	m := metaOf(obj)
	s.stamp(m)
	if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 {
		s.tell(watch.Deleted, action, obj)
		return s.tracker.Delete(action.GetResource(), action.GetNamespace(), m.GetName())
	}
	s.tell(watch.Modified, action, obj)
	return s.tracker.Update(action.GetResource(), obj, action.GetNamespace())
}

func (s *Server) list(action clienttesting.Action) (bool, runtime.Object, error) {
	_, list, err := clienttesting.ObjectReaction(s.tracker)(action)
	if err != nil {
		return true, nil, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return true, nil, err
	}
	m.SetResourceVersion(strconv.Itoa(s.version))
	return true, list, nil
}

func (s *Server) stamp(m metav1.Object) {
	s.version++
	m.SetResourceVersion(strconv.Itoa(s.version))
}

func metaOf(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // no object of this API
	}
	return m
}
