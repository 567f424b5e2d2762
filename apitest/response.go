package apitest

import (
	"bytes"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// reply is what a handler answers. One of its fields besides code is set. Objects in it are never
// written to.
type reply struct {
	code   int
	state  *history.State // an object that is stored
	object map[string]any // an object that is not, such as that of a dry run
	status *metav1.Status
	list   *list
	stream io.ReadCloser // the body of a watch
}

// list is a page of objects.
type list struct {
	meta  metav1.ListMeta
	items []*history.State
}

// respond encodes a reply or an error as the client asks.
func (s *Server) respond(r *request, answer *reply, err error) *http.Response {
	if err == nil {
		var body io.ReadCloser
		var mediaType string
		if body, mediaType, err = s.encode(r, answer); err == nil {
			return response(r.http, answer.code, mediaType, body, r.warnings)
		}
	}
	status := media.StatusOf(err)
	body, mediaType := media.ErrorForm(r.http.Header.Values("Accept")).EncodeStatus(status)
	out := response(r.http, int(status.Code), mediaType, bodyOf(body), r.warnings)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	return out
}

// encode returns the body of a reply in the form that the client accepts.
func (s *Server) encode(r *request, answer *reply) (io.ReadCloser, string, error) {
	switch {
	case answer.stream != nil:
		return answer.stream, r.accept.ContentType(), nil
	case answer.status != nil:
		body, mediaType := r.accept.EncodeStatus(answer.status)
		return bodyOf(body), mediaType, nil
	case answer.list != nil && r.accept.Form == media.Metadata && !r.accept.List:
		return nil, "", media.Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (%s)", r.kind.listType()))
	case answer.list != nil:
		return s.encodeList(r, answer.list)
	case r.accept.List && (!r.kind.custom() || r.subresource == "scale"):
		gvk := r.bodyKind()
		return nil, "", media.Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("you requested PartialObjectMetadataList, but the requested object is not a list (*%s.%s)", gvk.Version, gvk.Kind))
	case r.accept.List:
		return nil, "", errors.New("content is not a list")
	case answer.state != nil:
		body, err := s.encodeState(r, answer.state)
		return bodyOf(body), r.accept.ContentType(), err
	}
	body, err := s.encodeObject(r, answer.object)
	return bodyOf(body), r.accept.ContentType(), err
}

// listType is what the API server calls the Go type of a list.
func (k *Kind) listType() string {
	if k.custom() {
		return "*unstructured.UnstructuredList"
	}
	return "*" + k.Version + "." + k.List
}

// encodeState encodes an object that is stored. Its JSON is made once.
func (s *Server) encodeState(r *request, state *history.State) ([]byte, error) {
	if r.accept.Plain() && state.APIVersion == r.kind.apiVersion() {
		return state.JSON()
	}
	return s.encodeObject(r, r.kind.present(state))
}

// encodeObject encodes an object as the client accepts it.
func (s *Server) encodeObject(r *request, obj map[string]any) ([]byte, error) {
	if r.accept.Form == media.Metadata {
		obj = partial(r.accept, obj)
	}
	if r.accept.MediaType == media.Protobuf {
		return s.encodeProtobuf(r, obj)
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	return r.accept.Text(data)
}

func versionOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	version, _ := metadata["resourceVersion"].(string)
	return version
}

// encodeList encodes a page of objects as the client accepts it.
func (s *Server) encodeList(r *request, l *list) (io.ReadCloser, string, error) {
	if r.accept.MediaType == media.Protobuf {
		body, err := s.encodeProtobufList(r, l)
		return bodyOf(body), r.accept.ContentType(), err
	}
	apiVersion, kind := r.kind.apiVersion(), r.kind.List
	if r.accept.Form == media.Metadata {
		apiVersion, kind = metav1.GroupName+"/"+r.accept.MetaVersion, "PartialObjectMetadataList"
	}
	meta, err := r.listMeta(l.meta)
	if err != nil {
		return nil, "", err
	}
	items, size := make([][]byte, len(l.items)), 0
	for i, state := range l.items {
		if items[i], err = s.encodeItem(r, state); err != nil {
			return nil, "", err
		}
		size += len(items[i]) + 1
	}
	body := make([]byte, 0, size+len(meta)+len(kind)+len(apiVersion)+64)
	body = fmt.Appendf(body, `{"apiVersion":%q,"items":[`, apiVersion)
	for i, item := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, item...)
	}
	body = fmt.Appendf(body, "],\"kind\":%q,\"metadata\":%s}\n", kind, meta)
	body, err = r.accept.Text(body)
	return bodyOf(body), r.accept.MediaType, err
}

// encodeItem encodes an item of a list as JSON.
func (s *Server) encodeItem(r *request, state *history.State) ([]byte, error) {
	switch {
	case r.accept.Form == media.Metadata:
		return json.Marshal(partial(r.accept, r.kind.present(state)))
	case state.APIVersion != r.kind.apiVersion():
		return json.Marshal(r.kind.present(state))
	}
	content, err := state.JSON()
	if err == nil && !r.kind.custom() {
		content = withoutKind(content)
	}
	return content, err
}

// withoutKind returns an object without its kind and apiVersion, which the items of a typed list do
// not have.
func withoutKind(object []byte) []byte {
	out := make([]byte, 0, len(object))
	out = append(out, '{')
	for field := range fieldsOf(object) {
		if bytes.HasPrefix(field, []byte(`"kind":`)) || bytes.HasPrefix(field, []byte(`"apiVersion":`)) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, field...)
	}
	return append(out, '}')
}

// fieldsOf yields the fields of an object in JSON without spaces, each as "name":value.
func fieldsOf(object []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		depth, start := 0, 1
		for i := 1; i < len(object); i++ {
			switch object[i] {
			case '"':
				for i++; object[i] != '"'; i++ {
					if object[i] == '\\' {
						i++
					}
				}
			case '{', '[':
				depth++
			case ',':
				if depth == 0 {
					if !yield(object[start:i]) {
						return
					}
					start = i + 1
				}
			case '}', ']':
				if depth--; depth < 0 {
					if i > start {
						yield(object[start:i])
					}
					return
				}
			}
		}
	}
}

// listMeta encodes the metadata of a list. Lists of custom resources have a continue token even if
// it is empty.
func (r *request) listMeta(meta metav1.ListMeta) ([]byte, error) {
	if r.accept.Form != media.Object || !r.kind.custom() || meta.Continue != "" {
		return json.Marshal(meta)
	}
	return json.Marshal(map[string]any{"continue": "", "resourceVersion": meta.ResourceVersion})
}

// response makes a response of its parts.
func response(req *http.Request, code int, mediaType string, body io.ReadCloser, warnings []string) *http.Response {
	header := http.Header{"Content-Type": {mediaType}}
	for _, text := range warnings {
		header.Add("Warning", "299 - "+strconv.Quote(text))
	}
	if req.Method == http.MethodHead {
		body = bodyOf(nil)
	}
	length := int64(-1)
	if sized, ok := body.(sizedBody); ok {
		length = sized.Size()
	}
	return &http.Response{
		Status:        strconv.Itoa(code) + " " + http.StatusText(code),
		StatusCode:    code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          body,
		ContentLength: length,
		Request:       req,
	}
}

// sizedBody is a body of which all bytes are there.
type sizedBody struct{ *bytes.Reader }

func (sizedBody) Close() error { return nil }

func bodyOf(content []byte) io.ReadCloser { return sizedBody{bytes.NewReader(content)} }

// document is an answer that depends on no object.
type document struct {
	code      int
	mediaType string
	body      []byte
	// etag, if not empty, is the value by which a client asks whether the document has changed.
	etag string
}

func (d *document) response(req *http.Request) *http.Response {
	answer := response(req, d.code, d.mediaType, bodyOf(d.body), nil)
	if strings.HasPrefix(d.mediaType, "text/") {
		answer.Header.Set("X-Content-Type-Options", "nosniff")
	}
	if d.etag != "" {
		answer.Header.Set("Etag", d.etag)
		answer.Header.Set("Vary", "Accept")
		answer.Header.Set("Cache-Control", "public")
	}
	return answer
}

// notFoundPage answers paths that the server does not have.
var notFoundPage = &document{code: http.StatusNotFound, mediaType: "text/plain; charset=utf-8", body: []byte("404 page not found\n")}

// serverVersion is what /version answers: the release of Kubernetes whose kinds and rules the server
// has.
var serverVersion = version.Info{
	Major: "1", Minor: "37", GitVersion: "v1.37.2+apitest", GitTreeState: "clean",
	GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
}

// documentOf answers a path that is not that of a resource: discovery, the version and the health.
func (s *Server) documentOf(req *http.Request) *document {
	path := "/" + strings.Trim(req.URL.Path, "/")
	first, _, _ := strings.Cut(path[1:], "/")
	switch {
	case first != "api" && first != "apis" && path != "/version" && path != "/" && !healthPath(first):
		return notFoundPage
	case healthPath(first):
		return &document{code: http.StatusOK, mediaType: "text/plain; charset=utf-8", body: []byte("ok")}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kinds.document(path, req)
	if found.code == http.StatusOK && req.Method != http.MethodGet && req.Method != http.MethodHead && !s.kinds.customGroup(path) {
		return refusal(media.Accepted{MediaType: media.JSON}, notAllowedInGroup)
	}
	if found.etag != "" && req.Header.Get("If-None-Match") == found.etag {
		return &document{code: http.StatusNotModified, mediaType: found.mediaType, etag: found.etag}
	}
	return found
}

// refusal is an error as a document.
func refusal(a media.Accepted, err error) *document {
	status := media.StatusOf(err)
	body, mediaType := a.EncodeStatus(status)
	return &document{code: int(status.Code), mediaType: mediaType, body: body}
}

// customGroup reports whether a path of discovery is that of a group with custom resources only. The
// API server shows these whatever the method is.
func (g *registry) customGroup(path string) bool {
	parts := strings.Split(path[1:], "/")
	return parts[0] == "apis" && len(parts) > 1 &&
		!slices.ContainsFunc(builtIns().kinds, func(k *Kind) bool { return k.Group == parts[1] })
}

// healthPath reports whether the first part of a path is that of the health of the server, or of one
// of its checks.
func healthPath(first string) bool {
	return first == "healthz" || first == "livez" || first == "readyz"
}

// document returns what discovery has at a path. It keeps the documents until a kind is added.
func (g *registry) document(path string, req *http.Request) *document {
	if g.groups == nil {
		g.groups, g.documents = discovery.New(g.resources()), map[string]*document{}
	}
	clauses := media.ParseAccept(req.Header.Values("Accept"))
	mediaType := discovery.TypeOf(clauses, path == "/api" || path == "/apis")
	name := path + " " + mediaType
	if known := g.documents[name]; known != nil {
		return known
	}
	if mediaType == discovery.AggregatedType {
		g.documents[name] = aggregatedDocument(g.groups.Aggregated(path == "/api"))
		return g.documents[name]
	}
	content := g.groups.Find(path, req.Host)
	switch {
	case path == "/version":
		return jsonDocument(serverVersion)
	case path == "/":
		return jsonDocument(metav1.RootPaths{Paths: g.groups.Paths()})
	case content == nil && strings.HasPrefix(path, "/api/"):
		return refusal(media.Accepted{MediaType: media.JSON}, notFoundInGroup)
	case content == nil:
		return notFoundPage
	case mediaType == "":
		a, types := media.RefusalForm(clauses)
		return refusal(a, media.NotAcceptable(types...))
	}
	body, err := discovery.Encode(content, mediaType)
	if err != nil {
		return refusal(media.Accepted{MediaType: media.JSON}, err)
	}
	g.documents[name] = &document{code: http.StatusOK, mediaType: mediaType, body: body}
	return g.documents[name]
}

// jsonDocument encodes a document that is JSON whatever the client accepts.
func jsonDocument[T any](content T) *document {
	body, err := json.Marshal(content)
	if err != nil {
		return refusal(media.Accepted{MediaType: media.JSON}, err)
	}
	return &document{code: http.StatusOK, mediaType: media.JSON, body: append(body, '\n')}
}

// aggregatedDocument encodes aggregated discovery. The tag, by which clients see whether it has changed,
// is a hash of the document without its kind.
func aggregatedDocument(list *discovery.GroupList) *document {
	untyped := *list
	untyped.TypeMeta = metav1.TypeMeta{}
	tagged, err := json.Marshal(&untyped)
	if err != nil {
		return refusal(media.Accepted{MediaType: media.JSON}, err)
	}
	found := jsonDocument(list)
	found.mediaType = discovery.AggregatedType
	found.etag = fmt.Sprintf("\"%X\"", sha512.Sum512(tagged))
	return found
}
