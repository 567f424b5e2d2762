package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
)

// apiServer is the in-memory API server of this module. Its typed client is client-go's metadata
// client. Between the server and its clients, requests are recorded and may be answered with errors,
// and watches may end.
type apiServer struct {
	*testing.T
	api    *apitest.Server
	client metadata.ResourceInterface
	// streams is set if the server has streaming lists.
	streams bool

	mu       sync.Mutex             // guards the fields below
	watches  map[*apiWatch]struct{} // open ones
	requests []request
	answer   func(request) error
	// written counts the versions of no interest.
	written int
}

func newAPIServer(t *testing.T, streams bool) *apiServer {
	kind := apitest.Kind{GroupVersionKind: widgets.GroupVersion().WithKind(widgetKind.Kind), Resource: widgets.Resource, Namespaced: true}
	s := &apiServer{T: t, streams: streams, api: apitest.Start(t, apitest.WithKinds(kind)), watches: map[*apiWatch]struct{}{}}
	client, err := metadata.NewForConfig(&rest.Config{Host: s.api.URL(), Transport: clientTransport{s}, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.client = client.Resource(widgets)
	for s.version() < 100 {
		s.bookmark()
	}
	return s
}

// pathOf returns the path of the widgets of a namespace, or of one of them if name is not empty.
func pathOf(namespace, name string) string {
	path := "/apis/" + widgets.GroupVersion().String() + "/namespaces/" + namespace + "/" + widgets.Resource
	if name != "" {
		path += "/" + name
	}
	return path
}

// contents counts the different contents of objects: an update without a change has no version.
var contents struct {
	sync.Mutex
	n int64
}

// newContent returns an object as a client sends it, each time with another content.
func newContent(key string, labels ...string) *unstructured.Unstructured {
	contents.Lock()
	defer contents.Unlock()
	contents.n++
	named := newObject(key, labels...)
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"content": contents.n}}}
	obj.SetGroupVersionKind(widgets.GroupVersion().WithKind(widgetKind.Kind))
	obj.SetNamespace(named.Namespace)
	obj.SetName(named.Name)
	if len(labels) > 0 {
		obj.SetLabels(named.Labels)
	}
	return obj
}

// do sends a request past what is between the server and its clients.
func (s *apiServer) do(method, path string, content any, into any) (code int) {
	s.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		s.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.api.URL()+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	if content != nil {
		request.Body = io.NopCloser(bytes.NewReader(text))
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.api.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		s.Fatal(err)
	}
	return response.StatusCode
}

func (s *apiServer) put(key string, labels ...string) object {
	s.Helper()
	obj, last, stored := newContent(key, labels...), &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadata{}
	path := pathOf(obj.GetNamespace(), obj.GetName())
	method, want := http.MethodPut, http.StatusOK
	if s.do(http.MethodGet, path, nil, last) == http.StatusOK {
		obj.SetResourceVersion(last.ResourceVersion)
	} else {
		method, path, want = http.MethodPost, pathOf(obj.GetNamespace(), ""), http.StatusCreated
	}
	if code := s.do(method, path, obj, stored); code != want {
		s.Errorf("%s %s: %d", method, path, code)
	}
	return stored
}

func (s *apiServer) remove(key string) {
	s.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	if code := s.do(http.MethodDelete, pathOf(namespace, name), nil, &metav1.Status{}); code != http.StatusOK {
		s.Errorf("delete %s: %d", key, code)
	}
}

func (s *apiServer) has(key string) bool {
	namespace, name, _ := strings.Cut(key, "/")
	return s.do(http.MethodGet, pathOf(namespace, name), nil, &metav1.PartialObjectMetadata{}) == http.StatusOK
}

func (s *apiServer) list() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	s.do(http.MethodGet, "/apis/"+widgets.GroupVersion().String()+"/"+widgets.Resource, nil, list)
	return list
}

func (s *apiServer) truth() []string {
	var objs []object
	for list, i := s.list(), 0; i < len(list.Items); i++ {
		objs = append(objs, &list.Items[i])
	}
	return describe(objs)
}

func (s *apiServer) version() int {
	version, err := strconv.Atoi(s.list().ResourceVersion)
	if err != nil {
		s.Fatal(err)
	}
	return version
}

// bookmark writes an object of another kind. The server sends bookmarks each minute.
func (s *apiServer) bookmark() {
	s.mu.Lock()
	s.written++
	name := "written-" + strconv.Itoa(s.written)
	s.mu.Unlock()
	s.do(http.MethodPost, "/api/v1/namespaces/a/configmaps", map[string]any{"metadata": map[string]any{"name": name}}, &metav1.PartialObjectMetadata{})
}

// compact expires the versions before the present one. (Compact of the server also expires that.)
func (s *apiServer) compact() {
	version := s.version()
	s.api.On("watch", widgets.Resource).Optional().Where(func(r *http.Request) bool {
		from, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
		return err == nil && from < version
	}).Expired()
}

func (s *apiServer) restore(version int) {
	if err := s.api.RestoreTo(strconv.Itoa(version)); err != nil {
		s.Error(err)
	}
}

func (s *apiServer) endWatches(err apierrors.APIStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.finish(err)
	}
	clear(s.watches)
}

func (s *apiServer) answerWith(answer func(request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *apiServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := linesOf(s.requests)
	s.requests = nil
	return lines
}

func (s *apiServer) List(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return s.client.List(ctx, options)
}

func (s *apiServer) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return s.client.Watch(ctx, options)
}

func (s *apiServer) IsWatchListSemanticsUnSupported() bool { return !s.streams }

func (s *apiServer) RoundTrip(request *http.Request) (*http.Response, error) {
	return s.api.RoundTrip(request)
}

func (s *apiServer) open(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
	query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api.URL()+"/apis/"+widgets.GroupVersion().String()+"/"+widgets.Resource+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	response, err := (&http.Client{Transport: clientTransport{s}}).Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	status := metav1.Status{}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return nil, err
	}
	return nil, &apierrors.StatusError{ErrStatus: status}
}

// clientTransport is what is between the server and its clients.
type clientTransport struct{ *apiServer }

func (c clientTransport) RoundTrip(httpRequest *http.Request) (*http.Response, error) {
	httpRequest = httpRequest.Clone(httpRequest.Context())
	if _, json, found := strings.Cut(httpRequest.Header.Get("Accept"), ","); found {
		httpRequest.Header.Set("Accept", json) // the first is protobuf, which does not end in lines
	}
	query := httpRequest.URL.Query()
	r := request{verb: "list"}
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &r.options, nil); err != nil {
		return nil, err
	}
	switch {
	case r.options.SendInitialEvents != nil && !c.streams:
		return failure(httpRequest, apierrors.NewInvalid(widgetKind, "", nil))
	case r.options.SendInitialEvents != nil:
		r.verb = "stream"
	case r.options.Watch:
		r.verb = "watch"
	}
	c.mu.Lock()
	c.requests = append(c.requests, r)
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		if err := answer(r); err != nil {
			return failure(httpRequest, err)
		}
	}
	response, err := c.api.RoundTrip(httpRequest)
	if err == nil && r.options.Watch && response.StatusCode == http.StatusOK {
		w := &apiWatch{server: c.apiServer, body: response.Body, lines: bufio.NewReader(response.Body)}
		c.mu.Lock()
		c.watches[w] = struct{}{}
		c.mu.Unlock()
		response.Body = w
	}
	return response, err
}

// failure answers a request with an error.
func failure(request *http.Request, statusErr error) (*http.Response, error) {
	var status apierrors.APIStatus
	if !errors.As(statusErr, &status) {
		return nil, statusErr
	}
	text, err := json.Marshal(statusOf(status))
	header := http.Header{"Content-Type": {"application/json"}}
	if seconds, ok := apierrors.SuggestsClientDelay(statusErr); ok && seconds > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds))
	}
	return &http.Response{
		StatusCode: int(status.Status().Code),
		Header:     header,
		Body:       io.NopCloser(bytes.NewReader(text)),
		Request:    request,
	}, err
}

// statusOf returns the Status of an error as an object.
func statusOf(err apierrors.APIStatus) *metav1.Status {
	status := err.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	return &status
}

// apiWatch is the body of a watch, which may end between two events.
type apiWatch struct {
	server *apiServer
	body   io.ReadCloser
	lines  *bufio.Reader

	mu    sync.Mutex // guards the fields below
	rest  []byte     // of the event that is read
	ended bool
}

// finish ends the watch, with an ERROR event if there is an error.
func (w *apiWatch) finish(err apierrors.APIStatus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if err != nil {
		event, _ := json.Marshal(map[string]any{"type": watch.Error, "object": statusOf(err)})
		w.rest = append(w.rest, append(event, '\n')...)
	}
	_ = w.body.Close() // so that Read returns
}

func (w *apiWatch) Read(p []byte) (int, error) {
	for {
		w.mu.Lock()
		n := copy(p, w.rest)
		w.rest = w.rest[n:]
		ended := w.ended
		w.mu.Unlock()
		switch {
		case n > 0:
			return n, nil
		case ended:
			return 0, io.EOF
		}
		line, err := w.lines.ReadBytes('\n')
		w.mu.Lock()
		if !w.ended {
			w.rest = line
		}
		ended = w.ended
		w.mu.Unlock()
		if err != nil && !ended {
			return 0, err
		}
	}
}

func (w *apiWatch) Close() error {
	w.server.mu.Lock()
	delete(w.server.watches, w)
	w.server.mu.Unlock()
	return w.body.Close()
}
