package debugpage

import (
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Option sets a property of a Handler.
type Option func(*Handler)

// WithSource adds informers, for a program that has several factories.
func WithSource(source status.Source) Option {
	return func(h *Handler) { h.reader.Sources = append(h.reader.Sources, source) }
}

// WithTitle sets the title of the page, such as the name of the program. By default it is the name
// of cache.WithInformerName, or Informers if the informers have none or several.
func WithTitle(title string) Option {
	return func(h *Handler) { h.reader.Title = title }
}

// WithObjectTextInErrors shows the text around the undecodable part of an object, and errors that
// may have values of an object: those of transforms, of panics of handlers, and of conversion
// webhooks. Informers of Secrets, and those with cache.WithoutObjectTextInErrors, keep no such text
// of undecodable objects.
func WithObjectTextInErrors() Option {
	return func(h *Handler) { h.reader.ObjectText = true }
}

// WithRunbook sets the URL of the page that has a heading for each status.Reason, in lower case. The
// reason is added as the fragment. By default it is docs/observability.md of this project.
func WithRunbook(url string) Option {
	return func(h *Handler) { h.reader.Runbook = url }
}

// WithStalenessLimit sets the staleness from which on an informer needs attention, although its watch is
// open. By default it is 3 minutes: a kube-apiserver sends a bookmark each minute.
func WithStalenessLimit(limit time.Duration) Option {
	return func(h *Handler) { h.reader.StalenessLimit = limit }
}

// WithAllowedHosts adds hosts, without a port, to those for which the page is served at a loopback address: localhost and
// loopback addresses. A proxy in the same pod that keeps the Host header of its requests needs it. Do not add the name of a
// host that someone else owns: its web pages could read the page in the browser of an operator.
func WithAllowedHosts(hosts ...string) Option {
	return func(h *Handler) {
		for _, host := range hosts {
			h.hosts = append(h.hosts, strings.ToLower(host))
		}
	}
}
