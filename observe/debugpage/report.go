package debugpage

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/observe/internal/redact"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Schema is the version of Report. Later versions only add fields, or have another number.
const Schema = "informers/v1"

// Report is the content of the page, as JSON has it. Text of the server is cut, and characters that
// are not printable are escaped.
type Report struct {
	// Schema is the constant Schema.
	Schema string    `json:"schema"`
	Title  string    `json:"title"`
	Time   time.Time `json:"time"`
	// Summary counts all informers, also those that a filter leaves out.
	Summary   Summary    `json:"summary"`
	Informers []Informer `json:"informers"`

	view view
}

// Summary has the number of informers in each state.
type Summary struct {
	// Text is the summary in words.
	Text      string `json:"text"`
	Informers int    `json:"informers"`
	Failing   int    `json:"failing"`
	Attention int    `json:"attention"`
	Starting  int    `json:"starting"`
	Healthy   int    `json:"healthy"`
	Stopped   int    `json:"stopped"`
	// Objects is the number of cached objects, and ObjectBytes an estimate of their memory.
	Objects     int   `json:"objects"`
	ObjectBytes int64 `json:"object_bytes"`
}

// Informer is the state of one informer.
type Informer struct {
	// ID tells the informer from the others of the program.
	ID       string `json:"id"`
	Name     string `json:"name"`
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
	Kind     string `json:"kind,omitempty"`
	Object   string `json:"object,omitempty"`
	Server   string `json:"server,omitempty"`
	// Namespaces are nil for all namespaces, and empty for none.
	Namespaces []string `json:"namespaces,omitzero"`

	State State `json:"state"`
	// Problems say in words what is wrong with the informer; the worst one first.
	Problems []string `json:"problems,omitempty"`
	Condition
	// ScopeSourceFailed is set if the error is that of the source of the scopes, see
	// cache.ScopeSourceError.
	ScopeSourceFailed bool `json:"scope_source_failed,omitempty"`

	Synced bool `json:"synced"`
	// WasSynced is set if all scopes were listed that were there when the informer was started.
	WasSynced bool     `json:"was_synced"`
	Advice    []Advice `json:"advice,omitempty"`

	Objects     int   `json:"objects"`
	ObjectBytes int64 `json:"object_bytes"`
	// Packed is nil if the objects are not packed.
	Packed *Packed `json:"packed,omitempty"`
	// Staleness is the time since the server last sent anything.
	Staleness Seconds `json:"staleness_seconds"`
	// NotFollowing is the time since the cache last followed the server; 0 while it does.
	NotFollowing  Seconds `json:"not_following_seconds"`
	Queued        int     `json:"queued_items"`
	PendingWrites int     `json:"pending_writes"`
	// Unconfirmed is the number of versions that the watch did not confirm, and LastUnconfirmed names the last one.
	Unconfirmed     int    `json:"unconfirmed,omitempty"`
	LastUnconfirmed string `json:"last_unconfirmed,omitempty"`

	Events Events `json:"events"`
	// Dropped is the number of objects and events that the server has sent although no scope
	// selects them. They were left out before they were decoded.
	Dropped        uint64        `json:"dropped"`
	Lists          uint64        `json:"lists"`
	Relists        []Count       `json:"relists,omitempty"`
	Failures       []Count       `json:"failures,omitempty"`
	BytesRead      int64         `json:"read_bytes"`
	DecodeFailures uint64        `json:"decode_failures"`
	Undecodable    []Undecodable `json:"undecodable,omitempty"`
	// UndecodableCount is the number of all undecodable objects. Undecodable has the first 100.
	UndecodableCount int `json:"undecodable_count"`

	Processing Latency        `json:"processing_latency"`
	ToCache    Latency        `json:"cache_latency"`
	Handlers   []EventHandler `json:"handlers,omitempty"`
	Indexes    []Index        `json:"indexes,omitempty"`
	Scopes     []Scope        `json:"scopes,omitempty"`

	// qualified is set if the informers of the report have several names.
	qualified bool
	// titled is set if the name of all informers is the title of the report.
	titled bool
	spark  spark
}

// Condition is the phase of an informer, or of one of its scopes.
type Condition struct {
	Phase cache.Phase `json:"phase"`
	// For is the time since the phase began.
	For    Seconds      `json:"phase_seconds"`
	Reason cache.Reason `json:"reason,omitempty"`
	Verb   string       `json:"verb,omitempty"`
	Error  string       `json:"error,omitempty"`
	// NextAttempt is the time until the failed request is retried; 0 while it is under way.
	NextAttempt     Seconds `json:"next_attempt_seconds,omitempty"`
	ResourceVersion string  `json:"resource_version,omitempty"`
}

// Advice says what to do about an informer.
type Advice struct {
	// Reason is empty without an error.
	Reason cache.Reason `json:"reason,omitempty"`
	// Namespaces are the namespaces to follow the advice in; empty for all.
	Namespaces []string `json:"namespaces,omitempty"`
	Text       string   `json:"text"`
	// Manifest is a part of a YAML manifest that does it, and Check a shell command that shows
	// whether the cause is gone.
	Manifest string `json:"manifest,omitempty"`
	Check    string `json:"check,omitempty"`
	Runbook  string `json:"runbook,omitempty"`
}

// Events has the numbers of the events of watches.
type Events struct {
	Added    uint64 `json:"added"`
	Updated  uint64 `json:"updated"`
	Deleted  uint64 `json:"deleted"`
	Bookmark uint64 `json:"bookmark"`
}

// Changes returns the number of events without bookmarks.
func (e Events) Changes() uint64 { return e.Added + e.Updated + e.Deleted }

// Count is the number of relists for a reason, or of failures of a verb for a reason.
type Count struct {
	Verb   string       `json:"verb,omitempty"`
	Reason cache.Reason `json:"reason"`
	Count  uint64       `json:"count"`
}

// Undecodable is an object that cannot be decoded. Path is a JSON pointer, in which * is the key of
// a map. Near is only set with WithObjectTextInErrors.
type Undecodable struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Path      string `json:"path,omitempty"`
	Reason    string `json:"reason"`
	Near      string `json:"near,omitempty"`
}

// Latency is the distribution of durations. P50 and P99 are upper bounds of buckets. They are a
// minute at most, even if so many durations are Longer that the percentile is one of these.
type Latency struct {
	Count uint64  `json:"count"`
	Sum   Seconds `json:"sum_seconds"`
	P50   Seconds `json:"p50_seconds"`
	P99   Seconds `json:"p99_seconds"`
	// Longer is the number of durations of more than a minute, the largest bound of a bucket.
	Longer uint64 `json:"longer,omitempty"`
}

// EventHandler is the state of a handler.
type EventHandler struct {
	Name    string `json:"name"`
	Unnamed bool   `json:"unnamed,omitempty"`
	Synced  bool   `json:"synced"`
	// Backlog is the number of events that wait.
	Backlog   int    `json:"backlog"`
	Processed uint64 `json:"processed"`
	Merged    uint64 `json:"merged,omitempty"`
	Panics    uint64 `json:"panics"`
	// Running is the time that the present call has taken; 0 if there is none.
	Running Seconds `json:"running_seconds"`
	Slowest Seconds `json:"slowest_seconds"`
	Latency Latency `json:"latency"`
}

// Index is the size of an index.
type Index struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
}

// Scope is the state of one of several scopes.
type Scope struct {
	// Namespace is empty for all namespaces, and for all that no other scope has.
	Namespace string `json:"namespace"`
	// Scope has the selectors and the shard too, if several scopes have the namespace, or if it has all other namespaces.
	Scope string `json:"scope,omitempty"`
	Condition
}

// Seconds is a duration that is a number of seconds in JSON.
type Seconds time.Duration

// MarshalJSON writes the number of seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads a number of seconds.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	number, err := strconv.ParseFloat(string(text), 64)
	*s = Seconds(number * float64(time.Second))
	return err
}

// The limits of text, in bytes, and of lists.
const (
	maxTitle       = 100
	maxName        = 253 // of the names of most kinds; a longer one is cut
	maxType        = 200
	maxVersion     = 64
	maxText        = 2000
	maxManifest    = 8000
	maxUndecodable = 100
)

// report returns the state of the informers that are in the view.
func (h *Handler) report(v view) *Report {
	now := h.now()
	r := &Report{Schema: Schema, Time: now.UTC().Truncate(time.Millisecond), Informers: []Informer{}, view: v}
	var all []Informer
	ids := identities{}
	for i, source := range h.sources {
		for status := range source.Statuses() {
			all = append(all, h.informer(ids.of(i, &status), &status, now))
		}
	}
	h.history.look(now, all)
	common := commonName(all)
	r.Title = cmp.Or(h.title, clean(common, maxTitle), "Informers")
	for i := range all {
		all[i].qualified = common == ""
		all[i].titled = common != "" && r.Title == clean(common, maxTitle)
		r.Summary.add(&all[i])
	}
	r.Summary.Text = summarize(all)
	for i := range all {
		if v.has(&all[i]) {
			r.Informers = append(r.Informers, all[i])
		}
	}
	slices.SortStableFunc(r.Informers, v.compare)
	return r
}

// Packed has the sizes of packed objects, and how many of them were decoded again.
type Packed struct {
	Bytes     int64  `json:"bytes"`
	TextBytes int64  `json:"text_bytes"`
	Reads     uint64 `json:"reads"`
}

// String returns the sizes, their ratio and the reads in words.
func (p *Packed) String() string {
	ratio := ""
	if p.TextBytes > 0 {
		ratio = fmt.Sprintf(" (%d %%)", 100*p.Bytes/p.TextBytes)
	}
	return fmt.Sprintf("%s of %s of text%s, %s decoded again", size(p.Bytes), size(p.TextBytes), ratio, plural(int(p.Reads), "object"))
}

// informer returns what the page shows of an informer.
func (h *Handler) informer(id string, s *cache.InformerStatus, now time.Time) Informer {
	stats := &s.Stats
	all := Informer{
		ID: id, Name: clean(s.Name, maxName),
		Group: clean(s.Resource.Group, maxName), Version: clean(s.Resource.Version, maxVersion), Resource: clean(s.Resource.Resource, maxName),
		Kind: clean(s.Kind, maxName), Object: clean(s.Object, maxType), Server: clean(redact.Server(s.Server), maxType), Namespaces: cleanAll(s.Namespaces),
		Condition: h.condition(&s.Status, now), Synced: stats.Synced, WasSynced: stats.WasSynced,
		Objects: s.Status.Objects, ObjectBytes: stats.ObjectBytes, Staleness: Seconds(stats.Staleness), NotFollowing: Seconds(stats.NotFollowing),
		Queued: stats.Queued, PendingWrites: s.Status.PendingWrites, Unconfirmed: s.Status.Unconfirmed,
		Events: Events{stats.Added, stats.Updated, stats.Deleted, stats.Bookmarks}, Dropped: stats.Dropped,
		Lists: stats.Lists, BytesRead: stats.BytesRead, DecodeFailures: stats.DecodeFailures,
		UndecodableCount: len(s.Status.Undecodable),
		Processing:       latencyOf(&stats.Processing), ToCache: latencyOf(&stats.ToCache),
	}
	if packed := stats.Packed; packed != (cache.PackedStats{}) {
		all.Packed = &Packed{packed.Bytes, packed.TextBytes, packed.Reads}
	}
	if s.Status.Unconfirmed > 0 {
		all.LastUnconfirmed = clean(s.Status.LastUnconfirmed.String(), maxType)
	}
	var source *cache.ScopeSourceError
	all.ScopeSourceFailed = errors.As(s.Status.Err, &source)
	for _, advice := range s.Advice() {
		all.Advice = append(all.Advice, Advice{
			Reason: cleanReason(advice.Reason), Namespaces: cleanAll(advice.Namespaces), Text: clean(redact.Credentials(advice.Text), maxText),
			Manifest: cleanLines(advice.Manifest, maxManifest), Check: clean(advice.Check, maxText), Runbook: h.runbookOf(advice.Runbook()),
		})
	}
	for cause, count := range stats.Relists {
		all.Relists = append(all.Relists, Count{Reason: cleanReason(cause), Count: count})
	}
	slices.SortFunc(all.Relists, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason)) })
	for _, failure := range stats.Failures {
		all.Failures = append(all.Failures, Count{clean(failure.Verb, maxVersion), cleanReason(failure.Reason), failure.Count})
	}
	for _, state := range s.Status.Undecodable[:min(len(s.Status.Undecodable), maxUndecodable)] {
		all.Undecodable = append(all.Undecodable, h.undecodable(state))
	}
	for i := range stats.Handlers {
		all.Handlers = append(all.Handlers, handlerOf(&stats.Handlers[i]))
	}
	for _, index := range stats.Indexes {
		all.Indexes = append(all.Indexes, Index{clean(index.Name, maxName), index.Values})
	}
	for i := range s.Status.Scopes {
		scope := &s.Status.Scopes[i]
		all.Scopes = append(all.Scopes, Scope{clean(scope.Namespace, maxName), clean(scope.Scope, maxText), h.condition(&scope.Status, now)})
	}
	slices.SortStableFunc(all.Scopes, func(a, b Scope) int { return cmp.Compare(a.rank(), b.rank()) })
	state, problems := h.limits.judge(&all)
	all.State = state
	h.advise(&all, problems)
	return all
}

func (h *Handler) condition(s *cache.Status, now time.Time) Condition {
	c := Condition{
		Phase: cache.Phase(clean(string(s.Phase), maxVersion)), Reason: cleanReason(s.Reason), Verb: clean(s.Verb, maxVersion), Error: h.explain(s.Reason, s.Err),
		ResourceVersion: clean(s.ResourceVersion, maxVersion),
	}
	if !s.Since.IsZero() {
		c.For = Seconds(max(0, now.Sub(s.Since)))
	}
	if !s.NextAttempt.IsZero() {
		c.NextAttempt = Seconds(max(0, s.NextAttempt.Sub(now)))
	}
	return c
}

// runbookOf returns the URL of a heading of the runbook.
func (h *Handler) runbookOf(heading string) string {
	if h.runbook == "" {
		return ""
	}
	return h.runbook + "#" + url.PathEscape(heading)
}

func handlerOf(h *cache.HandlerStats) EventHandler {
	return EventHandler{
		Name: clean(h.Name, maxName), Unnamed: h.Unnamed, Synced: h.Synced, Backlog: h.Backlog, Processed: h.Processed, Merged: h.Merged,
		Panics: h.Panics, Running: Seconds(h.Running), Slowest: Seconds(h.Slowest), Latency: latencyOf(&h.Latency),
	}
}

func latencyOf(h *cache.Histogram) Latency {
	return Latency{Count: h.Count(), Sum: Seconds(h.Sum), P50: Seconds(h.Quantile(0.5)), P99: Seconds(h.Quantile(0.99)), Longer: h.Counts[len(h.Counts)-1]}
}
