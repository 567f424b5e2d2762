package discovery

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// AggregatedType is the media type of discovery of all groups in one document.
const AggregatedType = media.JSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// typeOf chooses the media type of a document from the Accept headers. It returns "" if the server has none of them.
func typeOf(headers []string, aggregates bool) string {
	clauses := media.ParseAccept(headers)
	for _, c := range clauses {
		if plain := c.Plain(); plain != "" {
			return plain
		}
		if aggregates && c.MediaType == media.JSON && c.Params["as"] == "APIGroupDiscoveryList" && c.Params["g"] == "apidiscovery.k8s.io" && c.Params["v"] == "v2" {
			return AggregatedType
		}
	}
	if len(clauses) == 0 {
		return media.JSON
	}
	return ""
}

// Find returns the document of the group, the version or all of them at a path, or nil.
func (g *Groups) Find(path, host string) runtime.Object {
	parts := strings.Split(path[1:], "/")
	var list *metav1.APIResourceList
	switch {
	case path == "/api":
		return g.Versions(host)
	case path == "/apis":
		return g.List()
	case parts[0] == "api" && len(parts) == 2:
		list = g.Resources(schema.GroupVersion{Version: parts[1]})
	case parts[0] == "apis" && len(parts) == 2:
		if group := g.Group(parts[1]); group != nil {
			return group
		}
	case parts[0] == "apis" && len(parts) == 3:
		list = g.Resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
	if list == nil {
		return nil
	}
	return list
}

// Encode encodes a document, but not one of aggregated discovery.
func Encode(content runtime.Object, mediaType string) ([]byte, error) {
	if mediaType == media.Protobuf {
		return media.MarshalProtobuf(content)
	}
	body, err := json.Marshal(content)
	if err != nil || mediaType != media.YAML {
		return append(body, '\n'), err
	}
	return yaml.JSONToYAML(body)
}
