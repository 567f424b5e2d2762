package writes

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is the object or collection that the URL of a request names.
type target struct {
	resource schema.GroupVersionResource
	// namespace is empty for a cluster-scoped object, and for a Namespace.
	namespace string
	// name is empty for a collection.
	name        string
	subresource string
}

// maxSegments is the number of segments of the longest path of a target, with the empty one
// before the first slash: /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE.
const maxSegments = 9

// parseTarget reads a path from /api or /apis on. Like the API server it reads the path without
// its escapes, and takes a path below a Namespace for one of a resource in that namespace,
// unless it is one of the subresources status and finalize.
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris)
func parseTarget(path string) (target, bool) {
	segments := strings.SplitN(path, "/", maxSegments+1)
	if segments[0] != "" {
		return target{}, false
	}
	segments = segments[1:]
	for _, segment := range segments {
		if segment == "" {
			return target{}, false
		}
	}
	var t target
	switch {
	case len(segments) >= 3 && segments[0] == "api":
		t.resource.Version, segments = segments[1], segments[2:]
	case len(segments) >= 4 && segments[0] == "apis":
		t.resource.Group, t.resource.Version, segments = segments[1], segments[2], segments[3:]
	default:
		return target{}, false
	}
	if len(segments) >= 3 && segments[0] == "namespaces" && segments[2] != "status" && segments[2] != "finalize" {
		t.namespace, segments = segments[1], segments[2:]
	}
	t.resource.Resource, segments = segments[0], segments[1:]
	if len(segments) > 0 {
		t.name, segments = segments[0], segments[1:]
	}
	if len(segments) > 0 {
		t.subresource, segments = segments[0], segments[1:]
	}
	if len(segments) > 0 || isStream(t.subresource) {
		return target{}, false
	}
	return t, true
}

// isStream reports whether a subresource of pods, nodes or services carries other data than
// objects.
func isStream(subresource string) bool {
	switch subresource {
	case "attach", "exec", "log", "portforward", "proxy":
		return true
	}
	return false
}

// mayWrite reports whether a request with this method may change an object.
func mayWrite(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// changesNothing reports whether a request is a dry run, or may be one: the options of a DELETE are
// in its body, which cannot be read again if the request has no GetBody.
func changesNothing(request *http.Request) bool {
	query, err := url.ParseQuery(request.URL.RawQuery)
	if err != nil || query.Has("dryRun") {
		return true
	}
	if request.Method != http.MethodDelete || request.Body == nil || request.Body == http.NoBody {
		return false
	}
	if request.GetBody == nil {
		return true
	}
	body, err := request.GetBody()
	if err != nil {
		return true
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil || len(text) > maxBody {
		return true
	}
	if len(text) == 0 {
		return false
	}
	var options metav1.DeleteOptions
	if err := decode(text, &options); err != nil {
		return true
	}
	return len(options.DryRun) > 0
}
