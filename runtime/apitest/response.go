package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
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
	status := statusOf(err)
	body, mediaType := encodeStatus(r.accept, status)
	out := response(r.http, int(status.Code), mediaType, bodyOf(body), r.warnings)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	return out
}

// statusOf returns the Status of an error. For an error without one, the API server answers 500
// with the text of the error, and without a reason.
func statusOf(err error) *metav1.Status {
	var status metav1.Status
	if s, ok := err.(apierrors.APIStatus); ok {
		status = s.Status()
	} else {
		status = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
	}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	if status.Code == 0 {
		status.Code = http.StatusInternalServerError
	}
	return &status
}

// encodeStatus encodes a Status, in protobuf if the client accepts it.
func encodeStatus(a accepted, status *metav1.Status) (body []byte, mediaType string) {
	if a.mediaType == protobufType {
		if body, err := marshalProtobuf(status); err == nil {
			return body, protobufType
		}
	}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // a Status has strings and numbers only
	}
	if a.mediaType == yamlType {
		if content, err := yaml.JSONToYAML(body); err == nil {
			return content, yamlType
		}
	}
	return append(body, '\n'), jsonType
}

// encode returns the body of a reply in the form that the client accepts.
func (s *Server) encode(r *request, answer *reply) (io.ReadCloser, string, error) {
	switch {
	case answer.stream != nil:
		return answer.stream, r.accept.contentType(), nil
	case answer.status != nil:
		body, mediaType := encodeStatus(r.accept, answer.status)
		return bodyOf(body), mediaType, nil
	case answer.list != nil && r.accept.form == formMetadata && !r.accept.list:
		return nil, "", statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (%s)", r.kind.listType()))
	case answer.list != nil:
		return s.encodeList(r, answer.list)
	case r.accept.list:
		return nil, "", errors.New("content is not a list")
	case answer.state != nil:
		body, err := s.encodeState(r, answer.state)
		return bodyOf(body), r.accept.contentType(), err
	}
	body, err := s.encodeObject(r, answer.object)
	return bodyOf(body), r.accept.contentType(), err
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
	if r.accept.plain() && state.APIVersion == r.kind.apiVersion() {
		return state.JSON()
	}
	return s.encodeObject(r, r.kind.present(state))
}

// encodeObject encodes an object as the client accepts it.
func (s *Server) encodeObject(r *request, obj map[string]any) ([]byte, error) {
	switch r.accept.form {
	case formTable:
		return s.encodeTable(r, metav1.ListMeta{ResourceVersion: versionOf(obj)}, []map[string]any{obj})
	case formMetadata:
		obj = r.accept.partial(obj)
	}
	if r.accept.mediaType == protobufType {
		return s.encodeProtobuf(r, obj)
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	return r.accept.text(data)
}

// text returns JSON as the client accepts it: itself or YAML.
func (a accepted) text(data []byte) ([]byte, error) {
	if a.mediaType == yamlType {
		return yaml.JSONToYAML(data)
	}
	return data, nil
}

func versionOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	version, _ := metadata["resourceVersion"].(string)
	return version
}

// encodeList encodes a page of objects as the client accepts it.
func (s *Server) encodeList(r *request, l *list) (io.ReadCloser, string, error) {
	if r.accept.form == formTable {
		objects := make([]map[string]any, len(l.items))
		for i, state := range l.items {
			objects[i] = r.kind.present(state)
		}
		body, err := s.encodeTable(r, l.meta, objects)
		return bodyOf(body), r.accept.contentType(), err
	}
	if r.accept.mediaType == protobufType {
		body, err := s.encodeProtobufList(r, l)
		return bodyOf(body), r.accept.contentType(), err
	}
	apiVersion, kind := r.kind.apiVersion(), r.kind.List
	if r.accept.form == formMetadata {
		apiVersion, kind = metav1.GroupName+"/"+r.accept.metaVersion, "PartialObjectMetadataList"
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
	body, err = r.accept.text(body)
	return bodyOf(body), r.accept.mediaType, err
}

// encodeItem encodes an item of a list as JSON.
func (s *Server) encodeItem(r *request, state *history.State) ([]byte, error) {
	switch {
	case r.accept.form == formMetadata:
		return json.Marshal(r.accept.partial(r.kind.present(state)))
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
	if r.accept.form != formObject || !r.kind.custom() || meta.Continue != "" {
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
