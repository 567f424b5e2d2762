package healthz

import (
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Option sets a property of a check.
type Option func(*options)

type options struct {
	sources                       []cache.StatusSource
	degradedLimit, stalenessLimit time.Duration
}

func newOptions(source cache.StatusSource, set []Option) *options {
	o := &options{sources: []cache.StatusSource{source}}
	for _, option := range set {
		option(o)
	}
	return o
}

// WithSource adds the informers of another source, for a program with several factories.
func WithSource(source cache.StatusSource) Option {
	return func(o *options) { o.sources = append(o.sources, source) }
}

// WithDegradedLimit makes an informer not ready that has synced, but has not followed the server
// for longer than limit. By default it stays ready; see the package comment. All replicas fail
// together if the API server is away, so a limit of less than some minutes turns its restart into
// an outage of the program. A scope that was added later counts from its first list on. 0 is for no limit.
func WithDegradedLimit(limit time.Duration) Option {
	return func(o *options) { o.degradedLimit = limit }
}

// WithStalenessLimit makes an informer not ready to which the server has sent nothing for longer
// than limit, also if its watch is open; see cache.Stats.Staleness. A kube-apiserver sends a
// bookmark each minute, so the limit has to be several minutes. A server that sends no bookmarks,
// such as a fake, is silent while nothing changes. 0 is for no limit.
func WithStalenessLimit(limit time.Duration) Option {
	return func(o *options) { o.stalenessLimit = limit }
}
