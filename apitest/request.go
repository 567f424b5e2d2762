package apitest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// request is an HTTP request to a resource.
type request struct {
	http *http.Request
	// verb is that of RBAC, such as get, list, watch or deletecollection.
	verb                         string
	kind                         *Kind
	namespace, name, subresource string
	query                        url.Values
	body                         []byte
	accept                       media.Accepted
	// unserved is set if the kind does not have the subresource, which only a reactor can answer.
	unserved bool
	// whole is set for an update by a Tracker, which writes the object with its status.
	whole bool
	// warnings are sent in the header of the response.
	warnings []string
	// cutAfter, if not nil, is the number of events after which a fault cuts a watch.
	cutAfter *int
	// document answers requests that name no resource, such as discovery.
	document *document
}

func (r *request) key() history.Key {
	return history.Key{GroupResource: r.kind.groupResource(), Namespace: r.namespace, Name: r.name}
}

// warn adds a warning once.
func (r *request) warn(text string) {
	for _, w := range r.warnings {
		if w == text {
			return
		}
	}
	r.warnings = append(r.warnings, text)
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
		p.subresource = parts[2] // what follows is ignored
	}
	return p, true
}

// namespaceSubresource reports whether parts name a subresource of a Namespace, and not a resource
// in it.
func namespaceSubresource(gv schema.GroupVersion, parts []string) bool {
	return gv.Group == "" && len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")
}

// parse finds out what a request is for.
func (s *Server) parse(req *http.Request, body []byte) (*request, error) {
	r := &request{http: req, body: body}
	p, ok := splitPath(req.URL.EscapedPath())
	var refused error
	if ok {
		gvr := p.WithResource(p.resource)
		s.mu.Lock()
		r.kind = s.kinds.resource(gvr)
		refused = s.kinds.whyRefused(func(k *Kind) bool { return k.gvr() == gvr })
		s.mu.Unlock()
	}
	if r.kind == nil && refused != nil {
		return r, apierrors.NewInternalError(refused)
	}
	if r.kind == nil {
		r.document = s.documentOf(req)
		if r.document == notFoundPage && inBuiltInGroup(req.URL.Path) {
			return r, notFoundInGroup
		}
		return r, nil
	}
	r.namespace, r.name, r.subresource = p.namespace, p.name, p.subresource
	if req.URL.RawQuery != "" {
		r.query = req.URL.Query()
	}
	r.verb = verbOf(req.Method, p, r.query)
	if r.kind.Warning != "" {
		r.warn(r.kind.Warning)
	}
	if r.namespace != "" && !r.kind.Namespaced || r.kind.Namespaced && r.namespace == "" && (r.name != "" || r.verb == "create" || r.verb == "deletecollection") {
		if refused != nil { // for its scope
			return r, apierrors.NewInternalError(refused)
		}
		if !r.kind.custom() {
			return r, notAllowedInGroup
		}
		r.document = notFoundPage
		return r, nil
	}
	if !r.kind.custom() && !r.kind.builtIn.allows(r) {
		return r, notAllowedInGroup
	}
	switch {
	case r.verb == "":
		return r, methodNotAllowed(r)
	case !r.servesSubresource():
		r.unserved = true
		if !r.kind.custom() {
			return r, notFoundInGroup
		}
		return r, r.missing()
	case r.kind.custom() && (r.verb == "create" || r.verb == "delete") && r.subresource != "":
		return r, methodNotAllowed(r)
	case !r.kind.custom() && !media.Known(req.Header.Values("Accept")):
		return r, notAcceptableInGroup(req.Method == http.MethodGet && r.name == "")
	}
	var err error
	r.accept, err = media.Negotiate(req.Header.Values("Accept"), r.kind.protobuf(), r.verb == "watch")
	if r.name == "" && (r.verb == "update" || r.verb == "patch") {
		err = errNameless
	}
	if err != nil && r.verb == "patch" && r.kind.custom() {
		if _, wrongType := r.patchType(); wrongType != nil {
			return r, wrongType // it comes first
		}
	}
	if err != nil {
		return r, err
	}
	if len(body) > maxBody {
		return r, apierrors.NewRequestEntityTooLargeError("limit is 3145728")
	}
	return r, nil
}

// errNameless is the error for an update or a patch of a collection.
var errNameless = apierrors.NewBadRequest("name must be provided")

// inBuiltInGroup reports whether a path is below the core group, or another group of Kubernetes.
func inBuiltInGroup(path string) bool {
	root, rest, _ := strings.Cut(strings.Trim(path, "/"), "/")
	group, _, _ := strings.Cut(rest, "/")
	return root == "api" || root == "apis" && slices.ContainsFunc(builtIns().kinds, func(k *Kind) bool { return group != "" && k.Group == group })
}

// Requests that do not fit to a path of a built-in group are answered by the router of the API
// server, which knows nothing of resources.
var (
	notFoundInGroup   = routeError(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	notAllowedInGroup = routeError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource")
)

// notAcceptableInGroup is the answer of this router to a client that accepts no media type of a path.
func notAcceptableInGroup(watchable bool) error {
	types := []string{media.JSON, media.YAML, media.Protobuf}
	if watchable {
		types = append(types, media.JSON+";stream=watch", media.Protobuf+";stream=watch")
	}
	return routeError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"406: Not Acceptable\n\nAvailable representations: "+strings.Join(types, ", "))
}

func routeError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{},
	}}
}

// servesSubresource reports whether the kind has the subresource of the URL.
func (r *request) servesSubresource() bool {
	switch r.subresource {
	case "":
		return true
	case "status":
		return r.kind.Status
	case "scale":
		return r.kind.Scale != nil
	}
	return r.kind.hasSubresource(r.subresource)
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
		case isTrue(query, "watch"):
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

// isTrue reports whether a query parameter is set as the API server reads booleans.
func isTrue(query url.Values, name string) bool {
	values, set := query[name]
	return set && len(values) > 0 && values[0] != "false" && values[0] != "0"
}

// methodNotAllowed is the answer to a method that a resource does not have.
func methodNotAllowed(r *request) error {
	return apierrors.NewMethodNotSupported(r.kind.groupResource(), r.verb)
}

// options decodes the query into the options of a verb.
func (r *request) options(into runtime.Object) error {
	if len(r.query) == 0 {
		return nil
	}
	if err := internalscheme.ParameterCodec.DecodeParameters(r.query, metav1.SchemeGroupVersion, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// listOptions decodes the query of list, watch and deletecollection.
func (r *request) listOptions() (*internalversion.ListOptions, error) {
	options := &internalversion.ListOptions{}
	return options, r.options(options)
}

// manager is the field manager of a write: the option, or the first word of the User-Agent.
func (r *request) manager(option string) string {
	if option != "" {
		return option
	}
	agent := r.http.UserAgent()
	if agent == "" {
		agent = "Go-http-client/1.1" // as net/http sends it
	}
	name, _, _ := strings.Cut(agent, "/")
	var printable strings.Builder
	for _, c := range name {
		if c >= ' ' && c != 0x7f && printable.Len()+len(string(c)) <= 128 {
			printable.WriteRune(c)
		}
	}
	return printable.String()
}

// queryOf encodes options as a query.
func queryOf(options runtime.Object) (url.Values, error) {
	return metav1.ParameterCodec.EncodeParameters(options, metav1.SchemeGroupVersion)
}

// first returns the options of a variadic parameter.
func first[T any](opts []T) (options T) {
	if len(opts) > 0 {
		options = opts[0]
	}
	return options
}
