package wire

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// shownBytes is how much of a body an error shows.
const shownBytes = 80

// SyntaxError is a body that is not what a Kubernetes API answers with.
type SyntaxError struct {
	// Near is what stands there.
	Near string
	// Want is what should stand there; empty for a JSON value.
	Want string
}

// Error says what was found instead of what, and where to look for the cause.
func (e *SyntaxError) Error() string {
	near := strings.TrimSpace(e.Near)
	if strings.HasPrefix(near, "<") {
		return fmt.Sprintf("the answer is not JSON but looks like a page of HTML, %#q; is a proxy, or another server, answering for the API server?", near)
	}
	if strings.HasPrefix(near, "k8s\x00") {
		return "the answer is protobuf, not JSON; ask for JSON with the header Accept: application/json"
	}
	want := e.Want
	if want == "" {
		want = "a JSON value"
	}
	return fmt.Sprintf("the answer is not that of a Kubernetes API: %#q stands where %s is expected; is a proxy, or another server, answering for the API server?", near, want)
}

// KindError is a list, or an object of a list or watch, that says of itself that it
// is of another kind or group than Options.Kind.
type KindError struct {
	// Got is what it says, and Want what it should say. A list has a kind that ends in
	// List.
	Got, Want schema.GroupKind
}

// Error names both kinds, each with its group.
func (e *KindError) Error() string {
	return fmt.Sprintf("the answer has the kind %q where %q is expected; is another server answering, or does the request name another resource?",
		shown([]byte(e.Got.String())), e.Want.String())
}

// checkKind returns a *KindError if apiVersion and kind are not those of want. Each of
// them may be empty, and so may want.
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
	if got == want || want.Kind == "" {
		return nil
	}
	return &KindError{Got: got, Want: want}
}

// statusError returns the error of a Status. It has a message even if the Status has
// none.
func statusError(status metav1.Status) error {
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

// TooLargeError is an object, or another part of a body, that is larger than the
// limit.
type TooLargeError struct {
	// Limit is in bytes.
	Limit int
	// Namespace and Name of the object, if they could be read.
	Namespace, Name string
	// Begin is how the part begins.
	Begin string
}

// Error names the object and the limit.
func (e *TooLargeError) Error() string {
	what := "a part of the answer"
	if e.Name != "" {
		what = "object " + types.NamespacedName{Namespace: e.Namespace, Name: e.Name}.String()
		what = strings.Replace(what, " /", " ", 1)
	}
	return fmt.Sprintf("%s has more than %d bytes, the limit (MaxObjectBytes); it begins with %#q", what, e.Limit, e.Begin)
}

// DecodeError is an object that cannot be decoded.
type DecodeError struct {
	// Namespace and Name of the object, as far as they could be read.
	Namespace, Name string
	// UID and ResourceVersion are of the state that cannot be decoded.
	UID, ResourceVersion string
	// Path is where in the object, as a JSON pointer (RFC 6901); empty if that is
	// not known.
	Path string
	// Near is the object's text around that place.
	Near string
	// Err is the reason.
	Err error
}

// Error names the object, the place in it and the reason.
func (e *DecodeError) Error() string {
	var text strings.Builder
	text.WriteString("object ")
	if e.Namespace != "" {
		text.WriteString(e.Namespace + "/")
	}
	if e.Name != "" {
		text.WriteString(e.Name)
	} else {
		text.WriteString("without a name")
	}
	text.WriteString(" cannot be decoded")
	if e.Path != "" {
		text.WriteString(" at " + e.Path)
	}
	fmt.Fprintf(&text, ": %v; the text there is %#q", e.Err, e.Near)
	return text.String()
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

// IsDecodeError reports whether err is about what a body holds, rather than about how
// it came: a DecodeError, SyntaxError, KindError or TooLargeError.
func IsDecodeError(err error) bool {
	var decode *DecodeError
	var syntax *SyntaxError
	var kind *KindError
	var size *TooLargeError
	return errors.As(err, &decode) || errors.As(err, &syntax) || errors.As(err, &kind) || errors.As(err, &size)
}
