package apitest

import (
	"cmp"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/discovery"
)

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
		return refusal(accepted{mediaType: jsonType}, notAllowedInGroup)
	}
	if found.etag != "" && req.Header.Get("If-None-Match") == found.etag {
		return &document{code: http.StatusNotModified, mediaType: found.mediaType, etag: found.etag}
	}
	return found
}

// refusal is an error as a document.
func refusal(a accepted, err error) *document {
	status := statusOf(err)
	body, mediaType := encodeStatus(a, status)
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

// aggregatedType is the media type of discovery of all groups in one document.
const aggregatedType = jsonType + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// documentType chooses the media type of a document from the Accept headers. It returns "" if the
// server has none of them.
func documentType(clauses []clause, aggregates bool) string {
	if len(clauses) == 0 {
		return jsonType
	}
	for _, c := range clauses {
		as := c.params["as"]
		switch c.mediaType {
		case jsonType, "*/*", "application/*":
			if as == "" {
				return jsonType
			}
			if aggregates && as == "APIGroupDiscoveryList" && c.params["g"] == "apidiscovery.k8s.io" && c.params["v"] == "v2" {
				return aggregatedType
			}
		case yamlType, protobufType:
			if as == "" {
				return c.mediaType
			}
		}
	}
	return ""
}

// document returns what discovery has at a path. It keeps the documents until a kind is added.
func (g *registry) document(path string, req *http.Request) *document {
	if g.groups == nil {
		g.groups, g.documents = discovery.New(g.resources()), map[string]*document{}
	}
	clauses := parseAccept(req.Header.Values("Accept"))
	mediaType := documentType(clauses, path == "/api" || path == "/apis")
	name := path + " " + mediaType
	if known := g.documents[name]; known != nil {
		return known
	}
	if mediaType == aggregatedType {
		g.documents[name] = aggregatedDocument(g.groups.Aggregated(path == "/api"))
		return g.documents[name]
	}
	content := g.find(path, req.Host)
	switch {
	case path == "/version":
		return jsonDocument(serverVersion)
	case path == "/":
		return jsonDocument(metav1.RootPaths{Paths: g.groups.Paths()})
	case content == nil && strings.HasPrefix(path, "/api/"):
		return refusal(accepted{mediaType: jsonType}, notFoundInGroup)
	case content == nil:
		return notFoundPage
	case mediaType == "":
		a, types := refusalForm(clauses)
		return refusal(a, notAcceptable(types...))
	}
	body, err := encodeDocument(content, mediaType)
	if err != nil {
		return refusal(accepted{mediaType: jsonType}, err)
	}
	g.documents[name] = &document{code: http.StatusOK, mediaType: mediaType, body: body}
	return g.documents[name]
}

// find returns the document of the group, the version or all of them at a path, or nil.
func (g *registry) find(path, host string) kruntime.Object {
	parts := strings.Split(path[1:], "/")
	var list *metav1.APIResourceList
	switch {
	case path == "/api":
		return g.groups.Versions(host)
	case path == "/apis":
		return g.groups.List()
	case parts[0] == "api" && len(parts) == 2:
		list = g.groups.Resources(schema.GroupVersion{Version: parts[1]})
	case parts[0] == "apis" && len(parts) == 2:
		if group := g.groups.Group(parts[1]); group != nil {
			return group
		}
	case parts[0] == "apis" && len(parts) == 3:
		list = g.groups.Resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
	if list == nil {
		return nil
	}
	return list
}

func encodeDocument(content kruntime.Object, mediaType string) ([]byte, error) {
	if mediaType == protobufType {
		return marshalProtobuf(content)
	}
	body, err := json.Marshal(content)
	if err != nil || mediaType != yamlType {
		return append(body, '\n'), err
	}
	return yaml.JSONToYAML(body)
}

// jsonDocument encodes a document that is JSON whatever the client accepts.
func jsonDocument[T any](content T) *document {
	body, err := json.Marshal(content)
	if err != nil {
		return refusal(accepted{mediaType: jsonType}, err)
	}
	return &document{code: http.StatusOK, mediaType: jsonType, body: append(body, '\n')}
}

// aggregatedDocument encodes aggregated discovery. The tag, by which clients see whether it has changed,
// is a hash of the document without its kind.
func aggregatedDocument(list *discovery.GroupList) *document {
	untyped := *list
	untyped.TypeMeta = metav1.TypeMeta{}
	tagged, err := json.Marshal(&untyped)
	if err != nil {
		return refusal(accepted{mediaType: jsonType}, err)
	}
	found := jsonDocument(list)
	found.mediaType = aggregatedType
	found.etag = fmt.Sprintf("\"%X\"", sha512.Sum512(tagged))
	return found
}

// The verbs of discovery, in the order in which the API servers of built-in kinds and of custom
// resources have them.
var (
	builtInVerbs     = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	customVerbs      = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	subresourceVerbs = []string{"get", "patch", "update"}
	createVerbs      = []string{"create"}
)

// resources describes the kinds for discovery. Groups that were added follow the built-in ones, in
// alphabetical order.
func (g *registry) resources() []discovery.Resource {
	var all []discovery.Resource
	for kind := range g.all() {
		all = append(all, kind.discovered())
	}
	slices.SortStableFunc(all[len(builtIns().kinds):], func(a, b discovery.Resource) int { return cmp.Compare(a.Group, b.Group) })
	return all
}

func (k *Kind) discovered() discovery.Resource {
	resource := discovery.Resource{
		GroupVersionKind: k.GroupVersionKind, Name: k.Resource, Singular: k.Singular, Namespaced: k.Namespaced,
		ShortNames: k.ShortNames, Categories: k.Categories, Verbs: customVerbs,
	}
	add := func(name string, gvk schema.GroupVersionKind, verbs []string) {
		resource.Subresources = append(resource.Subresources, discovery.Subresource{Name: name, GroupVersionKind: gvk, Verbs: verbs})
	}
	if k.Status {
		add("status", k.GroupVersionKind, subresourceVerbs)
	}
	if k.Scale != nil {
		add("scale", scaleKind, subresourceVerbs)
	}
	if k.custom() {
		return resource
	}
	resource.Verbs = builtInVerbs
	if k.builtIn.virtual {
		resource.Verbs, resource.Virtual = createVerbs, true
	}
	for _, name := range k.builtIn.subresources {
		gvk, verbs := k.subresource(name)
		add(name, gvk, verbs)
	}
	slices.SortFunc(resource.Subresources, func(a, b discovery.Subresource) int { return cmp.Compare(a.Name, b.Name) })
	return resource
}

// subresource returns the kind and the verbs of a subresource besides status and scale.
func (k *Kind) subresource(name string) (schema.GroupVersionKind, []string) {
	switch name {
	case "binding":
		return k.GroupVersion().WithKind("Binding"), createVerbs
	case "eviction":
		return schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}, createVerbs
	case "token":
		return schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}, createVerbs
	case "finalize":
		return k.GroupVersionKind, []string{"update"}
	}
	return k.GroupVersionKind, subresourceVerbs
}
