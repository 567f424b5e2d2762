package apitest

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// accepted is how a client wants its answer.
type accepted struct {
	mediaType string
	form      form
	// metaVersion is the version of meta.k8s.io of a form besides formObject.
	metaVersion string
	// list reports whether the client asks for the metadata of a list.
	list bool
	// stream reports whether the answer is a watch.
	stream bool
}

// form is the shape of an answer.
type form int

const (
	formObject form = iota
	formMetadata
	formTable
)

// plain reports whether the answer is an object as JSON.
func (a accepted) plain() bool { return a.mediaType == jsonType && a.form == formObject }

// contentType is the header of the answer.
func (a accepted) contentType() string {
	if a.stream && a.mediaType == protobufType {
		return protobufType + ";stream=watch"
	}
	return a.mediaType
}

// clause is a part of an Accept header.
type clause struct {
	mediaType string
	params    map[string]string
	quality   float64
}

// negotiate chooses the form of the answer from the Accept headers. An empty header means JSON.
func negotiate(headers []string, kind *Kind, stream bool) (accepted, error) {
	clauses := parseAccept(headers)
	if len(clauses) == 0 {
		return accepted{mediaType: jsonType, stream: stream}, nil
	}
	for _, c := range clauses {
		if a, ok := c.accept(kind, stream); ok {
			return a, nil
		}
	}
	a, types := refusalForm(clauses)
	if stream && slices.ContainsFunc(clauses, func(c clause) bool { _, ok := c.accept(kind, false); return ok }) {
		types = []string{jsonType + ";stream=watch", protobufType + ";stream=watch"}
	}
	return a, notAcceptable(types...)
}

// refusalForm returns the form of the error for a client that accepts nothing of what the server has,
// and the media types that it has.
func refusalForm(clauses []clause) (accepted, []string) {
	a := accepted{mediaType: jsonType}
	types := []string{jsonType, yamlType, protobufType}
	if slices.Contains(types, clauses[0].mediaType) {
		a.mediaType = clauses[0].mediaType // the error can be in it
	}
	return a, types
}

// notAcceptable is the error for a client that accepts none of some media types.
func notAcceptable(types ...string) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(types, ", "))
}

// accept returns the form that one clause asks for, if the server has it.
func (c clause) accept(kind *Kind, stream bool) (accepted, bool) {
	a := accepted{mediaType: c.mediaType, stream: stream}
	switch c.mediaType {
	case "*/*", "application/*", jsonType:
		a.mediaType = jsonType
	case protobufType:
		if !kind.protobuf() && c.params["as"] == "" {
			return a, false
		}
	case yamlType:
		if stream {
			return a, false
		}
	default:
		return a, false
	}
	switch as := c.params["as"]; {
	case as == "":
		return a, true
	case c.params["g"] != metav1.GroupName || c.params["v"] != "v1" && c.params["v"] != "v1beta1":
		return a, false
	case as == "Table":
		a.form, a.metaVersion = formTable, c.params["v"]
		return a, a.mediaType != protobufType
	case as == "PartialObjectMetadata", as == "PartialObjectMetadataList":
		a.form, a.metaVersion, a.list = formMetadata, c.params["v"], as != "PartialObjectMetadata"
		return a, true
	}
	return a, false
}

// parseAccept splits Accept headers, the best clause first.
func parseAccept(headers []string) []clause {
	var clauses []clause
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			mediaType, params, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			c := clause{mediaType: mediaType, params: params, quality: 1}
			if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
				c.quality = q
			}
			clauses = append(clauses, c)
		}
	}
	slices.SortStableFunc(clauses, func(a, b clause) int {
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
