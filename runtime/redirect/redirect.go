// Package redirect keeps credentials on the host that they were given for.
//
// A Kubernetes client adds its token and its client certificate to each request on the
// wire, also to those that follow a redirect. net/http removes the Authorization header
// from a redirect to another host, but it cannot remove a header that the transport adds.
// So a server that answers a request with a redirect, such as an aggregated API server,
// could choose the host that gets the token.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
)

// Refuse returns a copy of client that follows no redirect to another host: the scheme,
// the host and the port have to be those of the request. Such a redirect fails with an
// *Error. A redirect from http to https fails too, because the credentials were already sent
// in plain text. The CheckRedirect of client decides about other redirects.
//
// The copy shares the transport of client. If client is nil, it is http.DefaultClient.
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
			return fmt.Errorf("stopped after %d redirects", maxRedirects)
		}
		return nil
	}
	return &refusing
}

// maxRedirects is the number of redirects that an http.Client without a CheckRedirect follows.
const maxRedirects = 10

// Error reports a redirect that was not followed.
type Error struct {
	// From and To are the scheme and the host of the request and of the redirect.
	From, To string
}

// Error names both hosts. The server chose To, so it is quoted, and cut to maxText bytes.
func (e *Error) Error() string {
	return fmt.Sprintf("%q redirects to %q; the redirect was not followed because it would send the credentials to that host;"+
		" if that is the API server, set it as the server's URL in the kubeconfig or rest.Config", e.From, printable.Cut(e.To, maxText))
}

// maxText is the number of bytes of To that are printed.
const maxText = 200

// Is reports whether err is about a redirect that was not followed.
func Is(err error) bool {
	refused := (*Error)(nil)
	return errors.As(err, &refused)
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

func sameOrigin(a, b *url.URL) bool {
	x, y := a.Hostname(), b.Hostname()
	// EqualFold considers the Kelvin sign equal to k, but it has more bytes.
	return a.Scheme == b.Scheme && len(x) == len(y) && strings.EqualFold(x, y) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
