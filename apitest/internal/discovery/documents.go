package discovery

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/openapi"
)

// Document is an answer that depends on no object.
type Document struct {
	Code      int
	MediaType string
	Body      []byte
	// ETag, if not empty, is the value by which a client asks whether the document has changed.
	ETag string
}

const plainText = "text/plain; charset=utf-8"

// NotFoundPage answers paths that the server does not have.
var NotFoundPage = &Document{Code: http.StatusNotFound, MediaType: plainText, Body: []byte("404 page not found\n")}

// serverVersion is the answer of /version: the release of Kubernetes whose kinds and rules the server
// has.
var serverVersion = version.Info{
	Major: "1", Minor: "37", GitVersion: "v1.37.2+apitest", GitTreeState: "clean",
	GoVersion: goruntime.Version(), Compiler: goruntime.Compiler, Platform: goruntime.GOOS + "/" + goruntime.GOARCH,
}

// Documents are the answers to requests for no resource. Its caller has a lock.
type Documents struct {
	kinds *kinds.Registry
	// changes is the number of changes of the kinds that groups and known have.
	changes int
	groups  *Groups
	known   map[string]*Document
}

// Of returns the Documents of some kinds.
func Of(of *kinds.Registry) *Documents { return &Documents{kinds: of} }

// Get answers a request for a path that is not that of a resource: discovery, the version and the health.
func (d *Documents) Get(req *http.Request) *Document {
	path := "/" + strings.Trim(req.URL.Path, "/")
	switch first, _, _ := strings.Cut(path[1:], "/"); {
	case first == "healthz", first == "livez", first == "readyz":
		return &Document{Code: http.StatusOK, MediaType: plainText, Body: []byte("ok")}
	case first == "openapi":
		return d.openAPI(path, req)
	case first != "api" && first != "apis" && path != "/version" && path != "/":
		return NotFoundPage
	}
	found := d.find(path, req)
	if found.Code == http.StatusOK && req.Method != http.MethodGet && req.Method != http.MethodHead && !customGroup(path) {
		return refusal(req, ErrNotAllowed)
	}
	if found.ETag != "" && req.Header.Get("If-None-Match") == found.ETag {
		return &Document{Code: http.StatusNotModified, MediaType: found.MediaType, ETag: found.ETag}
	}
	return found
}

// Requests that do not fit to a path of a built-in group are answered by the router of the API
// server, which knows nothing of resources.
var (
	ErrNotFound   = RouteError(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	ErrNotAllowed = RouteError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource")
)

// RouteError is an error of this router.
func RouteError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{},
	}}
}

// NotRouted is the error for a client that accepts none of the media types that a path has.
func NotRouted(types []string) error {
	return RouteError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, "406: Not Acceptable\n\nAvailable representations: "+strings.Join(types, ", "))
}

// refusal is an error as a document.
func refusal(req *http.Request, err error) *Document {
	status := media.StatusOf(err)
	body, mediaType := media.ErrorForm(req.Header.Values("Accept")).EncodeStatus(status)
	return &Document{Code: int(status.Code), MediaType: mediaType, Body: body}
}

// customGroup reports whether a path of discovery belongs to a group with custom resources only. The
// API server shows these for any method.
func customGroup(path string) bool {
	parts := strings.Split(path[1:], "/")
	return parts[0] == "apis" && len(parts) > 1 && !kinds.BuiltInGroup(parts[1])
}

// refresh forgets the documents if a kind was added.
func (d *Documents) refresh() {
	if d.groups == nil || d.changes != d.kinds.Changes {
		d.changes, d.groups, d.known = d.kinds.Changes, New(resources(d.kinds)), map[string]*Document{}
	}
}

// openAPI returns the description of the kinds at a path. It keeps the documents until a kind is added.
func (d *Documents) openAPI(path string, req *http.Request) *Document {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return refusal(req, ErrNotAllowed)
	}
	d.refresh()
	name := path
	protobuf := path == openapi.Version2Path && openapi.AcceptsProtobuf(req.Header.Values("Accept"))
	if protobuf {
		name += " protobuf"
	}
	if known := d.known[name]; known != nil {
		return known
	}
	described := d.describe(req, path, protobuf)
	if described.Code == http.StatusOK {
		d.known[name] = described
	}
	return described
}

func (d *Documents) describe(req *http.Request, path string, protobuf bool) *Document {
	switch {
	case path == openapi.Root:
		return jsonDocument(openapi.IndexOf(d.kinds))
	case protobuf:
		body, err := openapi.Version2Of(d.kinds).Marshal()
		if err != nil {
			return refusal(req, err)
		}
		return &Document{Code: http.StatusOK, MediaType: openapi.Protobuf, Body: body}
	case path == openapi.Version2Path:
		return jsonDocument(openapi.Version2Of(d.kinds))
	}
	if document := openapi.Version3Of(d.kinds, path); document != nil {
		return jsonDocument(document)
	}
	return NotFoundPage
}

// find returns the document of discovery at a path. It keeps the documents until a kind is added.
func (d *Documents) find(path string, req *http.Request) *Document {
	d.refresh()
	accept := req.Header.Values("Accept")
	mediaType := typeOf(accept, path == "/api" || path == "/apis")
	if types := typesAt(path); types != nil && !media.Routed(accept, types...) && (path == "/version" || d.groups.Find(path, req.Host) != nil) {
		return refusal(req, NotRouted(types))
	}
	name := path + " " + mediaType
	if known := d.known[name]; known != nil {
		return known
	}
	if mediaType == AggregatedType {
		d.known[name] = aggregatedDocument(d.groups.Aggregated(path == "/api"))
		return d.known[name]
	}
	content := d.groups.Find(path, req.Host)
	switch {
	case path == "/version":
		return jsonDocument(serverVersion)
	case path == "/":
		return jsonDocument(metav1.RootPaths{Paths: d.groups.Paths()})
	case content == nil && strings.HasPrefix(path, "/api/"):
		return refusal(req, ErrNotFound)
	case content == nil:
		return NotFoundPage
	case mediaType == "":
		return refusal(req, media.NotAcceptable())
	}
	body, err := Encode(content, mediaType)
	if err != nil {
		return refusal(req, err)
	}
	d.known[name] = &Document{Code: http.StatusOK, MediaType: mediaType, Body: body}
	return d.known[name]
}

// typesAt returns the media types that the router of a kube-apiserver has at a path. It is nil if another part of the server answers,
// such as the aggregator or that for custom resources.
func typesAt(path string) []string {
	switch {
	case path == "/version":
		return []string{media.JSON}
	case path == "/api", strings.HasPrefix(path, "/api/"), strings.Count(path, "/") == 3 && !customGroup(path):
		return media.Types
	}
	return nil
}

// jsonDocument encodes a document that is JSON for all clients.
func jsonDocument[T any](content T) *Document {
	body, err := json.Marshal(content)
	if err != nil {
		panic(err) // it has strings only
	}
	return &Document{Code: http.StatusOK, MediaType: media.JSON, Body: append(body, '\n')}
}

// aggregatedDocument encodes aggregated  The tag, by which clients see whether it has changed,
// is a hash of the document without its kind.
func aggregatedDocument(list *GroupList) *Document {
	untyped := *list
	untyped.TypeMeta = metav1.TypeMeta{}
	tagged, err := json.Marshal(&untyped)
	if err != nil {
		panic(err) // it has strings only
	}
	found := jsonDocument(list)
	found.MediaType = AggregatedType
	found.ETag = fmt.Sprintf("\"%X\"", sha512.Sum512(tagged))
	return found
}
