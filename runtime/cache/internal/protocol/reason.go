package protocol

import (
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// The reasons of errors. The Reason constants of package status document them.
const (
	Forbidden       = "Forbidden"
	Unauthorized    = "Unauthorized"
	NotFound        = "NotFound"
	Expired         = "Expired"
	TooManyRequests = "TooManyRequests"
	ServerError     = "ServerError"
	Refused         = "Refused"
	Redirected      = "Redirected"
	Decode          = "Decode"
	ClosedEarly     = "ClosedEarly"
	NoBookmark      = "NoBookmark"
	Unreachable     = "Unreachable"
)

var (
	// ErrClosedEarly replaces the io.EOF of a watch that made no progress.
	ErrClosedEarly = errors.New("the server ended the watch as soon as it was open")
	// ErrNoBookmark ends a streaming list that stalls before its bookmark: the server may
	// not support streaming lists.
	ErrNoBookmark = errors.New("the server sent no bookmark to end the initial events of a streaming list")
	// ErrStreamEnded replaces the io.EOF of a streaming list that the server ended before its bookmark.
	ErrStreamEnded = errors.New("the server ended a streaming list before the bookmark that ends its initial events")
	// ErrSilent ends a watch that the server did not end at its timeout.
	ErrSilent = errors.New("the server did not end the watch at its timeout; the connection is probably broken")
	// ErrUnanswered ends a watch that the server does not answer.
	ErrUnanswered = errors.New("the server did not answer the watch in time")
	// ErrTokenRepeated ends a list in pages whose continue token repeats.
	ErrTokenRepeated = errors.New("the server sent a continue token for the second time; the list would never end")
	// ErrPagesRepeated ends a list in pages whose pages repeat with new tokens.
	ErrPagesRepeated = errors.New("the server sent the same pages several times; the list would never end")
	// ErrPagesEmpty ends a list in pages of which too many in a row are empty.
	ErrPagesEmpty = errors.New("the list does not seem to end")
	// ErrNoListVersion ends a streaming list whose bookmark has no version.
	ErrNoListVersion = errors.New("the bookmark that ends the initial events has no resourceVersion, so the watch cannot continue")
	// ErrListStalled ends a list that takes too long.
	ErrListStalled = errors.New("the server did not answer a list in time")
	// ErrOtherShard is wrapped by the error of a list of another shard than that of the request.
	ErrOtherShard = errors.New("the server has applied another shard selector than that of the request")
	// ErrUnexpectedType is wrapped if a client returns objects of another type.
	ErrUnexpectedType = errors.New("unexpected type")
	// ErrObject matches errors about one object, rather than about the answer that it
	// came in.
	ErrObject = errors.New("the object cannot be used")
)

// ReasonOf returns the reason of an error, one for each remedy; empty for nil.
func ReasonOf(err error) string {
	switch {
	case err == nil:
		return ""
	case redirect.Is(err):
		return Redirected
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return Expired
	case apierrors.IsForbidden(err):
		return Forbidden
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return NotFound
	case apierrors.IsTooManyRequests(err):
		return TooManyRequests
	case isAboutAnObject(err), wire.IsDecodeError(err), errors.Is(err, ErrUnexpectedType), errors.Is(err, safemeta.ErrNone), runtime.IsNotRegisteredError(err),
		apierrors.HasStatusCause(err, "ClientWatchDecoding"): // client-go, which gives it the code of a server error
		return Decode
	case apierrors.IsBadRequest(err), apierrors.IsInvalid(err), apierrors.IsNotAcceptable(err):
		return Refused
	case errors.Is(err, ErrClosedEarly):
		return ClosedEarly
	case errors.Is(err, ErrNoBookmark), errors.Is(err, ErrStreamEnded):
		return NoBookmark
	case isEndless(err), errors.Is(err, ErrNoListVersion), errors.Is(err, ErrOtherShard):
		return ServerError
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Unreachable
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return ServerError
	}
	return Unreachable
}

// isEndless reports whether err is about a list in pages that never ends.
func isEndless(err error) bool {
	return errors.Is(err, ErrTokenRepeated) || errors.Is(err, ErrPagesRepeated) || errors.Is(err, ErrPagesEmpty)
}

// isAboutAnObject reports whether err is about one object, rather than about the
// answer that it came in.
func isAboutAnObject(err error) bool {
	var decode *wire.DecodeError
	var size *wire.TooLargeError
	return errors.Is(err, ErrObject) || errors.As(err, &decode) || errors.As(err, &size)
}
