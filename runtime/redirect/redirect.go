// Package redirect keeps credentials on the host that they were given for.
//
// A Kubernetes client adds its token and its client certificate to each request on the
// wire, also to those that follow a redirect. net/http removes the Authorization header
// from a redirect to another host, but it cannot remove a header that the transport adds.
// So whoever answers a request for the API server with a redirect, such as an aggregated
// API server, would be sent the token.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/internal/printable"
)

// Refuse returns a copy of client that follows no redirect to another host: the scheme,
// the host and the port have to be those of the request. Such a redirect is an *Error.
// http to https is another scheme, because the credentials have gone out in plain text
// by then. Other redirects are up to the CheckRedirect of client.
//
// The copy shares the transport of client. A nil client stands for http.DefaultClient.
func Refuse(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	refusing := *client
	refusing.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if from, to := via[0].URL, request.URL; !sameOrigin(from, to) {
			return &Error{From: originOf(from), To: originOf(to)}
		}
		if client.CheckRedirect != nil {
			return client.CheckRedirect(request, via)
		}
		if len(via) >= maxRedirects {
			return errTooMany
		}
		return nil
	}
	return &refusing
}

// maxRedirects is how many redirects an http.Client without a CheckRedirect follows.
const maxRedirects = 10

var errTooMany = fmt.Errorf("stopped after %d redirects", maxRedirects)

// Error reports a redirect that was not followed.
type Error struct {
	// From and To are the scheme and the host of the request and of the redirect.
	From, To string
}

// Error names both hosts. To is a text of the server: it is quoted, and cut to 200 bytes.
func (e *Error) Error() string {
	return fmt.Sprintf("%q redirects to %q, which would be sent the credentials, so the redirect was not followed;"+
		" if that is the API server, make it the server's URL in the kubeconfig or rest.Config", e.From, printable.Cut(e.To, maxText))
}

// maxText is how much of To is printed, in bytes.
const maxText = 200

// Is reports whether err is about a redirect that was not followed.
func Is(err error) bool {
	refused := (*Error)(nil)
	return errors.As(err, &refused)
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

func sameOrigin(a, b *url.URL) bool {
	x, y := a.Hostname(), b.Hostname()
	// EqualFold takes the Kelvin sign for a k, but it has more bytes.
	return a.Scheme == b.Scheme && len(x) == len(y) && strings.EqualFold(x, y) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
