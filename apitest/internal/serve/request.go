package serve

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// Request is an HTTP request to a resource, or for a document.
type Request struct {
	rest.Request
	HTTP *http.Request
	// Scheme has the Go types of kinds that have none of their own.
	Scheme *runtime.Scheme
	Query  url.Values
	Body   []byte
	Accept media.Accepted
	// Unserved is set if the kind does not have the subresource, which only a reactor can answer.
	Unserved bool
	// CutAfter, if not nil, is the number of events after which a fault cuts a watch.
	CutAfter *int
	// Document answers requests that name no resource, such as discovery.
	Document *discovery.Document
}

// servesSubresource reports whether the kind has the subresource of the URL.
func (r *Request) servesSubresource() bool {
	switch r.Subresource {
	case "":
		return true
	case "status":
		return r.Kind.Status
	case "scale":
		return r.Kind.Scale != nil
	}
	return r.Kind.HasSubresource(r.Subresource)
}

// IsTrue reports whether a query parameter is set as the API server reads booleans.
func IsTrue(query url.Values, name string) bool {
	values, set := query[name]
	return set && len(values) > 0 && values[0] != "false" && values[0] != "0"
}

// Options decodes the query into the options of a verb.
func (r *Request) Options(into runtime.Object) error {
	if len(r.Query) == 0 {
		return nil
	}
	if err := internalscheme.ParameterCodec.DecodeParameters(r.Query, metav1.SchemeGroupVersion, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// agent is the field manager of a client that names none: the first word of the User-Agent.
func agent(req *http.Request) string {
	agent := req.UserAgent()
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

// ContentType returns the media type of the body. An empty header means JSON.
func (r *Request) ContentType() (string, error) {
	header := r.HTTP.Header.Get("Content-Type")
	if header == "" {
		return media.JSON, nil
	}
	mediaType, _, err := mime.ParseMediaType(header)
	accepted := []string{media.JSON, media.YAML, media.Protobuf}
	if err != nil || !slices.Contains(accepted, mediaType) {
		return "", media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			"the body of the request was in an unknown format - accepted media types include: "+strings.Join(accepted, ", "))
	}
	return mediaType, nil
}

// patchType returns the media type of the body, if the kind can be patched with it.
func (r *Request) patchType() (types.PatchType, error) {
	header := r.HTTP.Header.Get("Content-Type")
	mediaType, _, _ := strings.Cut(header, ";")
	accepted := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	hint := ""
	switch {
	case r.Kind.Custom():
	case r.PatchedType() != nil:
		accepted = append(accepted, string(types.StrategicMergePatchType))
	case mediaType == string(types.StrategicMergePatchType):
		hint = fmt.Sprintf("; a strategic merge patch needs the Go type of %s; give it to the server by WithScheme", r.Kind.Kind)
	}
	accepted = append(accepted, string(types.ApplyYAMLPatchType))
	if slices.Contains(accepted, mediaType) {
		return types.PatchType(mediaType), nil
	}
	return "", media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+strings.Join(accepted, ", ")+hint)
}
