package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// widgetKind is the kind of widgets, as the in-memory API server has it.
var widgetKind = apitest.Kind{
	GroupVersionKind: widgets.GroupVersion().WithKind("Widget"),
	Resource:         widgets.Resource,
	Namespaced:       true,
	Status:           true,
	SelectableFields: []string{"spec.color"},
}

// cluster is an in-memory API server, the requests that programs send to it, and what their answers
// say about its objects.
type cluster struct {
	*testing.T
	server *apitest.Server
	// reads are what informers send.
	reads *line
	// others sends the writes of other programs, and client those of the informer's, which own sees.
	others, client http.RoundTripper
	own            writes.Observer

	// objects are the present ones, and states all that an object with a UID was, in the order in
	// which the test has heard of them.
	objects map[ObjectName]*unstructured.Unstructured
	states  map[types.UID][]object
	// unseen are the objects that had states besides these, because a response was lost.
	unseen map[types.UID]bool
}

func newCluster(t *testing.T, options ...apitest.Option) *cluster {
	c := &cluster{T: t, objects: map[ObjectName]*unstructured.Unstructured{}, states: map[types.UID][]object{}, unseen: map[types.UID]bool{}}
	var err error
	if c.server, err = apitest.New(append(options, apitest.WithKinds(widgetKind))...); err != nil { // not Start: faults may begin in vain
		t.Fatal(err)
	}
	t.Cleanup(c.server.Close)
	c.reads = &line{next: as{"informer", c.server}}
	c.others = journal{c, as{"writer", c.server}}
	c.client = c.own.Transport(lateAnswers{c.others})
	return c
}

// as sends requests with a User-Agent, which faults select.
type as struct {
	agent string
	next  http.RoundTripper
}

func (a as) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", a.agent)
	return a.next.RoundTrip(request)
}

// from selects the requests to widgets with a User-Agent.
func (c *cluster) from(agent string) apitest.Match {
	return c.server.On("*", widgets.Resource+"/*").Optional().Where(func(r *http.Request) bool { return r.UserAgent() == agent })
}

// pathOf returns the path of the widgets of a namespace, or of one of them if name is not empty.
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

// An informer of metadata asks for protobuf, and for JSON after it.

func inProtobuf(accept string) string { return accept }

func inJSON(accept string) string {
	_, accept, _ = strings.Cut(accept, ",")
	return accept
}

func wholeInJSON(string) string { return "application/json" }

// open returns the OpenFunc of a namespace. form changes the header Accept of the informer.
func (c *cluster) open(namespace string, form func(accept string) string) OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.URL()+pathOf(namespace, "")+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", form(accept))
		response, err := c.reads.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusOK {
			return response.Body, nil
		}
		defer response.Body.Close()
		return nil, c.errorOf(response)
	}
}

// errorOf returns the error in a response.
func (c *cluster) errorOf(response *http.Response) error {
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
	if err != nil || int(status.Code) != response.StatusCode || status.Status != metav1.StatusFailure {
		c.Errorf("%v: code %d with the body %q", err, response.StatusCode, body)
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// call is a request of a program.
type call struct {
	method, path, contentType string
	body                      any // that is encoded as JSON, or nil
}

// send sends a request, and returns the code and the body of the response. The code is 0 if there is
// no response, or not all of it.
func (c *cluster) send(ctx context.Context, by http.RoundTripper, request call) (int, []byte) {
	var body io.Reader
	if request.body != nil {
		text, err := json.Marshal(request.body)
		if err != nil {
			c.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, request.method, c.server.URL()+request.path, body)
	if err != nil {
		c.Fatal(err)
	}
	if request.contentType != "" {
		r.Header.Set("Content-Type", request.contentType)
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

// page returns the list of widgets that a GET returns.
func (c *cluster) page(query url.Values) *unstructured.UnstructuredList {
	c.Helper()
	code, body := c.send(context.Background(), c.server, call{method: http.MethodGet, path: pathOf("", "") + "?" + query.Encode()})
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(body); err != nil || code != http.StatusOK {
		c.Errorf("list: %d, %v in %s", code, err, body)
	}
	return list
}

// list returns the widgets that a GET returns.
func (c *cluster) list(query url.Values) []*unstructured.Unstructured {
	c.Helper()
	list := c.page(query)
	items := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		items[i] = &list.Items[i]
	}
	return items
}

// read looks up objects whose state no answer has told.
func (c *cluster) read(names ...ObjectName) {
	c.Helper()
	for _, name := range names {
		switch code, body := c.send(c.Context(), c.server, call{method: http.MethodGet, path: pathOf(name.Namespace, name.Name)}); code {
		case http.StatusOK:
			c.put(body)
		case http.StatusNotFound:
			delete(c.objects, name)
		default:
			c.Fatalf("get %v: %d %s", name, code, body)
		}
	}
}

// readAll looks up all objects.
func (c *cluster) readAll() {
	c.Helper()
	clear(c.objects)
	for _, obj := range c.list(nil) {
		c.objects[MetaObjectToName(obj)] = obj
		c.remember(obj)
	}
}

// put records a state of an object.
func (c *cluster) put(body []byte) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(body); err != nil {
		c.Fatalf("%v in %s", err, body)
	}
	c.objects[MetaObjectToName(obj)] = obj
	c.remember(obj)
	return obj
}

func (c *cluster) remember(obj *unstructured.Unstructured) {
	state := metadataOf(obj)
	if !slices.ContainsFunc(c.states[state.UID], func(known object) bool { return isStateOf(state, known) }) {
		c.states[state.UID] = append(c.states[state.UID], state)
	}
}

// metadataOf returns what an informer of metadata has of an object.
func metadataOf(obj *unstructured.Unstructured) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion(),
		Generation: obj.GetGeneration(), Labels: obj.GetLabels(), Finalizers: obj.GetFinalizers(), DeletionTimestamp: obj.GetDeletionTimestamp(),
		OwnerReferences: obj.GetOwnerReferences(),
	}}
}

// isStateOf reports whether an informer has an object as the server had it.
func isStateOf(obj, state object) bool {
	return obj.ResourceVersion == state.ResourceVersion && obj.Namespace == state.Namespace && obj.Name == state.Name && obj.Generation == state.Generation &&
		maps.Equal(obj.Labels, state.Labels) && slices.Equal(obj.Finalizers, state.Finalizers) && obj.DeletionTimestamp.Equal(state.DeletionTimestamp) &&
		len(obj.OwnerReferences) == len(state.OwnerReferences)
}

func colorOf(obj *unstructured.Unstructured) string {
	color, _, _ := unstructured.NestedString(obj.Object, "spec", "color")
	return color
}

// journal sends requests to the server, and records what the responses say.
type journal struct {
	*cluster
	next http.RoundTripper
}

func (l journal) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	var body []byte
	var torn error
	if err == nil {
		body, torn = io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failingReader{torn}))
	}
	switch {
	case request.URL.Query().Has("dryRun"): // the check in the end shows that nothing was stored
	case err != nil || torn != nil: // it was executed, or not
		before := maps.Clone(l.objects)
		l.readAll()
		for name, last := range before {
			if now := l.objects[name]; now == nil || now.GetResourceVersion() != last.GetResourceVersion() {
				l.unseen[last.GetUID()] = true
			}
		}
	case response.StatusCode < 300:
		l.note(request, body)
	}
	return response, err
}

// failingReader is the end of a body.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// note records a success.
func (l journal) note(request *http.Request, body []byte) {
	kind := metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(body, &kind); err != nil {
		l.Fatalf("%s %s: %v in %s", request.Method, request.URL, err, body)
	}
	switch kind.Kind {
	case "WidgetList": // of a deletecollection, as they were before
	case "Status": // of a delete
		parts := strings.Split(request.URL.Path, "/")
		name := ObjectName{Namespace: parts[5], Name: parts[7]}
		if l.objects[name] == nil {
			l.Errorf("%s %s has deleted nothing: %s", request.Method, request.URL, body)
		}
		delete(l.objects, name)
	case "Widget":
		if obj := l.put(body); isGone(obj) {
			delete(l.objects, MetaObjectToName(obj))
		}
	default:
		l.Errorf("%s %s: %s", request.Method, request.URL, body)
	}
	if request.Method == http.MethodDelete || kind.DeletionTimestamp != nil { // the garbage collector follows
		l.read(slices.Collect(maps.Keys(l.objects))...)
	}
}

// isGone reports whether a response shows an object that is deleted.
func isGone(obj *unstructured.Unstructured) bool {
	return obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0
}

// lateAnswers delays the responses to requests with a delayed in their context.
type lateAnswers struct{ next http.RoundTripper }

// delayed is a request whose response comes when release is closed. The server has executed it when
// executed is closed.
type delayed struct{ executed, release chan struct{} }

type delayedKey struct{}

func (l lateAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if d, ok := request.Context().Value(delayedKey{}).(delayed); ok {
		close(d.executed)
		<-d.release
	}
	return response, err
}

// checkLists compares what the server lists with what its answers have said.
func (c *cluster) checkLists(selects selector) {
	c.Helper()
	all := c.list(nil)
	if len(all) != len(c.objects) {
		c.Errorf("the server lists %d objects, by its answers it has %d", len(all), len(c.objects))
	}
	var selected, listed []ObjectName
	for _, obj := range all {
		known := c.objects[MetaObjectToName(obj)]
		if known == nil || known.GetUID() != obj.GetUID() || !isStateOf(metadataOf(known), metadataOf(obj)) || colorOf(known) != colorOf(obj) {
			c.Errorf("the server lists\n%v, its last answer was\n%v", obj, known)
		}
		if selects.has(obj) {
			selected = append(selected, MetaObjectToName(obj))
		}
	}
	for _, obj := range c.list(selects.query()) {
		listed = append(listed, MetaObjectToName(obj))
	}
	if !slices.Equal(selected, listed) {
		c.Errorf("with %v the server lists %v, want %v", selects, listed, selected)
	}
}

// colorSelector is a selector of the field of colors.
const colorSelector = "spec.color!=red"

// selector selects objects by a label and a field.
type selector struct{ byLabel, byField bool }

func (s selector) any() bool { return s.byLabel || s.byField }

func (s selector) has(obj *unstructured.Unstructured) bool {
	return (!s.byLabel || inSelection(metadataOf(obj))) && (!s.byField || colorOf(obj) != "red")
}

func (s selector) query() url.Values {
	query := url.Values{}
	if s.byLabel {
		query.Set("labelSelector", lettersSelector)
	}
	if s.byField {
		query.Set("fieldSelector", colorSelector)
	}
	return query
}

// newWidget returns a widget as a client sends it.
func newWidget(name ObjectName, letters, color string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"color": color}}}
	obj.SetGroupVersionKind(widgetKind.GroupVersionKind)
	obj.SetNamespace(name.Namespace)
	obj.SetName(name.Name)
	if letters != "" {
		obj.SetLabels(map[string]string{"letters": letters})
	}
	return obj
}

// newOfCluster returns an informer of the widgets of a cluster, which it reads over bodies.
func newOfCluster(c *cluster, form func(accept string) string, options ...SharedInformerOption) *SharedIndexInformer[object] {
	c.Helper()
	kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) OpenFunc { return c.open(namespace, form) }}
	s, err := kind.NewInformer(append(options, WithWatchErrorHandler(quiet))...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// color is selectable.
const color Field[object, string] = "spec.color"

// selected returns the options of an informer of the objects that a selector has.
func selected(s selector) (options []SharedInformerOption) {
	if s.byLabel {
		options = append(options, WithLabelSelector(lettersSelector))
	}
	if s.byField {
		options = append(options, WithFieldSelector(color.IsNot("red")))
	}
	return options
}

func teams(from, to int) (scopes []Scope) {
	for i := from; i < to; i++ {
		scopes = append(scopes, Scope{Namespace: fmt.Sprintf("team-%02d", i)})
	}
	return scopes
}

// create creates a widget, and remove removes it.
func create(c *cluster, namespace, name string) {
	c.Helper()
	if code, body := c.send(c.Context(), c.others, call{method: http.MethodPost, path: pathOf(namespace, ""), body: newWidget(ObjectName{namespace, name}, "", "red")}); code != http.StatusCreated {
		c.Fatalf("%d: %s", code, body)
	}
}

func remove(c *cluster, namespace, name string) {
	c.Helper()
	if code, body := c.send(c.Context(), c.others, call{method: http.MethodDelete, path: pathOf(namespace, name)}); code != http.StatusOK {
		c.Fatalf("%d: %s", code, body)
	}
}
