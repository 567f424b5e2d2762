// Package advice says what a person can do about an informer that does not follow its server. It
// knows Kubernetes, but no informer: what failed comes in as data, and texts come out.
//
//	advice.go   the text for each reason
//	missing.go  the right or the resource that is missing, and where
//	kubectl.go  the commands that show whether it is there
//
// The texts have no text of an object. Names that a server or a user chooses are printable, and in
// a command only if a shell reads them as one word.
package advice

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// The reasons that package protocol does not have.
const (
	HandlerPanic  = "HandlerPanic"
	Misconfigured = "Misconfigured"
)

// After is how long an informer does not follow its server, or a handler is in one call, before there is advice on it and a
// line in the log. Many failures pass before that, such as those while an API server restarts.
const After = 10 * time.Second

// Failure is why an informer does not follow the server.
type Failure struct {
	Reason string
	// Verb is the request that failed, "list" or "watch"; empty if it is not known.
	Verb     string
	Resource schema.GroupVersionResource
	// Namespaces are the namespaces in which the request fails, sorted, each once; nil for the whole
	// collection. An empty name stands for all namespaces: an informer may follow both all namespaces and
	// some by name.
	Namespaces []string
	// IsSource is set if the program that sets the scopes of the informer has failed. Resource is then the one that this
	// source follows, or empty.
	IsSource bool
	// Err is the error of one of them.
	Err error
}

// SourceError is the error of the informer whose objects are the scopes of another one.
type SourceError struct {
	// Verb, Resource and Namespaces say which request has failed.
	Verb       string
	Resource   schema.GroupVersionResource
	Namespaces []string
	Err        error
}

func (e *SourceError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SourceError) Unwrap() error { return e.Err }

// IsOutage reports whether the server failed, or the way to it. Then all requests fail until it is repaired, each
// in a way of its own. A certificate that the program does not accept is no outage: it has to be repaired
// elsewhere.
func (f *Failure) IsOutage() bool {
	switch f.Reason {
	case protocol.Unreachable:
		return !isAboutTLS(f.Err)
	case protocol.ServerError, protocol.TooManyRequests, protocol.Expired, protocol.ClosedEarly, protocol.NoBookmark:
		return true
	}
	return false
}

func isAboutTLS(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		noTLS     tls.RecordHeaderError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &noTLS)
}

// Advice is what a person can do.
type Advice struct {
	// Text has one to three sentences.
	Text string
	// Rule is the missing rule of a Role in one line of YAML, and Manifest in several lines, with a
	// comment. Both are empty if no rule is missing.
	Rule, Manifest string
	// Check is a command that shows whether the cause is gone, or empty.
	Check string
}

// Line returns the text and the rule in one line.
func (a Advice) Line() string {
	if a.Rule == "" {
		return a.Text
	}
	return a.Text + " The rule: " + a.Rule
}

// isOwnOfSource reports whether the program that sets the scopes has failed by itself, and not the informer that it reads.
func (f *Failure) isOwnOfSource() bool {
	return f.IsSource && (f.Resource.Resource == "" || f.Reason == Misconfigured)
}

// Brief returns the end of a sentence about a failure, for a line in which the error itself is; it
// is empty if there is nothing to add.
func Brief(f Failure) string {
	switch {
	case f.isOwnOfSource():
		return "" // it may have requested anything
	case f.Reason == protocol.Forbidden && f.Verb == "get":
		return "; it needs the right to get"
	case f.Reason == protocol.Forbidden:
		return "; it needs the rights to list and to watch"
	case f.Reason == protocol.Unauthorized:
		return "; check the credentials"
	case f.Reason == protocol.NotFound:
		return f.notServed().brief
	}
	return ""
}

// Of returns what to do about a failure.
func Of(f Failure) Advice {
	if f.isOwnOfSource() {
		return Advice{
			Text: "The scopes cannot be set, or have a mistake, so the informer keeps those that it has. Correct what the error names. What calls SetScopes may set others at any time.",
		}
	}
	switch f.Reason {
	case protocol.Forbidden:
		return f.forbidden()
	case protocol.NotFound:
		missing := f.notServed()
		return Advice{Text: missing.text, Check: missing.check}
	case protocol.Decode:
		return f.decode()
	case protocol.Unreachable:
		return f.unreachable()
	case protocol.ServerError:
		return f.serverError()
	case protocol.Unauthorized:
		return Advice{
			Text: "The server does not accept the credentials of the program. Renew them: a token may have expired, its service account may have been deleted, or they may be for another cluster.",
		}
	case protocol.TooManyRequests:
		return Advice{
			Text:  "The server asks to slow down, and the informer waits before it retries. If this lasts, find the client that sends too much, or add a FlowSchema that gives the user of this program a priority level with more shares.",
			Check: "kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels",
		}
	case protocol.Expired:
		return Advice{
			Text: "The server no longer has the version from which the watch continues, so the informer lists again. That needs no action, unless it is frequent: then the program or its network is too slow for the changes, or etcd is compacted too often.",
		}
	case protocol.Refused:
		return Advice{
			Text: "The server rejects the request of the program. Check the options that select objects: WithLabelSelector, WithFieldSelector, WithScopes and WithTweakListOptions. A field selector may use only the fields that the resource allows, which are selectableFields in a CRD.",
		}
	case protocol.Redirected:
		return Advice{
			Text: "The server redirects to another host, which would get the credentials of the program. If that host is the API server, set its URL in the kubeconfig or the rest.Config; otherwise correct the proxy or the aggregated API server that redirects.",
		}
	case protocol.ClosedEarly:
		return Advice{
			Text: "Watches end as soon as they are open. Look for a proxy or a load balancer between the program and the server: it has to leave a response open for at least ten minutes, and must not collect it before it passes it on.",
		}
	case protocol.NoBookmark:
		return Advice{
			Text: "The server does not end streaming lists, so the informer lists without a stream. Remove WithStreamingList to spare it the attempt.",
		}
	case HandlerPanic:
		return Advice{
			Text: "Fix the handler that the error names; the stack is in the log. The handler has lost that event and gets later ones. A restart of the program clears the state.",
		}
	case Misconfigured:
		return Advice{
			Text: "Correct the option that the error names, and start the program again. The informer never runs.",
		}
	}
	return Advice{Text: "Read the error."}
}

// serverError names the parts of a server that may have failed.
func (f *Failure) serverError() Advice {
	text := "The server failed or is not ready, and the informer retries. If this lasts, look at the log of the API server."
	if !isBuiltIn(f.Resource.Group) {
		text = "The server failed or is not ready, and the informer retries. If this lasts, look at the conversion webhook of " + f.name() +
			", at its aggregated API server if it has one, and at the log of the API server."
	}
	return Advice{Text: text, Check: "kubectl get --raw '/readyz?verbose'"}
}

// unreachable tells the causes apart that a person repairs at different places.
func (f *Failure) unreachable() Advice {
	var (
		name      *net.DNSError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		noTLS     tls.RecordHeaderError
	)
	text := "The server did not answer, or the connection was cut. Check that the API server runs, that its address in the kubeconfig or the rest.Config is right, and that a network policy or a firewall lets the program connect."
	switch err := f.Err; {
	case errors.As(err, &name):
		text = "The name of the server cannot be resolved. Check the address in the kubeconfig or the rest.Config, and the DNS of the program's node or pod."
	case errors.As(err, &authority):
		text = "The certificate of the server is not signed by a CA that the program trusts. Check certificate-authority in the kubeconfig, or CAFile in the rest.Config: the CA of the cluster may have been replaced."
	case errors.As(err, &host):
		text = "The certificate of the server is for other names than the one that the program connects to. Use one of these names as the address of the server, or add the name to the certificate."
	case errors.As(err, &invalid), errors.As(err, &verify):
		text = "The certificate of the server is not valid. Renew it, and check the clocks of both machines."
	case errors.As(err, &noTLS):
		text = "The server does not speak TLS at this address. Check the scheme and the port of the server in the kubeconfig or the rest.Config."
	case errors.Is(err, protocol.ErrUnanswered), errors.Is(err, protocol.ErrListStalled), errors.Is(err, protocol.ErrSilent):
		text = "The connection is open, but the server does not answer. Check its load, and whether a proxy, a firewall or a NAT between the program and the server drops connections silently."
	}
	return Advice{Text: text, Check: "kubectl get --raw '/readyz?verbose'"}
}

// Pending returns what to do about an informer that was not started.
func Pending() Advice {
	return Advice{Text: "The informer is not started. Call Start of its factory after the informer is created, or Run of an informer without a factory."}
}

// NoScopes returns what to do about an informer whose scopes are not set yet. of is the resource of the
// informer whose objects are the scopes, or empty, and isPending is set if that one is not started.
func NoScopes(of schema.GroupResource, isPending bool) Advice {
	name := printable.Text(printable.Cut(of.String(), 2*maxName))
	switch {
	case name == "":
		return Advice{Text: "The informer has sent no request, because its scopes are not set yet. Look at what calls SetScopes. If there are no scopes, call it without any."}
	case isPending:
		return Advice{Text: fmt.Sprintf("The informer has sent no request, because its scopes are the objects of the informer of %s, which is not started. Start that informer: FollowScopes does not.", name)}
	}
	return Advice{Text: fmt.Sprintf("The informer has sent no request, because its scopes are the objects of the informer of %s, which is not synced. Look at the Status of that informer, or at its lines in the log.", name)}
}

// Stopped returns what to do about an informer that has ended.
func Stopped() Advice {
	return Advice{Text: "The informer has stopped: its context has ended, or Stop was called. It does not run again."}
}

// Listing returns what to do about an informer that has been reading a list for some time without
// an error. isLater is set if it has read a list before, and read is the number of bytes that it has read.
func Listing(lasted time.Duration, isLater bool, read int64) Advice {
	const load = "kubectl get --raw '/readyz?verbose'"
	lasted = lasted.Round(time.Second)
	switch {
	case isLater:
		return Advice{Text: fmt.Sprintf("The informer has been listing again for %v, and serves its last state meanwhile. A large collection takes time; otherwise check the load of the server.", lasted), Check: load}
	case read == 0:
		return Advice{Text: fmt.Sprintf("The server has sent nothing of the first list for %v. Check its load and the network. An informer also waits while ten others of its factory read their first list.", lasted), Check: load}
	}
	return Advice{Text: fmt.Sprintf("The first list has taken %v so far, and %s of it were read. A large collection takes time; otherwise check the load of the server, or select fewer objects.", lasted, human.Size(read)), Check: load}
}

// Handler returns what to do about a handler whose present call has taken that long.
func Handler(name string, running time.Duration, backlog int) Advice {
	return Advice{Text: fmt.Sprintf("Handler %s has not returned from a call for %v, and its backlog is %d. A handler should only add to a queue: look for a lock, a request, or a wait for another informer.",
		printable.Text(printable.Cut(name, maxName)), running.Round(time.Second), backlog)}
}
