package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// Tracker reads and writes the objects of a Server, past its reactors and faults. It has the
// methods of client-go's testing.ObjectTracker, so that code written for a fake clientset can use
// it. Unlike a client, it writes the status together with the object, and an update needs no
// resourceVersion. In all else it behaves like a client: it checks a resourceVersion that an
// object has, a deleted object stays as long as it has finalizers, and a deleted pod on a node stays until
// a deletion with gracePeriodSeconds 0.
type Tracker struct {
	server *Server
	scheme *runtime.Scheme
}

// Tracker returns a Tracker whose objects have the Go types of scheme. Objects of other kinds, or
// all if scheme is nil, have the type of their [Kind], or are *unstructured.Unstructured.
func (s *Server) Tracker(scheme *runtime.Scheme) *Tracker {
	return &Tracker{s, scheme}
}

// Add stores an object, or each of a list, like [Server.Add]. It also knows the Go types of its scheme.
func (t *Tracker) Add(obj runtime.Object) error { return t.server.objects.Add(t.scheme, obj) }

// Get returns an object.
func (t *Tracker) Get(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.GetOptions) (runtime.Object, error) {
	r, err := t.request("get", gvr, ns, name)
	if err != nil {
		return nil, err
	}
	options := first(opts)
	answer, err := t.server.objects.Get(r, &options)
	if err != nil {
		return nil, err
	}
	return t.typed(r.Kind, r.Kind.Present(answer.State))
}

// Create stores a new object with its status.
func (t *Tracker) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	content, r, err := t.body("create", gvr, obj, ns)
	if err != nil {
		return err
	}
	content.SetResourceVersion("")
	return t.server.objects.Seed(r, content, len(first(opts).DryRun) > 0)
}

// Update replaces an object with its status. It compares the resourceVersion of obj, if obj has one.
func (t *Tracker) Update(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.UpdateOptions) error {
	return t.update(gvr, obj, ns, first(opts))
}

// Patch replaces an object by one to which a patch was applied, like Update.
func (t *Tracker) Patch(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	o := first(opts)
	return t.update(gvr, obj, ns, metav1.UpdateOptions{DryRun: o.DryRun, FieldManager: o.FieldManager, FieldValidation: o.FieldValidation})
}

func (t *Tracker) update(gvr schema.GroupVersionResource, obj runtime.Object, ns string, options metav1.UpdateOptions) error {
	content, r, err := t.body("update", gvr, obj, ns)
	if err != nil {
		return err
	}
	if _, err := r.Normalize(content); err != nil {
		return err
	}
	r.Whole = true
	_, err = t.server.objects.Update(r, content, rest.Write{
		Manager: cmp.Or(options.FieldManager, "tracker"), Validation: options.FieldValidation, DryRun: len(options.DryRun) > 0,
	})
	return err
}

// Apply applies a configuration by server-side apply. Without a field manager in the options it is
// that of a Tracker.
func (t *Tracker) Apply(gvr schema.GroupVersionResource, applyConfiguration runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	content, r, err := t.body("patch", gvr, applyConfiguration, ns)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(content.Object)
	if err != nil {
		return err
	}
	options := first(opts)
	_, err = t.server.objects.Patch(r, types.ApplyYAMLPatchType, patch, options.Force != nil && *options.Force, rest.Write{
		Manager: cmp.Or(options.FieldManager, "tracker"), Validation: options.FieldValidation, DryRun: len(options.DryRun) > 0,
	})
	return err
}

// List returns the objects of a namespace, or of all if ns is empty. gvk is the kind of the
// objects.
func (t *Tracker) List(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, ns string, opts ...metav1.ListOptions) (runtime.Object, error) {
	r, err := t.request("list", gvr, ns, "")
	if err != nil {
		return nil, err
	}
	options, selected, err := selected(r, first(opts))
	if err != nil {
		return nil, err
	}
	answer, err := t.server.objects.List(selected, options)
	if err != nil {
		return nil, err
	}
	items := make([]runtime.Object, len(answer.List.Items))
	for i, state := range answer.List.Items {
		if items[i], err = t.typed(r.Kind, r.Kind.Present(state)); err != nil {
			return nil, err
		}
	}
	return t.listOf(r.Kind, answer.List.Meta, items)
}

// selected decodes the options of a list or a watch as the query of a request.
func selected(r *rest.Request, options metav1.ListOptions) (*internalversion.ListOptions, *selection.Selection, error) {
	decoded := &internalversion.ListOptions{}
	query, err := metav1.ParameterCodec.EncodeParameters(&options, metav1.SchemeGroupVersion)
	if err == nil {
		err = (&serve.Request{Query: query}).Options(decoded)
	}
	if err != nil {
		return nil, nil, err
	}
	selected, err := r.Selected(decoded)
	return decoded, selected, err
}

// listOf returns a list of the Go type in the scheme, or of generic objects.
func (t *Tracker) listOf(kind *kinds.Kind, listMeta metav1.ListMeta, items []runtime.Object) (runtime.Object, error) {
	gvk := kind.GroupVersion().WithKind(kind.List)
	if t.scheme != nil && t.scheme.Recognizes(gvk) {
		into, err := t.scheme.New(gvk)
		if err != nil {
			return nil, err
		}
		if err := meta.SetList(into, items); err != nil {
			return nil, err
		}
		accessor, err := meta.ListAccessor(into)
		if err != nil {
			return nil, err
		}
		accessor.SetResourceVersion(listMeta.ResourceVersion)
		accessor.SetContinue(listMeta.Continue)
		accessor.SetRemainingItemCount(listMeta.RemainingItemCount)
		return into, nil
	}
	into := &unstructured.UnstructuredList{}
	into.SetGroupVersionKind(gvk)
	into.SetResourceVersion(listMeta.ResourceVersion)
	into.SetContinue(listMeta.Continue)
	for _, item := range items {
		content, err := kinds.Content(item, kind.GroupVersionKind)
		if err != nil {
			return nil, err
		}
		into.Items = append(into.Items, unstructured.Unstructured{Object: content})
	}
	return into, nil
}

// Delete deletes an object, or marks it as deleting if it has finalizers or is a pod on a node.
func (t *Tracker) Delete(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.DeleteOptions) error {
	r, err := t.request("delete", gvr, ns, name)
	if err != nil {
		return err
	}
	options := first(opts)
	_, err = t.server.objects.Delete(r, &options)
	return err
}

// Watch returns the changes of a namespace, or of all if ns is empty. Without options it begins
// now; with options it begins where a client's watch would. It has a goroutine until it is stopped.
func (t *Tracker) Watch(gvr schema.GroupVersionResource, ns string, opts ...metav1.ListOptions) (apiwatch.Interface, error) {
	r, err := t.request("watch", gvr, ns, "")
	if err != nil {
		return nil, err
	}
	options := first(opts)
	if len(opts) == 0 {
		options.ResourceVersion = strconv.FormatUint(t.server.handler.Version(), 10)
	}
	options.Watch = true
	list, selected, err := selected(r, options)
	if err != nil {
		return nil, err
	}
	body, err := t.server.watches.New(r.Context, watch.Options{List: list, Selected: selected, Kind: r.Kind, Encode: serve.JSONEvent(r.Kind)})
	if err != nil {
		return nil, err
	}
	w := &trackerWatch{tracker: t, kind: r.Kind, body: body, result: make(chan apiwatch.Event), stopped: make(chan struct{})}
	go w.run()
	return w, nil
}

// request returns a request of a Tracker.
func (t *Tracker) request(verb string, gvr schema.GroupVersionResource, ns, name string) (*rest.Request, error) {
	objects := t.server.objects
	objects.Lock()
	kind := objects.Kinds.Resource(gvr)
	refused := objects.Kinds.WhyRefused(func(k *kinds.Kind) bool { return k.GVR() == gvr })
	objects.Unlock()
	switch {
	case kind != nil:
	case refused != nil:
		return nil, refused
	default:
		return nil, fmt.Errorf("the server has no resource %s; give it the kind by WithKinds", gvr)
	}
	if !kind.Namespaced {
		ns = ""
	}
	return &rest.Request{Context: context.Background(), Verb: verb, Kind: kind, Namespace: ns, Name: name}, nil
}

// body returns the request that writes an object, and the content of the object.
func (t *Tracker) body(verb string, gvr schema.GroupVersionResource, obj runtime.Object, ns string) (*unstructured.Unstructured, *rest.Request, error) {
	r, err := t.request(verb, gvr, ns, "")
	if err != nil {
		return nil, nil, err
	}
	fields, err := kinds.Content(obj, r.Kind.GroupVersionKind)
	if err != nil {
		return nil, nil, err
	}
	content := &unstructured.Unstructured{Object: fields}
	r.Name = content.GetName()
	return content, r, r.CheckNamespace(content)
}

// typed converts the content of an object to its Go type. Like an object that a client returns, it
// names no kind, unless it is generic.
func (t *Tracker) typed(kind *kinds.Kind, content map[string]any) (runtime.Object, error) {
	obj := kind.NewObject(t.scheme)
	if obj == nil {
		return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}, nil
	}
	if err := kinds.Convert(content, obj); err != nil {
		return nil, fmt.Errorf("%s %s does not fit into a %T: %w", kind.Kind, (&unstructured.Unstructured{Object: content}).GetName(), obj, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

// trackerWatch decodes the body of a watch.
type trackerWatch struct {
	apiwatch.Interface // nil: it has the methods that a later version of apimachinery adds

	tracker *Tracker
	kind    *kinds.Kind
	body    io.ReadCloser
	result  chan apiwatch.Event
	once    sync.Once
	stopped chan struct{}
}

// Stop ends the watch.
func (w *trackerWatch) Stop() {
	w.once.Do(func() {
		close(w.stopped)
		_ = w.body.Close()
	})
}

// ResultChan is closed when the watch ends.
func (w *trackerWatch) ResultChan() <-chan apiwatch.Event { return w.result }

func (w *trackerWatch) run() {
	defer close(w.result)
	defer w.Stop()
	frames := json.NewDecoder(w.body)
	for {
		var frame struct {
			Type   apiwatch.EventType
			Object json.RawMessage
		}
		if frames.Decode(&frame) != nil {
			return
		}
		var obj runtime.Object = &metav1.Status{}
		if frame.Type != apiwatch.Error {
			if obj = w.kind.NewObject(w.tracker.scheme); obj == nil {
				obj = &unstructured.Unstructured{}
			}
		}
		if json.Unmarshal(frame.Object, obj) != nil {
			return
		}
		select {
		case w.result <- apiwatch.Event{Type: frame.Type, Object: obj}:
		case <-w.stopped:
			return
		}
	}
}

// first returns the options of a variadic parameter.
func first[T any](opts []T) (options T) {
	if len(opts) > 0 {
		options = opts[0]
	}
	return options
}

// Add stores objects as if they had been there before the test. It keeps what a client cannot
// set: the status, and in the metadata the UID, creationTimestamp, generation, managedFields, and
// a deletionTimestamp of a pod or of an object with finalizers. What is missing is set as for a new object,
// and each object gets a new resourceVersion. The items of a list are stored one by one. An object
// that exists is replaced, and keeps its UID, creationTimestamp and generation unless the new one has
// its own. Reactors and faults do not see it.
//
// An object of a Go type that a [Kind] or the scheme of the server has is of the kind of that type,
// whatever its apiVersion and kind are. All other objects have to name their kind.
//
// The error names the first object that a create would refuse. Those before it are stored.
func (s *Server) Add(objects ...runtime.Object) error { return s.objects.Add(nil, objects...) }
