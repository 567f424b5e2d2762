// Package media chooses the media type and the form of an answer, and encodes what depends on them:
// errors, the frames of a watch and the envelope of protobuf. It knows neither objects nor kinds.
package media

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The media types of bodies.
const (
	JSON     = "application/json"
	YAML     = "application/yaml"
	Protobuf = "application/vnd.kubernetes.protobuf"
)

// Accepted is how a client wants its answer.
type Accepted struct {
	MediaType string
	Form      Form
	// MetaVersion is the version of meta.k8s.io of a form besides Object.
	MetaVersion string
	// List reports whether the client asks for the metadata of a list.
	List bool
	// Stream reports whether the answer is a watch.
	Stream bool
}

// Form is the shape of an answer.
type Form int

const (
	Object Form = iota
	Metadata
)

// Plain reports whether the answer is an object as JSON.
func (a Accepted) Plain() bool { return a.MediaType == JSON && a.Form == Object }

// ContentType is the header of the answer.
func (a Accepted) ContentType() string {
	if a.Stream && a.MediaType == Protobuf {
		return Protobuf + ";stream=watch"
	}
	return a.MediaType
}

// Clause is a part of an Accept header.
type Clause struct {
	MediaType string
	Params    map[string]string
	quality   float64
}

// Negotiate chooses the form of the answer from the Accept headers. An empty header means JSON.
// protobuf reports whether the objects can be encoded in protobuf.
func Negotiate(headers []string, protobuf, stream bool) (Accepted, error) {
	clauses := ParseAccept(headers)
	if len(clauses) == 0 {
		return Accepted{MediaType: JSON, Stream: stream}, nil
	}
	for _, c := range clauses {
		if a, ok := c.accept(protobuf, stream); ok {
			return a, nil
		}
	}
	a, types := RefusalForm(clauses)
	if stream && slices.ContainsFunc(clauses, func(c Clause) bool { _, ok := c.accept(protobuf, false); return ok }) {
		types = []string{JSON + ";stream=watch", Protobuf + ";stream=watch"}
	}
	return a, NotAcceptable(types...)
}

// ErrorForm returns the form of errors, which can be in any media type, whatever the objects can be
// encoded in. A clause that asks for another form than an object does not count.
func ErrorForm(headers []string) Accepted {
	for _, c := range ParseAccept(headers) {
		switch {
		case c.Params["as"] != "":
		case c.MediaType == YAML, c.MediaType == Protobuf:
			return Accepted{MediaType: c.MediaType}
		case c.MediaType == JSON, c.MediaType == "*/*", c.MediaType == "application/*":
			return Accepted{MediaType: JSON}
		}
	}
	return Accepted{MediaType: JSON}
}

// Known reports whether the Accept headers name a media type that the server has, in any form. No
// header is any type.
func Known(headers []string) bool {
	clauses := ParseAccept(headers)
	return len(clauses) == 0 || slices.ContainsFunc(clauses, func(c Clause) bool {
		return slices.Contains([]string{"*/*", "application/*", JSON, YAML, Protobuf}, c.MediaType)
	})
}

// RefusalForm returns the form of the error for a client that accepts nothing of what the server has,
// and the media types that it has.
func RefusalForm(clauses []Clause) (Accepted, []string) {
	a := Accepted{MediaType: JSON}
	types := []string{JSON, YAML, Protobuf}
	if slices.Contains(types, clauses[0].MediaType) {
		a.MediaType = clauses[0].MediaType // the error can be in it
	}
	return a, types
}

// NotAcceptable is the error for a client that accepts none of some media types.
func NotAcceptable(types ...string) error {
	return Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(types, ", "))
}

// accept returns the form that one clause asks for, if the server has it.
func (c Clause) accept(protobuf, stream bool) (Accepted, bool) {
	a := Accepted{MediaType: c.MediaType, Stream: stream}
	switch c.MediaType {
	case "*/*", "application/*", JSON:
		a.MediaType = JSON
	case Protobuf:
		if !protobuf && c.Params["as"] == "" {
			return a, false
		}
	case YAML:
		if stream {
			return a, false
		}
	default:
		return a, false
	}
	switch as := c.Params["as"]; {
	case as == "":
		return a, true
	case c.Params["g"] != metav1.GroupName || c.Params["v"] != "v1" && c.Params["v"] != "v1beta1":
		return a, false
	case as == "PartialObjectMetadata", as == "PartialObjectMetadataList":
		a.Form, a.MetaVersion, a.List = Metadata, c.Params["v"], as != "PartialObjectMetadata"
		return a, true
	}
	return a, false
}

// ParseAccept splits Accept headers, the best clause first.
func ParseAccept(headers []string) []Clause {
	var clauses []Clause
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			mediaType, params, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			c := Clause{MediaType: mediaType, Params: params, quality: 1}
			if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
				c.quality = q
			}
			clauses = append(clauses, c)
		}
	}
	slices.SortStableFunc(clauses, func(a, b Clause) int {
		switch {
		case a.quality > b.quality:
			return -1
		case a.quality < b.quality:
			return 1
		}
		return 0
	})
	return clauses
}
