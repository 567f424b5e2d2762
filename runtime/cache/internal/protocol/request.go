package protocol

import (
	"errors"
	"net/url"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// maxAddress is the number of bytes of a URL in an error, and maxFailure that of the whole text.
const (
	maxAddress = 200
	maxFailure = 4000
)

// failedRequest is the error of a request. A server, or a proxy, chose most of its text: so that is
// cut and in one line, and the log and a status may have it.
type failedRequest struct {
	text string
	err  error
}

func (f *failedRequest) Error() string { return f.text }
func (f *failedRequest) Unwrap() error { return f.err }

// RequestError returns err with the request that failed, whose verb is "list" or "watch", which a resource may follow. It drops the
// parameters of a URL, which are long, and its user.
func RequestError(verb string, err error) error {
	if failed := (*url.Error)(nil); !isAboutAnObject(err) && errors.As(err, &failed) {
		if !redirect.Is(err) { // which names both hosts
			address, _, _ := strings.Cut(failed.URL, "?")
			scheme, rest, _ := strings.Cut(address, "://")
			host, _, _ := strings.Cut(rest, "/")
			if at := strings.LastIndex(host, "@"); at >= 0 {
				address = scheme + "://" + rest[at+1:]
			}
			verb += " " + printable.Cut(address, maxAddress) // a redirect may have set it
		}
		isUnanswered := utilnet.IsConnectionReset(failed) || utilnet.IsProbableEOF(failed)
		if err = failed.Err; isUnanswered {
			err = noAnswer{err}
		}
	}
	text := printable.Text(printable.Cut(verb+": "+err.Error(), maxFailure))
	return &failedRequest{printable.Cut(text, maxFailure), err}
}
