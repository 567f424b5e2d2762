package observe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe/internal/redact"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Runbook is the page that has a heading for each reason.
const Runbook = "https://github.com/typedinformers/informer-gen/blob/main/docs/observability.md"

// Reader reads the informers of sources. Its methods may be called from several goroutines.
type Reader struct {
	Sources []status.Source
	// Title is the title of the report. Empty is for the name that all informers have, or Informers.
	Title string
	// Runbook is the URL to which the headings of advice are added as fragments. Empty is for no links.
	Runbook string
	// StalenessLimit is the staleness from which on an informer needs attention, although its watch is open. 0 is for none.
	StalenessLimit time.Duration
	// ObjectText shows the text around the undecodable part of an object, and errors that may have values of an object.
	ObjectText bool
}

// The limits of text, in bytes.
const (
	maxName     = 253 // of the names of most kinds; a longer one is cut
	maxType     = 200
	maxVersion  = 64
	maxText     = 2000
	maxManifest = 8000
)

// Read returns the state of all informers. No informer waits for it. An informer that several sources have is there once.
func (r *Reader) Read() *Report {
	now := time.Now()
	report := &Report{Schema: Schema, Time: now.UTC().Truncate(time.Millisecond), Informers: []Informer{}}
	seen := map[uint64]bool{}
	for _, source := range r.Sources {
		if source == nil {
			continue
		}
		for status := range source.Statuses() {
			id := fmt.Sprintf("i%d", status.ID)
			switch {
			case status.ID == 0: // it may not be of an informer
				id = fmt.Sprintf("n%d", len(report.Informers))
			case seen[status.ID]:
				continue
			}
			seen[status.ID] = true
			report.Informers = append(report.Informers, r.informer(id, &status, now))
		}
	}
	name := label(report.Informers)
	report.Title = cmp.Or(clean(r.Title, maxName), name, "Informers")
	report.Summary = summaryOf(report.Informers)
	return report
}

// informer returns the report of an informer, without its label.
func (r *Reader) informer(id string, s *status.Informer, now time.Time) Informer {
	s.Status = redact.Status(s.Status, r.ObjectText)
	stats := &s.Stats
	all := Informer{
		ID: id, Name: clean(s.Name, maxName), Status: clean(s.String(), maxText),
		Group: clean(s.Resource.Group, maxName), Version: clean(s.Resource.Version, maxVersion), Resource: clean(s.Resource.Resource, maxName),
		Kind: clean(s.Kind, maxName), Object: clean(s.Object, maxType), Server: clean(redact.Server(s.Server), maxType), Namespaces: cleanAll(s.Namespaces),
		Condition: conditionOf(&s.Status, now), Synced: stats.Synced, WasSynced: stats.WasSynced,
		Objects: s.Status.Objects, ObjectBytes: stats.ObjectBytes, Staleness: Seconds(stats.Staleness), NotFollowing: Seconds(stats.NotFollowing),
		Queued: stats.Queued, PendingWrites: s.Status.PendingWrites, Unconfirmed: s.Status.Unconfirmed,
		Events: Events{stats.Added, stats.Updated, stats.Deleted, stats.Bookmarks}, Dropped: stats.Dropped,
		Lists: stats.Lists, BytesRead: stats.BytesRead, LiveReads: stats.LiveReads, DecodeFailures: stats.DecodeFailures,
		ReferenceDecoder: s.ReferenceDecoder, DecoderChecks: stats.DecoderChecks, DecoderDifferences: stats.DecoderDifferences,
		UndecodableCount: len(s.Status.Undecodable),
		Processing:       latencyOf(&stats.Processing), ToCache: latencyOf(&stats.ToCache),
	}
	if packed := stats.Packed; packed != (status.PackedStats{}) {
		all.Packed = &Packed{packed.Bytes, packed.TextBytes, packed.Values, packed.Reads}
	}
	if s.Status.Unconfirmed > 0 {
		all.LastUnconfirmed = clean(s.Status.LastUnconfirmed.String(), maxType)
	}
	var failed *status.ScopesError
	all.ScopesFailed = errors.As(s.Status.Err, &failed)
	for _, advice := range s.Advice() {
		all.Advice = append(all.Advice, Advice{
			Reason: cleanReason(advice.Reason), Namespaces: cleanAll(advice.Namespaces), Text: clean(redact.Credentials(advice.Text), maxText),
			Manifest: cleanLines(advice.Manifest), Check: clean(advice.Check, maxText), Runbook: runbookOf(r.Runbook, advice.Runbook()),
		})
	}
	for cause, count := range stats.Relists {
		all.Relists = append(all.Relists, Count{Reason: cleanReason(cause), Count: count})
	}
	slices.SortFunc(all.Relists, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason)) })
	for _, failure := range stats.Failures {
		all.Failures = append(all.Failures, Count{clean(failure.Verb, maxVersion), cleanReason(failure.Reason), failure.Count})
	}
	for _, state := range s.Status.Undecodable[:min(len(s.Status.Undecodable), redact.MaxUndecodable)] {
		all.Undecodable = append(all.Undecodable, undecodableOf(state))
	}
	for i := range stats.Handlers {
		all.Handlers = append(all.Handlers, handlerOf(&stats.Handlers[i]))
	}
	for _, index := range stats.Indexes {
		all.Indexes = append(all.Indexes, Index{clean(index.Name, maxName), index.Values})
	}
	for i := range s.Status.Scopes {
		scope := &s.Status.Scopes[i]
		all.Scopes = append(all.Scopes, Scope{clean(scope.Namespace, maxName), clean(scope.Scope, maxText), conditionOf(&scope.Status, now)})
	}
	slices.SortStableFunc(all.Scopes, func(a, b Scope) int { return cmp.Compare(a.rank(), b.rank()) })
	all.judge(r.StalenessLimit, r.Runbook)
	return all
}

func conditionOf(s *status.Status, now time.Time) Condition {
	c := Condition{
		Phase: status.Phase(clean(string(s.Phase), maxVersion)), Reason: cleanReason(s.Reason), Verb: clean(s.Verb, maxVersion),
		ResourceVersion: clean(s.ResourceVersion, maxVersion),
	}
	if s.Err != nil {
		c.Error = clean(s.Err.Error(), maxText)
	}
	if !s.Since.IsZero() {
		c.For = Seconds(max(0, now.Sub(s.Since)))
	}
	if !s.NextAttempt.IsZero() {
		c.NextAttempt = Seconds(max(0, s.NextAttempt.Sub(now)))
	}
	return c
}

func undecodableOf(state *wire.DecodeError) Undecodable {
	u := Undecodable{
		Namespace: clean(state.Namespace, maxName), Name: clean(state.Name, maxName),
		Path: clean(state.Path, maxType), Near: clean(state.Near, maxType),
	}
	if state.Err != nil {
		u.Reason = clean(state.Err.Error(), maxText)
	}
	return u
}

func handlerOf(h *status.HandlerStats) Handler {
	return Handler{
		Name: clean(h.Name, maxName), Unnamed: h.Unnamed, Synced: h.Synced, WasSynced: h.WasSynced, Backlog: h.Backlog, Processed: h.Processed, Merged: h.Merged,
		Panics: h.Panics, Running: Seconds(h.Running), Slowest: Seconds(h.Slowest), Latency: latencyOf(&h.Latency),
	}
}

func latencyOf(h *status.Histogram) Latency {
	return Latency{Count: h.Count(), Sum: Seconds(h.Sum), P50: Seconds(h.Quantile(0.5)), P99: Seconds(h.Quantile(0.99)), Longer: h.Counts[len(h.Counts)-1]}
}

// clean makes text safe for each form of the page: in one line, without characters that are not
// printable, and cut.
func clean(s string, limit int) string {
	return printable.Cut(printable.Text(printable.Cut(s, limit)), limit)
}

// cleanReason is clean for a reason, which is a constant unless another package makes the status.
func cleanReason(reason status.Reason) status.Reason {
	return status.Reason(clean(string(reason), maxVersion))
}

// cleanAll is clean for names. It returns nil for nil, and only then.
func cleanAll(names []string) []string {
	if names == nil {
		return nil
	}
	cleaned := make([]string, len(names))
	for i, name := range names {
		cleaned[i] = clean(name, maxName)
	}
	return cleaned
}

// cleanLines is clean for a manifest.
func cleanLines(s string) string {
	lines := strings.Split(strings.TrimRight(printable.Cut(s, maxManifest), "\n"), "\n")
	for i := range lines {
		lines[i] = printable.Text(lines[i])
	}
	return printable.Cut(strings.Join(lines, "\n"), maxManifest)
}
