package serve

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// Parse reads the body of a request, and finds its verb and its kind. The Request is nil if the connection broke. With another error,
// which is an answer, it has the facts known so far.
func (h *Handler) Parse(req *http.Request) (*Request, error) {
	body, err := readBody(req)
	if err == nil {
		err = req.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	r := &Request{HTTP: req, Scheme: h.store.Kinds.Scheme, Body: body, Request: rest.Request{Context: req.Context(), Size: len(body)}}
	return r, h.parse(r)
}

func (h *Handler) parse(r *Request) error {
	req := r.HTTP
	p, ok := splitPath(req.URL.EscapedPath())
	var refused error
	if ok {
		gvr := p.WithResource(p.resource)
		h.store.Lock()
		r.Kind = h.store.Kinds.Resource(gvr)
		refused = h.store.Kinds.WhyRefused(func(k *kinds.Kind) bool { return k.GVR() == gvr })
		h.store.Unlock()
	}
	if r.Kind == nil && refused != nil {
		return apierrors.NewInternalError(refused)
	}
	if r.Kind == nil {
		h.store.Lock()
		r.Document = h.documents.Get(req)
		h.store.Unlock()
		if r.Document == discovery.NotFoundPage && inBuiltInGroup(req.URL.Path) {
			return discovery.ErrNotFound
		}
		return nil
	}
	r.Namespace, r.Name, r.Subresource = p.namespace, p.name, p.subresource
	if req.URL.RawQuery != "" {
		r.Query = req.URL.Query()
	}
	r.Verb = verbOf(req.Method, p, r.Query)
	if r.Kind.Warning != "" {
		r.Warn(r.Kind.Warning)
	}
	if r.Namespace != "" && !r.Kind.Namespaced || r.Kind.Namespaced && r.Namespace == "" && (r.Name != "" || r.Verb == "create" || r.Verb == "deletecollection") {
		if refused != nil { // for its scope
			return apierrors.NewInternalError(refused)
		}
		if !r.Kind.Custom() {
			return discovery.ErrNotAllowed
		}
		r.Document = discovery.NotFoundPage
		return nil
	}
	if !r.Kind.Custom() && (req.Method == http.MethodHead || !r.Kind.Routes(r.Verb, r.Name != "", r.Subresource != "")) {
		return discovery.ErrNotAllowed
	}
	switch {
	case r.Verb == "":
		return r.NotAllowed()
	case !r.servesSubresource():
		r.Unserved = true
		if !r.Kind.Custom() {
			return discovery.ErrNotFound
		}
		return r.Missing()
	case r.Kind.Custom() && (r.Verb == "create" || r.Verb == "delete") && r.Subresource != "":
		return r.NotAllowed()
	case !r.Kind.Custom() && !media.Routed(req.Header.Values("Accept"), media.Types...):
		types := media.Types
		if req.Method == http.MethodGet && r.Name == "" {
			types = slices.Concat(types, media.StreamTypes)
		}
		return discovery.NotRouted(types)
	}
	var err error
	r.Accept, err = media.Negotiate(req.Header.Values("Accept"), r.Kind.Protobuf(), r.Verb == "watch")
	if r.Name == "" && (r.Verb == "update" || r.Verb == "patch") {
		err = errNameless
	}
	if err != nil && r.Verb == "patch" && r.Kind.Custom() {
		if _, wrongType := r.patchType(); wrongType != nil {
			return wrongType // it comes first
		}
	}
	if err != nil {
		return err
	}
	if len(r.Body) > maxBody {
		return apierrors.NewRequestEntityTooLargeError("limit is 3145728")
	}
	return nil
}

// maxBody is the size that a kube-apiserver accepts, in bytes.
const maxBody = 3 << 20

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(io.LimitReader(req.Body, maxBody+1))
}

// path has the parts of the URL of a resource.
type path struct {
	schema.GroupVersion
	watch                                  bool // the old form /watch/
	resource, namespace, name, subresource string
}

// splitPath reads the path of a resource. It reports false for all other paths.
func splitPath(escaped string) (p path, ok bool) {
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(escaped, "/"), "/") {
		part, err := url.PathUnescape(part)
		if err != nil {
			return p, false
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		p.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		p.Group, p.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return p, false
	}
	if parts[0] == "watch" && len(parts) > 1 {
		p.watch, parts = true, parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !namespaceSubresource(p.GroupVersion, parts) {
		p.namespace, parts = parts[1], parts[2:]
	}
	p.resource = parts[0]
	if len(parts) > 1 {
		p.name = parts[1]
	}
	if len(parts) > 2 {
		p.subresource = parts[2] // the rest is ignored
	}
	return p, true
}

// namespaceSubresource reports whether parts name a subresource of a Namespace, and not a resource
// in it.
func namespaceSubresource(gv schema.GroupVersion, parts []string) bool {
	return gv.Group == "" && len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")
}

// errNameless is the error for an update or a patch of a collection.
var errNameless = apierrors.NewBadRequest("name must be provided")

// inBuiltInGroup reports whether a path is below the core group, or another group of Kubernetes.
func inBuiltInGroup(path string) bool {
	root, below, _ := strings.Cut(strings.Trim(path, "/"), "/")
	group, _, _ := strings.Cut(below, "/")
	return root == "api" || root == "apis" && group != "" && kinds.BuiltInGroup(group)
}

// verbOf returns the verb of a request, or "" if the method is not allowed.
func verbOf(method string, p path, query url.Values) string {
	one := p.name != ""
	switch method {
	case http.MethodGet, http.MethodHead:
		switch {
		case p.watch:
			return "watch"
		case one:
			return "get"
		case IsTrue(query, "watch"):
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if one {
			return "delete"
		}
		return "deletecollection"
	}
	return ""
}
