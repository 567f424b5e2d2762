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
	clauses := parseAccept(req.Header.Values("Accept"))
	form := aggregated(clauses)
	if path != "/api" && path != "/apis" {
		form = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kinds.document(path, form, req.Host)
	switch {
	case found.code != http.StatusOK:
		return found
	case req.Method != http.MethodGet && req.Method != http.MethodHead && !customGroup(path):
		return statusDocument(notAllowedInGroup)
	case form != "":
		return found
	}
	return found.as(clauses)
}

// as returns a document in the form that a client accepts.
func (d *document) as(clauses []clause) *document {
	if len(clauses) == 0 {
		return d
	}
	for _, c := range clauses {
		switch {
		case c.params["as"] != "":
		case c.mediaType == jsonType, c.mediaType == "*/*", c.mediaType == "application/*":
			return d
		case c.mediaType == yamlType:
			if body, err := yaml.JSONToYAML(d.body); err == nil {
				return &document{code: d.code, mediaType: yamlType, body: body}
			}
		case c.mediaType == protobufType && d.object != nil:
			if body, err := marshalProtobuf(d.object); err == nil {
				return &document{code: d.code, mediaType: protobufType, body: body}
			}
		}
	}
	return statusDocument(notAcceptable(jsonType, yamlType, protobufType))
}

// statusDocument answers with an error.
func statusDocument(err error) *document {
	status := statusOf(err)
	body, mediaType := encodeStatus(accepted{mediaType: jsonType}, status)
	return &document{code: int(status.Code), mediaType: mediaType, body: body}
}

// customGroup reports whether a path of discovery is that of a group with custom resources only. The
// API server shows these whatever the method is.
func customGroup(path string) bool {
	parts := strings.Split(path[1:], "/")
	return parts[0] == "apis" && len(parts) > 1 &&
		!slices.ContainsFunc(builtIns().kinds, func(k *Kind) bool { return k.Group == parts[1] })
}

// healthPath reports whether the first part of a path is that of the health of the server, or of one
// of its checks.
func healthPath(first string) bool {
	return first == "healthz" || first == "livez" || first == "readyz"
}

// aggregated returns the version of aggregated discovery that a client prefers to plain JSON, or "".
func aggregated(clauses []clause) string {
	for _, c := range clauses {
		switch {
		case c.mediaType != jsonType && c.mediaType != "*/*" && c.mediaType != "application/*":
		case c.params["as"] == "":
			return ""
		case c.params["as"] == "APIGroupDiscoveryList" && c.params["g"] == "apidiscovery.k8s.io" &&
			c.params["v"] == "v2":
			return c.params["v"]
		}
	}
	return ""
}

// document returns what discovery has at a path. It keeps the documents until a kind is added.
func (g *registry) document(path, form, host string) *document {
	if g.groups == nil {
		g.groups, g.documents = discovery.New(g.resources()), map[string]*document{}
	}
	name := path + ";" + form
	if known := g.documents[name]; known != nil {
		return known
	}
	found := g.makeDocument(path, form, host)
	if found.code == http.StatusOK {
		g.documents[name] = found
	}
	return found
}

func (g *registry) makeDocument(path, form, host string) *document {
	parts := strings.Split(path[1:], "/")
	switch {
	case form != "":
		mediaType := jsonType + ";g=apidiscovery.k8s.io;v=" + form + ";as=APIGroupDiscoveryList"
		found := jsonDocument(g.groups.Aggregated(path == "/api", form), mediaType)
		found.etag = fmt.Sprintf(`"%X"`, sha512.Sum512(found.body))
		return found
	case path == "/version":
		return jsonDocument(serverVersion, jsonType)
	case path == "/":
		return jsonDocument(metav1.RootPaths{Paths: g.groups.Paths()}, jsonType)
	case path == "/api":
		return jsonDocument(g.groups.Versions(host), jsonType)
	case path == "/apis":
		return jsonDocument(g.groups.List(), jsonType)
	case parts[0] == "api" && len(parts) == 2:
		if list := g.groups.Resources(schema.GroupVersion{Version: parts[1]}); list != nil {
			return jsonDocument(list, jsonType)
		}
	case parts[0] == "apis" && len(parts) == 2:
		if group := g.groups.Group(parts[1]); group != nil {
			return jsonDocument(group, jsonType)
		}
	case parts[0] == "apis" && len(parts) == 3:
		if list := g.groups.Resources(schema.GroupVersion{Group: parts[1], Version: parts[2]}); list != nil {
			return jsonDocument(list, jsonType)
		}
	}
	return notFoundPage
}

// jsonDocument encodes a document.
func jsonDocument[T any](content T, mediaType string) *document {
	body, err := json.Marshal(content)
	if err != nil {
		return &document{code: http.StatusInternalServerError, mediaType: "text/plain; charset=utf-8", body: []byte(err.Error())}
	}
	object, _ := any(content).(kruntime.Object)
	return &document{code: http.StatusOK, mediaType: mediaType, body: append(body, '\n'), object: object}
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
	if k.isNamespace() {
		resource.Verbs = slices.DeleteFunc(slices.Clone(builtInVerbs), func(verb string) bool { return verb == "deletecollection" })
	}
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
