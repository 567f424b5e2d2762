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
	return Accepted{}, NotAcceptable()
}

// CheckStream returns an error if a watch cannot have the media type. A client that prefers YAML gets it, even if it accepts JSON too.
func (a Accepted) CheckStream() error {
	if a.MediaType == YAML {
		return notAcceptable(StreamTypes)
	}
	return nil
}

// ErrorForm returns the form of errors, which can be in any media type, also in one that objects cannot be
// encoded in. A clause that asks for another form than an object does not count.
func ErrorForm(headers []string) Accepted {
	for _, c := range ParseAccept(headers) {
		if mediaType := c.Plain(); mediaType != "" {
			return Accepted{MediaType: mediaType}
		}
	}
	return Accepted{MediaType: JSON}
}

// Routed reports whether the router of built-in groups finds a media type of its own in the Accept headers, whatever its
// parameters are. No header is any type.
func Routed(headers []string, types ...string) bool {
	clauses := ParseAccept(headers)
	return len(clauses) == 0 || slices.ContainsFunc(clauses, func(c Clause) bool {
		return c.MediaType == "*/*" || slices.Contains(types, c.MediaType)
	})
}

// Types are the media types of answers.
var Types = []string{JSON, YAML, Protobuf}

// StreamTypes are the media types of watches.
var StreamTypes = []string{JSON + ";stream=watch", Protobuf + ";stream=watch"}

// NotAcceptable is the error for a client that accepts none of the media types.
func NotAcceptable() error { return notAcceptable(Types) }

func notAcceptable(types []string) error {
	return Error(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(types, ", "))
}

// Plain returns the media type that the clause asks for, or "" if the server does not have it or the clause asks for another form than
// an object.
func (c Clause) Plain() string {
	if c.transforms() {
		return ""
	}
	return c.mediaType()
}

// mediaType returns the media type of an answer to the clause, or "".
func (c Clause) mediaType() string {
	switch stream := c.Params["stream"]; {
	case stream != "" && (stream != "watch" || c.MediaType == YAML):
		return ""
	case c.MediaType == "*/*", c.MediaType == "application/*":
		return JSON
	case slices.Contains(Types, c.MediaType):
		return c.MediaType
	}
	return ""
}

// transforms reports whether the clause asks for another form than an object.
func (c Clause) transforms() bool {
	for _, param := range []string{"as", "g", "v"} {
		if _, ok := c.Params[param]; ok {
			return true
		}
	}
	return false
}

// accept returns the form that one clause asks for, if the server has it.
func (c Clause) accept(protobuf, stream bool) (Accepted, bool) {
	a := Accepted{MediaType: c.mediaType(), Stream: stream}
	switch as := c.Params["as"]; {
	case a.MediaType == "":
		return a, false
	case !c.transforms():
		return a, a.MediaType != Protobuf || protobuf
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
