package cachetest

import (
	"bytes"
	"context"
	"encoding/json"
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

// Cluster is an in-memory API server, the requests that programs send to it, and what their answers
// say about its objects.
type Cluster struct {
	*testing.T
	Server *apitest.Server
	// Reads are the requests of informers.
	Reads *Line
	// Others sends the writes of other programs, and Client those of the informer's, which Own sees.
	Others, Client http.RoundTripper
	Own            writes.Observer

	// Objects are the present ones, and States all that an object with a UID was, in the order in
	// which the test has heard of them.
	Objects map[Name]*unstructured.Unstructured
	States  map[types.UID][]Object
	// Unseen are the objects that had states besides these, because a response was lost.
	Unseen map[types.UID]bool
}

// NewCluster returns a Cluster that is closed when the test ends.
func NewCluster(t *testing.T, options ...apitest.Option) *Cluster {
	c := &Cluster{T: t, Objects: map[Name]*unstructured.Unstructured{}, States: map[types.UID][]Object{}, Unseen: map[types.UID]bool{}}
	var err error
	if c.Server, err = apitest.New(append(options, apitest.WithKinds(WidgetKind))...); err != nil { // not Start: faults may begin in vain
		t.Fatal(err)
	}
	t.Cleanup(c.Server.Close)
	c.Reads = &Line{next: as{"informer", c.Server}}
	c.Others = journal{c, as{"writer", c.Server}}
	c.Client = c.Own.Transport(lateAnswers{c.Others})
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

// From selects the requests to widgets with a User-Agent.
func (c *Cluster) From(agent string) apitest.Match {
	return c.Server.On("*", Widgets.Resource+"/*").Optional().Where(func(r *http.Request) bool { return r.UserAgent() == agent })
}

// InProtobuf leaves the header Accept of an informer of metadata as it is: protobuf, and JSON after it.
func InProtobuf(accept string) string { return accept }

// InJSON leaves protobuf out of a header Accept.
func InJSON(accept string) string {
	_, accept, _ = strings.Cut(accept, ",")
	return accept
}

// WholeInJSON returns the header Accept of a client of whole objects.
func WholeInJSON(string) string { return "application/json" }

// Open returns the bodies.OpenFunc of a namespace. form changes the header Accept of the informer.
func (c *Cluster) Open(namespace string, form func(accept string) string) func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server.URL()+PathOf(namespace, "")+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", form(accept))
		response, err := c.Reads.RoundTrip(request)
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
func (c *Cluster) errorOf(response *http.Response) error {
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

// Call is a request of a program.
type Call struct {
	Method, Path, ContentType string
	Body                      any // that is encoded as JSON, or nil
}

// Send sends a request, and returns the code and the body of the response. The code is 0 if there is
// no response, or not all of it.
func (c *Cluster) Send(ctx context.Context, by http.RoundTripper, request Call) (int, []byte) {
	var body io.Reader
	if request.Body != nil {
		text, err := json.Marshal(request.Body)
		if err != nil {
			c.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, request.Method, c.Server.URL()+request.Path, body)
	if err != nil {
		c.Fatal(err)
	}
	if request.ContentType != "" {
		r.Header.Set("Content-Type", request.ContentType)
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

// Page returns the list of widgets that a GET returns.
func (c *Cluster) Page(query url.Values) *unstructured.UnstructuredList {
	c.Helper()
	code, body := c.Send(context.Background(), c.Server, Call{Method: http.MethodGet, Path: PathOf("", "") + "?" + query.Encode()})
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(body); err != nil || code != http.StatusOK {
		c.Errorf("list: %d, %v in %s", code, err, body)
	}
	return list
}

// list returns the widgets that a GET returns.
func (c *Cluster) list(query url.Values) []*unstructured.Unstructured {
	c.Helper()
	list := c.Page(query)
	items := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		items[i] = &list.Items[i]
	}
	return items
}

// Read looks up objects whose state no answer has reported.
func (c *Cluster) Read(names ...Name) {
	c.Helper()
	for _, name := range names {
		switch code, body := c.Send(c.Context(), c.Server, Call{Method: http.MethodGet, Path: PathOf(name.Namespace, name.Name)}); code {
		case http.StatusOK:
			c.put(body)
		case http.StatusNotFound:
			delete(c.Objects, name)
		default:
			c.Fatalf("get %v: %d %s", name, code, body)
		}
	}
}

// ReadAll looks up all objects.
func (c *Cluster) ReadAll() {
	c.Helper()
	clear(c.Objects)
	for _, obj := range c.list(nil) {
		c.Objects[NameOf(obj)] = obj
		c.remember(obj)
	}
}

// put records a state of an object.
func (c *Cluster) put(body []byte) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(body); err != nil {
		c.Fatalf("%v in %s", err, body)
	}
	c.Objects[NameOf(obj)] = obj
	c.remember(obj)
	return obj
}

func (c *Cluster) remember(obj *unstructured.Unstructured) {
	state := MetadataOf(obj)
	if !slices.ContainsFunc(c.States[state.UID], func(known Object) bool { return IsStateOf(state, known) }) {
		c.States[state.UID] = append(c.States[state.UID], state)
	}
}

// CheckLists compares the lists of the server with its earlier answers.
func (c *Cluster) CheckLists(selects Selector) {
	c.Helper()
	all := c.list(nil)
	if len(all) != len(c.Objects) {
		c.Errorf("the server lists %d objects, by its answers it has %d", len(all), len(c.Objects))
	}
	var selected, listed []Name
	for _, obj := range all {
		known := c.Objects[NameOf(obj)]
		if known == nil || known.GetUID() != obj.GetUID() || !IsStateOf(MetadataOf(known), MetadataOf(obj)) || ColorOf(known) != ColorOf(obj) {
			c.Errorf("the server lists\n%v, its last answer was\n%v", obj, known)
		}
		if selects.Has(obj) {
			selected = append(selected, NameOf(obj))
		}
	}
	for _, obj := range c.list(selects.query()) {
		listed = append(listed, NameOf(obj))
	}
	if !slices.Equal(selected, listed) {
		c.Errorf("with %v the server lists %v, want %v", selects, listed, selected)
	}
}

// Create creates a widget.
func Create(c *Cluster, namespace, name string) {
	c.Helper()
	if code, body := c.Send(c.Context(), c.Others, Call{Method: http.MethodPost, Path: PathOf(namespace, ""), Body: NewWidget(Name{namespace, name}, "", "red")}); code != http.StatusCreated {
		c.Fatalf("%d: %s", code, body)
	}
}

// Remove removes a widget.
func Remove(c *Cluster, namespace, name string) {
	c.Helper()
	if code, body := c.Send(c.Context(), c.Others, Call{Method: http.MethodDelete, Path: PathOf(namespace, name)}); code != http.StatusOK {
		c.Fatalf("%d: %s", code, body)
	}
}

// Label sets the letters of a widget.
func Label(c *Cluster, name Name, letters string) {
	c.Helper()
	code, body := c.Send(c.Context(), c.Others, Call{http.MethodPatch, PathOf(name.Namespace, name.Name), string(types.MergePatchType), map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"letters": letters}},
	}})
	if code != http.StatusOK {
		c.Fatalf("%d: %s", code, body)
	}
}

// journal sends requests to the server, and records the responses.
type journal struct {
	*Cluster
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
		before := maps.Clone(l.Objects)
		l.ReadAll()
		for name, last := range before {
			if now := l.Objects[name]; now == nil || now.GetResourceVersion() != last.GetResourceVersion() {
				l.Unseen[last.GetUID()] = true
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
		name := Name{Namespace: parts[5], Name: parts[7]}
		if l.Objects[name] == nil {
			l.Errorf("%s %s has deleted nothing: %s", request.Method, request.URL, body)
		}
		delete(l.Objects, name)
	case "Widget":
		if obj := l.put(body); IsGone(obj) {
			delete(l.Objects, NameOf(obj))
		}
	default:
		l.Errorf("%s %s: %s", request.Method, request.URL, body)
	}
	if request.Method == http.MethodDelete || kind.DeletionTimestamp != nil { // the garbage collector follows
		l.Read(slices.Collect(maps.Keys(l.Objects))...)
	}
}

// lateAnswers delays the responses to requests with a Delayed in their context.
type lateAnswers struct{ next http.RoundTripper }

// Delayed is a request whose response comes when Release is closed. The server has executed it when Executed is closed.
type Delayed struct{ Executed, Release chan struct{} }

// DelayedKey is the key of a Delayed in a context.
type DelayedKey struct{}

func (l lateAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if d, ok := request.Context().Value(DelayedKey{}).(Delayed); ok {
		close(d.Executed)
		<-d.Release
	}
	return response, err
}
