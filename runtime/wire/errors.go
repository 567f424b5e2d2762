package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

const (
	// shownBytes limits the text of a body in an error.
	shownBytes = 80
	// maxPathBytes limits DecodeError.Path, without the ellipsis.
	maxPathBytes = 200
	// maxErrBytes limits the text of DecodeError.Err.
	maxErrBytes = 500
	// maxNameBytes limits a name, a namespace, a UID or a version in an error. With few
	// exceptions, names of a Kubernetes API have at most 253 bytes.
	maxNameBytes = 1024
	// maxMessageBytes limits the message of a Status, and of each of its causes.
	maxMessageBytes = 2000
	// maxCauses limits the causes of a Status.
	maxCauses = 20
)

// SyntaxError reports a body that is not a response of a Kubernetes API.
type SyntaxError struct {
	// Near is the text at the error, at most 80 bytes. With
	// Options.WithoutObjectTextInErrors it is empty, or the beginning of an HTML page or of
	// protobuf.
	Near string
	// Want is the expected value; empty for a JSON value.
	Want string
}

// wantJSON is SyntaxError.Want for protobuf that cannot be decoded.
const wantJSON = "JSON"

// Error names the value that was found and the expected one, and suggests a cause.
func (e *SyntaxError) Error() string {
	near := strings.TrimSpace(e.Near)
	if strings.HasPrefix(near, "<") {
		return fmt.Sprintf("the answer is neither JSON nor protobuf but looks like a page of HTML, %s; is a proxy, or another server, answering for the API server?", printable.Quote(near))
	}
	switch {
	case !strings.HasPrefix(near, protobuf.Magic):
	case e.Want == wantJSON:
		return "the answer is protobuf, not JSON, and the Go type of the objects has no protobuf; ask for JSON with the header Accept: application/json"
	default:
		return "the answer to a watch is one object in protobuf, not frames with events; is a proxy, or another server, answering for the API server?"
	}
	want := e.Want
	if want == "" {
		want = "a JSON value"
	}
	return fmt.Sprintf("the answer is not that of a Kubernetes API: found %s, expected %s; is a proxy, or another server, answering for the API server?",
		printable.Quote(near), printable.Text(want))
}

// withoutText returns e without text that may be part of an object.
func (e *SyntaxError) withoutText() *SyntaxError {
	without := &SyntaxError{Want: e.Want}
	for _, begin := range []string{"<", protobuf.Magic} {
		if strings.HasPrefix(strings.TrimSpace(e.Near), begin) {
			without.Near = begin
		}
	}
	return without
}

// KindError reports a list, or an object of a list or watch, of another kind or group
// than Options.Kind.
type KindError struct {
	// Got is the kind and the group in the text, at most 80 bytes each. Want is the expected
	// one. The kind of a list ends in List.
	Got, Want schema.GroupKind
}

// Error names both kinds, each with its group.
func (e *KindError) Error() string {
	return fmt.Sprintf("the answer has the kind %q, expected %q; is another server answering, or does the request name another resource?",
		e.Got.String(), e.Want.String())
}

// checkKind returns a *KindError if apiVersion and kind are not those of want. Each of
// them may be empty.
func checkKind(apiVersion, kind string, want schema.GroupKind) error {
	got := want
	if kind != "" {
		got.Kind = kind
	}
	if apiVersion != "" {
		group, _, found := strings.Cut(apiVersion, "/")
		if !found {
			group = "" // v1
		}
		got.Group = group
	}
	if got == want {
		return nil
	}
	got.Kind, got.Group = shown(got.Kind), shown(got.Group)
	return &KindError{Got: got, Want: want}
}

// boundStatus limits the text of a Status of a server and escapes characters that are not
// printable. It cuts reasons, types and names that are longer than those of Kubernetes.
func boundStatus(status *metav1.Status) {
	bound := func(text string, limit int) string {
		return printable.Cut(printable.Text(printable.Cut(text, limit)), limit)
	}
	status.TypeMeta, status.ListMeta = metav1.TypeMeta{}, metav1.ListMeta{}
	status.Status, status.Message = bound(status.Status, shownBytes), bound(status.Message, maxMessageBytes)
	status.Reason = metav1.StatusReason(bound(string(status.Reason), shownBytes))
	if details := status.Details; details != nil {
		details.Name, details.UID = bound(details.Name, maxNameBytes), types.UID(bound(string(details.UID), maxNameBytes))
		details.Group, details.Kind = bound(details.Group, maxNameBytes), bound(details.Kind, maxNameBytes)
		details.Causes = slices.Clone(details.Causes[:min(len(details.Causes), maxCauses)])
		for i, cause := range details.Causes {
			details.Causes[i] = metav1.StatusCause{
				Type:    metav1.CauseType(bound(string(cause.Type), shownBytes)),
				Message: bound(cause.Message, maxMessageBytes),
				Field:   bound(cause.Field, maxNameBytes),
			}
		}
	}
}

// statusError returns the error of a Status. It has a message even if the Status has
// none.
func statusError(status metav1.Status) error {
	boundStatus(&status)
	if strings.TrimSpace(status.Message) == "" {
		var known []string
		if status.Reason != "" {
			known = append(known, fmt.Sprintf("reason %q", status.Reason))
		}
		if status.Code != 0 {
			known = append(known, fmt.Sprintf("code %d", status.Code))
		}
		if len(known) == 0 {
			known = append(known, "no reason and no code")
		}
		status.Message = "the server answered with a Status without a message: " + strings.Join(known, ", ")
	}
	return apierrors.FromObject(&status)
}

// TooLargeError reports an object, or another part of a body, that is larger than the
// limit.
type TooLargeError struct {
	// Limit is in bytes.
	Limit int
	// Namespace and Name of the object, if they could be read.
	Namespace, Name string
	// Begin is the beginning of the part, at most 80 bytes; empty with
	// Options.WithoutObjectTextInErrors.
	Begin string
}

// Error names the object and the limit.
func (e *TooLargeError) Error() string {
	what := "a part of the answer"
	if e.Name != "" {
		what = "object " + types.NamespacedName{Namespace: e.Namespace, Name: e.Name}.String()
		what = strings.Replace(what, " /", " ", 1)
	}
	text := fmt.Sprintf("%s has more than %d bytes, the limit (MaxObjectBytes)", printable.Text(what), e.Limit)
	if e.Begin != "" {
		text += "; it begins with " + printable.Quote(e.Begin)
	}
	return text
}

// DecodeError reports an object that cannot be decoded. It has less than 8 KB. Its fields
// have the text of the server. Only Error escapes characters that are not printable.
type DecodeError struct {
	// Namespace and Name of the object, as far as they could be read. A name of more
	// than 1024 bytes counts as not read.
	Namespace, Name string
	// UID and ResourceVersion are of the state that cannot be decoded, under the same
	// limit.
	UID, ResourceVersion string
	// Path is the faulty part of the object, as a JSON pointer (RFC 6901); empty if it is
	// not known. A path of more than 200 bytes is cut and ends with an ellipsis. With
	// Options.WithoutObjectTextInErrors it names fields of Go types and indexes only, and
	// * stands for a key of a map.
	Path string
	// Near is the object's text around Path, at most 120 bytes; empty with
	// Options.WithoutObjectTextInErrors.
	Near string
	// Err is the reason, whose text has at most 500 bytes. It is a *TooLargeError for an
	// object above Options.MaxObjectBytes.
	Err error

	// hiddenPath and hiddenErr are Path and Err without text of the object, if it is in them.
	hiddenPath string
	hiddenErr  error
}

// Error names the object, the path and the reason, in one line.
func (e *DecodeError) Error() string {
	if large, ok := e.Err.(*TooLargeError); ok {
		return large.Error() // which names the object
	}
	var text strings.Builder
	text.WriteString("object ")
	if e.Namespace != "" {
		text.WriteString(printable.Text(e.Namespace) + "/")
	}
	if e.Name != "" {
		text.WriteString(printable.Text(e.Name))
	} else {
		text.WriteString("without a name")
	}
	text.WriteString(" cannot be decoded")
	if e.Path != "" {
		text.WriteString(" at " + printable.Text(e.Path))
	}
	text.WriteString(": " + printable.Text(e.Err.Error()))
	if e.Near != "" {
		text.WriteString("; the text there is " + printable.Quote(e.Near))
	}
	return text.String()
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

// errUnknownText replaces a reason that may have text of an object.
var errUnknownText = errors.New("the reason is not shown, because it may have text of the object")

// WithoutObjectText returns the first error of this package in err as if it had been made with
// Options.WithoutObjectTextInErrors, and without the errors that wrap it. It returns nil if
// err has no error of this package, so the caller has to decide about the text of err. If the reason of a
// DecodeError does not come from a Decoder, a general reason replaces it, and Path is empty.
func WithoutObjectText(err error) error {
	var decode *DecodeError
	var syntax *SyntaxError
	var kind *KindError
	var size *TooLargeError
	switch {
	case errors.As(err, &decode):
		return decode.withoutText()
	case errors.As(err, &size):
		return size.withoutText()
	case errors.As(err, &syntax):
		return syntax.withoutText()
	case errors.As(err, &kind):
		return kind
	}
	return nil
}

// withoutText returns e without text that may be part of an object.
func (e *DecodeError) withoutText() *DecodeError {
	without := &DecodeError{
		Namespace: e.Namespace, Name: e.Name, UID: e.UID, ResourceVersion: e.ResourceVersion,
		Path: e.hiddenPath, Err: e.hiddenErr, hiddenPath: e.hiddenPath, hiddenErr: e.hiddenErr,
	}
	if large, ok := e.Err.(*TooLargeError); ok {
		without.Err = large.withoutText()
	} else if without.Err == nil {
		without.Err = errUnknownText
	}
	return without
}

// withoutText returns e without text that may be part of an object.
func (e *TooLargeError) withoutText() *TooLargeError {
	return &TooLargeError{Limit: e.Limit, Namespace: e.Namespace, Name: e.Name}
}

// IsDecodeError reports whether err is about the content of a body, and not about its
// transport: a DecodeError, SyntaxError, KindError or TooLargeError.
func IsDecodeError(err error) bool {
	var decode *DecodeError
	var syntax *SyntaxError
	var kind *KindError
	var size *TooLargeError
	return errors.As(err, &decode) || errors.As(err, &syntax) || errors.As(err, &kind) || errors.As(err, &size)
}

// describe returns the error for the object in frame. err is about the whole object.
func describe(c codec, frame []byte, err error) *DecodeError { return errorOf(c.ReadHead(frame), err) }

// errorOf returns the error for the object with that head.
func errorOf(h plan.Head, err error) *DecodeError {
	return &DecodeError{
		Namespace:       bounded(h.Namespace),
		Name:            bounded(h.Name),
		UID:             bounded(h.UID),
		ResourceVersion: bounded(h.ResourceVersion),
		Err:             err,
	}
}

// bounded returns a name, or "" if it is too long to be held: a part of it could be the
// name of another object.
func bounded[T ~string | ~[]byte](name T) string {
	if len(name) > maxNameBytes {
		return ""
	}
	return string(name)
}

// short bounds the text of an error, which may repeat all of an object.
func short(err error) error {
	if text := err.Error(); len(text) > maxErrBytes {
		return errors.New(printable.Cut(text, maxErrBytes))
	}
	return err
}

// shown returns the beginning of text, as far as an error shows it.
func shown[T string | []byte](text T) string {
	return strings.ToValidUTF8(string(text[:min(len(text), shownBytes)]), "?")
}
