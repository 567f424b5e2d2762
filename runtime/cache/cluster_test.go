package cache

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/apitest"
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
	// reads are what informers send, and writes what the test sends.
	reads, writes *line
	// own sees some of the writes.
	own    writes.Observer
	client http.RoundTripper

	// objects are the present ones, and states all that an object with a UID ever was, by version.
	objects map[ObjectName]*unstructured.Unstructured
	states  map[types.UID]map[string]object
}

func newCluster(t *testing.T, options ...apitest.Option) *cluster {
	c := &cluster{T: t, objects: map[ObjectName]*unstructured.Unstructured{}, states: map[types.UID]map[string]object{}}
	c.server = apitest.Start(t, append(options, apitest.WithKinds(widgetKind))...)
	c.reads, c.writes = &line{next: c.server}, &line{next: ledger{c}}
	c.client = c.own.Transport(lateAnswers{c.writes})
	return c
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

// open returns the OpenFunc of a namespace. Accept, if it is not empty, is sent in place of what the
// informer asks for.
func (c *cluster) open(namespace, accepted string) OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.URL()+pathOf(namespace, "")+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		if accepted != "" {
			accept = accepted
		}
		request.Header.Set("Accept", accept)
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
	if response.Header.Get("Content-Type") == "application/vnd.kubernetes.protobuf" {
		decodeProtobuf(c.T, body, &status)
	} else if err := json.Unmarshal(body, &status); err != nil {
		c.Errorf("code %d with the body %q: %v", response.StatusCode, body, err)
	}
	if int(status.Code) != response.StatusCode || status.Status != metav1.StatusFailure {
		c.Errorf("code %d with the body %+v", response.StatusCode, status)
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// send sends a request of this program, or of another one, and returns the code and the body of the
// response. The code is 0 if there was none.
func (c *cluster) send(ctx context.Context, by http.RoundTripper, method, path, contentType string, content any) (int, []byte) {
	var body io.Reader
	if content != nil {
		text, err := json.Marshal(content)
		if err != nil {
			c.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server.URL()+path, body)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := by.RoundTrip(request)
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

// list returns the widgets that a GET returns, without faults.
func (c *cluster) list(namespace string, query url.Values) []*unstructured.Unstructured {
	code, body := c.send(c.Context(), c.server, http.MethodGet, pathOf(namespace, "")+"?"+query.Encode(), "", nil)
	if code != http.StatusOK {
		c.Fatalf("list: %d %s", code, body)
	}
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(body); err != nil {
		c.Fatalf("list: %v in %s", err, body)
	}
	var items []*unstructured.Unstructured
	for i := range list.Items {
		items = append(items, &list.Items[i])
	}
	return items
}

// read sets what is known of an object to what the server has.
func (c *cluster) read(name ObjectName) {
	switch code, body := c.send(c.Context(), c.server, http.MethodGet, pathOf(name.Namespace, name.Name), "", nil); code {
	case http.StatusOK:
		c.put(body)
	case http.StatusNotFound:
		delete(c.objects, name)
	default:
		c.Fatalf("get: %d %s", code, body)
	}
}

// put records a state of an object.
func (c *cluster) put(body []byte) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(body); err != nil {
		c.Fatalf("%v in %s", err, body)
	}
	c.objects[ObjectName{obj.GetNamespace(), obj.GetName()}] = obj
	if c.states[obj.GetUID()] == nil {
		c.states[obj.GetUID()] = map[string]object{}
	}
	c.states[obj.GetUID()][obj.GetResourceVersion()] = metadataOf(obj)
	return obj
}

// metadataOf returns what an informer of metadata has of an object.
func metadataOf(obj *unstructured.Unstructured) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion(),
		Generation: obj.GetGeneration(), Labels: obj.GetLabels(), Finalizers: obj.GetFinalizers(), DeletionTimestamp: obj.GetDeletionTimestamp(),
	}}
}

func colorOf(obj *unstructured.Unstructured) string {
	color, _, _ := unstructured.NestedString(obj.Object, "spec", "color")
	return color
}

// ledger passes requests to the server, and records what the responses say.
type ledger struct{ *cluster }

func (l ledger) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.server.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode < 300 && request.URL.Query().Get("dryRun") == "" && strings.Contains(request.URL.Path, "/"+widgets.Resource) {
		l.note(request, body)
	}
	return response, nil
}

func (l ledger) note(request *http.Request, body []byte) {
	kind := metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(body, &kind); err != nil {
		l.Fatalf("%s %s: %v in %s", request.Method, request.URL, err, body)
	}
	switch kind.Kind {
	case "WidgetList": // of a deletecollection, as they were before
		for name := range maps.Clone(l.objects) {
			l.read(name)
		}
	case "Status": // of a delete
		parts := strings.Split(request.URL.Path, "/")
		name := ObjectName{Namespace: parts[5], Name: parts[7]}
		if l.objects[name] == nil {
			l.Errorf("%s %s has deleted nothing: %s", request.Method, request.URL, body)
		}
		delete(l.objects, name)
	case "Widget":
		if obj := l.put(body); obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 {
			delete(l.objects, ObjectName{obj.GetNamespace(), obj.GetName()})
		}
	default:
		l.Errorf("%s %s: %s", request.Method, request.URL, body)
	}
}

// lateAnswers delays responses to requests with a delayed in their context.
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

// check compares what the answers have said with lists.
func (c *cluster) check(selects selector) {
	c.Helper()
	all := c.list("", nil)
	if len(all) != len(c.objects) {
		c.Errorf("the server lists %d objects, by its answers it has %d", len(all), len(c.objects))
	}
	var selected []ObjectName
	for _, obj := range all {
		name := ObjectName{obj.GetNamespace(), obj.GetName()}
		known := c.objects[name]
		if known == nil || known.GetUID() != obj.GetUID() || known.GetResourceVersion() != obj.GetResourceVersion() || !maps.Equal(known.GetLabels(), obj.GetLabels()) || colorOf(known) != colorOf(obj) || !slices.Equal(known.GetFinalizers(), obj.GetFinalizers()) {
			c.Errorf("the server lists\n%v, its last answer was\n%v", obj, known)
		}
		if selects.has(obj) {
			selected = append(selected, name)
		}
	}
	var listed []ObjectName
	for _, obj := range c.list("", selects.query()) {
		listed = append(listed, ObjectName{obj.GetNamespace(), obj.GetName()})
	}
	if !slices.Equal(selected, listed) {
		c.Errorf("with %v the server lists %v, want %v", selects, listed, selected)
	}
}

// selector selects objects by a label and a field.
type selector struct{ byLabel, byField bool }

// selectedColor is a field selector.
const selectedColor = Field[object, string]("spec.color")

func (s selector) has(obj *unstructured.Unstructured) bool {
	return (!s.byLabel || inSelection(metadataOf(obj))) && (!s.byField || colorOf(obj) != "red")
}

func (s selector) options() (options []SharedInformerOption) {
	if s.byLabel {
		options = append(options, WithLabelSelector(lettersSelector))
	}
	if s.byField {
		options = append(options, WithFieldSelector(selectedColor.IsNot("red")))
	}
	return options
}

func (s selector) query() url.Values {
	query := url.Values{}
	if s.byLabel {
		query.Set("labelSelector", lettersSelector)
	}
	if s.byField {
		query.Set("fieldSelector", selectedColor.IsNot("red").String())
	}
	return query
}

func (s selector) any() bool { return s.byLabel || s.byField }

// newWidget returns a widget as a client sends it.
func newWidget(name ObjectName, letters, color string) map[string]any {
	metadata := map[string]any{"namespace": name.Namespace, "name": name.Name}
	if letters != "" {
		metadata["labels"] = map[string]any{"letters": letters}
	}
	return map[string]any{"apiVersion": widgets.GroupVersion().String(), "kind": "Widget", "metadata": metadata, "spec": map[string]any{"color": color}}
}
