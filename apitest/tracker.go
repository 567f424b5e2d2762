package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// Tracker reads and writes the objects of a Server, past its reactors and faults. It has the
// methods of client-go's testing.ObjectTracker, so that code written for a fake clientset can use
// it. Unlike a client, it writes the status together with the object, and an update needs no
// resourceVersion. In all else it does what a client does: it checks a resourceVersion that an
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
func (t *Tracker) Add(obj runtime.Object) error { return t.server.add(t.scheme, obj) }

// Get returns an object.
func (t *Tracker) Get(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.GetOptions) (runtime.Object, error) {
	r, err := t.request("get", gvr, ns, name)
	if err != nil {
		return nil, err
	}
	options := first(opts)
	answer, err := t.serve(r, &options)
	if err != nil {
		return nil, err
	}
	return t.typed(r.kind, r.kind.present(answer.state))
}

// Create stores a new object with its status.
func (t *Tracker) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	content, r, err := t.body("create", gvr, obj, ns)
	if err != nil {
		return err
	}
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	key := r.key()
	if t.server.history.Get(key) != nil {
		return apierrors.NewAlreadyExists(key.GroupResource, key.Name)
	}
	if len(first(opts).DryRun) > 0 {
		return nil
	}
	content.SetResourceVersion("")
	return t.server.seedAs(r.kind, content)
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

func (t *Tracker) update(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts metav1.UpdateOptions) error {
	content, r, err := t.body("update", gvr, obj, ns)
	if err != nil {
		return err
	}
	r.whole = true
	return t.write(r, content, &opts)
}

// Apply applies a configuration by server-side apply. Without a field manager in the options it is
// that of a Tracker.
func (t *Tracker) Apply(gvr schema.GroupVersionResource, applyConfiguration runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	content, r, err := t.body("patch", gvr, applyConfiguration, ns)
	if err != nil {
		return err
	}
	options := first(opts)
	if options.FieldManager == "" {
		options.FieldManager = "tracker"
	}
	r.http.Header.Set("Content-Type", string(types.ApplyPatchType))
	return t.write(r, content, &options)
}

// write sends a request with a body.
func (t *Tracker) write(r *request, content *unstructured.Unstructured, options runtime.Object) error {
	var err error
	if r.body, err = json.Marshal(content.Object); err != nil {
		return err
	}
	_, err = t.serve(r, options)
	return err
}

// serve sends a request with the options of its verb.
func (t *Tracker) serve(r *request, options runtime.Object) (answer *reply, err error) {
	if r.query, err = queryOf(options); err != nil {
		return nil, err
	}
	return t.server.serve(context.Background(), r)
}

// List returns the objects of a namespace, or of all if ns is empty. gvk is the kind of the
// objects.
func (t *Tracker) List(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, ns string, opts ...metav1.ListOptions) (runtime.Object, error) {
	r, err := t.request("list", gvr, ns, "")
	if err != nil {
		return nil, err
	}
	options := first(opts)
	answer, err := t.serve(r, &options)
	if err != nil {
		return nil, err
	}
	items := make([]runtime.Object, len(answer.list.items))
	for i, state := range answer.list.items {
		if items[i], err = t.typed(r.kind, r.kind.present(state)); err != nil {
			return nil, err
		}
	}
	return t.listOf(r.kind, answer.list.meta, items)
}

// listOf returns a list of the Go type in the scheme, or of generic objects.
func (t *Tracker) listOf(kind *Kind, listMeta metav1.ListMeta, items []runtime.Object) (runtime.Object, error) {
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
		content, err := contentOf(item, kind.GroupVersionKind)
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
	if len(opts) > 0 {
		if r.body, err = json.Marshal(opts[0]); err != nil {
			return err
		}
	}
	_, err = t.server.serve(context.Background(), r)
	return err
}

// Watch returns the changes of a namespace, or of all if ns is empty. Without options it begins
// now; with options it begins where a client's watch would. It has a goroutine until it is stopped.
func (t *Tracker) Watch(gvr schema.GroupVersionResource, ns string, opts ...metav1.ListOptions) (watch.Interface, error) {
	r, err := t.request("watch", gvr, ns, "")
	if err != nil {
		return nil, err
	}
	options := first(opts)
	if len(opts) == 0 {
		t.server.mu.Lock()
		options.ResourceVersion = strconv.FormatUint(t.server.history.Version(), 10)
		t.server.mu.Unlock()
	}
	options.Watch = true
	if r.query, err = queryOf(&options); err != nil {
		return nil, err
	}
	r.accept.Stream = true
	answer, err := t.server.serve(r.http.Context(), r)
	if err != nil {
		return nil, err
	}
	w := &trackerWatch{tracker: t, kind: r.kind, body: answer.stream, result: make(chan watch.Event), stopped: make(chan struct{})}
	go w.run()
	return w, nil
}

// request returns a request of a Tracker.
func (t *Tracker) request(verb string, gvr schema.GroupVersionResource, ns, name string) (*request, error) {
	t.server.mu.Lock()
	kind := t.server.kinds.resource(gvr)
	refused := t.server.kinds.whyRefused(func(k *Kind) bool { return k.gvr() == gvr })
	t.server.mu.Unlock()
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
	return &request{
		http: &http.Request{Header: http.Header{}, URL: &url.URL{}}, verb: verb, kind: kind, namespace: ns, name: name,
		accept: media.Accepted{MediaType: media.JSON}, query: url.Values{},
	}, nil
}

// body returns the request that writes an object, and the content of the object.
func (t *Tracker) body(verb string, gvr schema.GroupVersionResource, obj runtime.Object, ns string) (*unstructured.Unstructured, *request, error) {
	r, err := t.request(verb, gvr, ns, "")
	if err != nil {
		return nil, nil, err
	}
	fields, err := contentOf(obj, r.kind.GroupVersionKind)
	if err != nil {
		return nil, nil, err
	}
	content := &unstructured.Unstructured{Object: fields}
	r.name = content.GetName()
	return content, r, r.checkNamespace(content)
}

// typed converts the content of an object to its Go type. Like an object that a client returns, it
// names no kind, unless it is generic.
func (t *Tracker) typed(kind *Kind, content map[string]any) (runtime.Object, error) {
	obj := kind.newObject(t.scheme)
	if obj == nil {
		return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}, nil
	}
	if err := convert(content, obj); err != nil {
		return nil, fmt.Errorf("%s %s does not fit into a %T: %w", kind.Kind, nameOf(content), obj, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

func nameOf(content map[string]any) string {
	return (&unstructured.Unstructured{Object: content}).GetName()
}

// trackerWatch decodes the body of a watch.
type trackerWatch struct {
	tracker *Tracker
	kind    *Kind
	body    io.ReadCloser
	result  chan watch.Event
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
func (w *trackerWatch) ResultChan() <-chan watch.Event { return w.result }

func (w *trackerWatch) run() {
	defer close(w.result)
	defer w.Stop()
	frames := json.NewDecoder(w.body)
	for {
		var frame struct {
			Type   watch.EventType
			Object json.RawMessage
		}
		if frames.Decode(&frame) != nil {
			return
		}
		var obj runtime.Object = &metav1.Status{}
		if frame.Type != watch.Error {
			if obj = w.kind.newObject(w.tracker.scheme); obj == nil {
				obj = &unstructured.Unstructured{}
			}
		}
		if json.Unmarshal(frame.Object, obj) != nil {
			return
		}
		select {
		case w.result <- watch.Event{Type: frame.Type, Object: obj}:
		case <-w.stopped:
			return
		}
	}
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
func (s *Server) Add(objects ...runtime.Object) error { return s.add(s.scheme, objects...) }

// add is Add with the Go types of a scheme, which may be nil.
func (s *Server) add(scheme *runtime.Scheme, objects ...runtime.Object) error {
	for _, obj := range objects {
		if obj == nil || reflect.ValueOf(obj).Kind() == reflect.Pointer && reflect.ValueOf(obj).IsNil() {
			return errors.New("apitest: cannot add nil")
		}
		if meta.IsListType(obj) {
			items, err := meta.ExtractList(obj)
			if err != nil {
				return fmt.Errorf("apitest: add %T: %w", obj, err)
			}
			if err := s.add(scheme, items...); err != nil {
				return err
			}
			continue
		}
		if err := s.seed(scheme, obj); err != nil {
			return fmt.Errorf("apitest: add %s: %w", describe(obj), err)
		}
	}
	return nil
}

// describe names an object in an error.
func describe(obj runtime.Object) string {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return fmt.Sprintf("a %T", obj)
	}
	name := accessor.GetName()
	if namespace := accessor.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Sprintf("the %T %q", obj, name)
}

// seed stores one object.
func (s *Server) seed(scheme *runtime.Scheme, from runtime.Object) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, err := s.kindOfObject(scheme, from)
	if err != nil {
		return err
	}
	return s.seedAs(kind, from)
}

// seedAs stores one object of a kind. The caller holds mu.
func (s *Server) seedAs(kind *Kind, from runtime.Object) error {
	content, err := contentOf(from, kind.GroupVersionKind)
	if err != nil {
		return err
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(kind.GroupVersionKind)
	if _, err := kind.normalize(obj); err != nil {
		return err
	}
	if err := s.completeSeed(kind, obj); err != nil {
		return err
	}
	errs := kind.validateMetadata(obj, nil)
	if kind.Schema != nil {
		errs = append(errs, kind.Schema.Validate(context.Background(), obj.Object, nil, "", errs)...)
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	key := history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if err := kind.store(obj); err != nil {
		return err
	}
	s.put(key, obj, 0)
	s.collector.forget() // what was there before the test stays
	return nil
}

// completeSeed sets the metadata that an object lacks.
func (s *Server) completeSeed(kind *Kind, obj *unstructured.Unstructured) error {
	switch {
	case kind.Namespaced && obj.GetNamespace() == "":
		return fmt.Errorf("%s is namespaced; set metadata.namespace", kind.Kind)
	case !kind.Namespaced:
		obj.SetNamespace("")
	}
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.names.Generate(obj.GetGenerateName(), func(name string) bool {
			return s.history.Get(history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: name}) != nil
		}))
	}
	if live := s.history.Get(history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}); live != nil {
		keepIdentity(obj, live.Object)
	}
	if kind.isNamespace() {
		completeNamespace(obj)
	}
	if obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && len(specFinalizers(obj.Object)) == 0 {
		if kind.isPod() { // it waits for its kubelet
			if obj.GetDeletionGracePeriodSeconds() == nil {
				period := cmp.Or(gracePeriod(obj.Object, &metav1.DeleteOptions{}), defaultGracePeriod)
				obj.SetDeletionGracePeriodSeconds(&period)
			}
		} else {
			return errors.New("it has a deletionTimestamp and no finalizers, so a cluster would not have it; add a finalizer")
		}
	}
	if obj.GetUID() == "" {
		obj.SetUID(s.names.UID())
	}
	if obj.GetCreationTimestamp().Time.IsZero() {
		obj.SetCreationTimestamp(metav1.NewTime(s.now()))
	}
	if obj.GetGeneration() == 0 && kind.generations() {
		obj.SetGeneration(1)
	}
	return nil
}

// keepIdentity gives an object that replaces another one what makes the two the same for clients.
func keepIdentity(obj *unstructured.Unstructured, live map[string]any) {
	was := &unstructured.Unstructured{Object: live}
	if uid := obj.GetUID(); uid != "" && uid != was.GetUID() {
		return
	}
	obj.SetUID(was.GetUID())
	if obj.GetCreationTimestamp().Time.IsZero() {
		obj.SetCreationTimestamp(was.GetCreationTimestamp())
	}
	if obj.GetGeneration() == 0 && was.GetGeneration() != 0 {
		obj.SetGeneration(was.GetGeneration())
	}
}

// kindOfObject returns the kind of an object. The Go type decides, as in client-go's fakes. What a typed object
// says of its kind only chooses among the kinds of one Go type.
func (s *Server) kindOfObject(scheme *runtime.Scheme, obj runtime.Object) (*Kind, error) {
	named := obj.GetObjectKind().GroupVersionKind()
	kinds := s.kindsOfType(scheme, obj)
	for _, same := range []func(*Kind) bool{
		func(k *Kind) bool { return k.GroupVersionKind == named },
		func(k *Kind) bool { return k.GroupVersion() == named.GroupVersion() },
		func(k *Kind) bool { return true },
	} {
		if i := slices.IndexFunc(kinds, same); i >= 0 {
			return kinds[i], nil
		}
	}
	if kind := s.kinds.kind(named); kind != nil {
		return kind, nil
	}
	if err := s.kinds.whyRefused(func(k *Kind) bool {
		return k.GroupVersionKind == named || reflect.TypeOf(k.Type) == reflect.TypeOf(obj)
	}); err != nil {
		return nil, err
	}
	if named.Kind == "" || named.Version == "" {
		return nil, fmt.Errorf("it has apiVersion %q and kind %q, and the server does not know its Go type; set both, or use a server with its Go type, as in fake.NewClientsetFor(apitest.Start(t, apitest.WithScheme(scheme.Scheme)), objects...)", named.GroupVersion(), named.Kind)
	}
	return nil, fmt.Errorf("the server has no kind %s; give it one by WithKinds", named)
}

// kindsOfType returns the kinds whose objects have the Go type of obj. An object of a generic type has none.
func (s *Server) kindsOfType(scheme *runtime.Scheme, obj runtime.Object) []*Kind {
	if _, generic := obj.(runtime.Unstructured); generic {
		return nil
	}
	var kinds []*Kind
	for kind := range s.kinds.all() {
		if kind.Type != nil && reflect.TypeOf(kind.Type) == reflect.TypeOf(obj) {
			kinds = append(kinds, kind)
		}
	}
	for _, scheme := range []*runtime.Scheme{scheme, s.scheme} {
		if scheme == nil {
			continue
		}
		gvks, _, _ := scheme.ObjectKinds(obj) // none for a type that it does not have
		for _, gvk := range gvks {
			if kind := s.kinds.kind(gvk); kind != nil {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}
