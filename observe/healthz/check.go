package healthz

import (
	"fmt"
	"time"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Option sets a property of a check.
type Option func(*check)

type check struct {
	reader        observe.Reader
	degradedLimit time.Duration
}

func newCheck(source status.Source, set []Option) *check {
	c := &check{reader: observe.Reader{Sources: []status.Source{source}, Runbook: observe.Runbook}}
	for _, option := range set {
		option(c)
	}
	return c
}

// WithSource adds the informers of another source, for a program with several factories.
func WithSource(source status.Source) Option {
	return func(c *check) { c.reader.Sources = append(c.reader.Sources, source) }
}

// WithDegradedLimit makes an informer not ready that has synced, but has not followed the server
// for longer than limit. By default it stays ready; see the package comment. All replicas fail
// together if the API server is away, so a limit of less than some minutes turns its restart into
// an outage of the program. A scope that was added later counts from its first list on. 0 is for no limit.
func WithDegradedLimit(limit time.Duration) Option {
	return func(c *check) { c.degradedLimit = limit }
}

// WithStalenessLimit makes an informer not ready to which the server has sent nothing for longer
// than limit, also if its watch is open; see status.Stats.Staleness. A kube-apiserver sends a
// bookmark each minute, so the limit has to be several minutes. A server that sends no bookmarks,
// such as a fake, is silent while nothing changes. 0 is for no limit.
func WithStalenessLimit(limit time.Duration) Option {
	return func(c *check) { c.reader.StalenessLimit = limit }
}

// report reads all informers.
func (c *check) report() *Report {
	report := &Report{Ready: true, Informers: []Informer{}}
	for _, read := range c.reader.Read().Informers {
		read.Server, read.Undecodable, read.LastUnconfirmed = "", nil, "" // a probe may be open to everyone
		why := c.notReady(&read)
		report.Ready = report.Ready && len(why) == 0
		report.Informers = append(report.Informers, Informer{read, len(why) == 0, why})
	}
	return report
}

// notReady returns why an informer is not ready.
func (c *check) notReady(i *observe.Informer) (why []string) {
	switch {
	case i.Phase == status.Stopped:
		return []string{"it has stopped"}
	case !i.Synced && !i.WasSynced:
		return []string{"the cache does not hold the first list"}
	}
	for h := range i.Handlers {
		if handler := &i.Handlers[h]; !handler.Synced && !handler.WasSynced {
			text := fmt.Sprintf("handler %s has not returned from its initial list, and its backlog is %s", handler.Name, human.Number(handler.Backlog))
			if time.Duration(handler.Running) >= time.Second {
				text += ", and the present call has taken " + handler.Running.String()
			}
			why = append(why, text)
		}
	}
	if lasted := notFollowing(i); c.degradedLimit > 0 && time.Duration(lasted) > c.degradedLimit {
		why = append(why, fmt.Sprintf("it has not followed the server for %s, and the limit is %s", lasted, observe.Seconds(c.degradedLimit)))
	}
	if limit := c.reader.StalenessLimit; limit > 0 && time.Duration(i.Staleness) > limit {
		why = append(why, fmt.Sprintf("the server has sent nothing for %s, and the limit is %s", i.Staleness, observe.Seconds(limit)))
	}
	return why
}

// notFollowing returns for how long an informer that has synced has not followed the server. A
// handler that has panicked leaves the phase Degraded, but the cache follows.
//
// A scope that was added later counts from its first list on: before that, it has no state that could
// be old, and a right that is missing in one new namespace would make all replicas unready. NotFollowing
// of the informer does not help then: it may have begun with such a scope.
func notFollowing(i *observe.Informer) (longest observe.Seconds) {
	switch {
	case i.WasSynced && !i.Synced:
		for s := range i.Scopes {
			if scope := &i.Scopes[s]; scope.Phase != status.Watching && scope.ResourceVersion != "" {
				longest = max(longest, scope.For)
			}
		}
		return longest
	case i.Phase == status.Watching, i.Reason == status.HandlerPanic:
		return 0
	}
	return max(i.For, i.NotFollowing)
}
