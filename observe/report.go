package observe

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Schema is the version of Report. Later versions only add fields, or have another number.
const Schema = "informers/v1"

// Report is the state of informers at one time. Text of the server is cut, and characters that are not printable are
// escaped.
type Report struct {
	// Schema is the constant Schema.
	Schema string    `json:"schema"`
	Title  string    `json:"title"`
	Time   time.Time `json:"time"`
	// Summary counts all informers, also those that a filter of the page leaves out.
	Summary Summary `json:"summary"`
	// Informers has them in the order of the sources; the page has an order of its own.
	Informers []Informer `json:"informers"`
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
	// ID tells the informer from the others of the report, and is the same in later ones.
	ID string `json:"id"`
	// Label names it among them: the resource, with what tells it from others.
	Label    string `json:"label"`
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
	// Status is its status.Status in one line.
	Status string `json:"status"`
	// Problems describe in words the problems of the informer; the worst one first.
	Problems []string `json:"problems,omitempty"`
	Condition
	// ScopesFailed is set if the scopes cannot be set; see status.ScopesError.
	ScopesFailed bool `json:"scopes_failed,omitempty"`

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
	Dropped        uint64  `json:"dropped"`
	Lists          uint64  `json:"lists"`
	Relists        []Count `json:"relists,omitempty"`
	Failures       []Count `json:"failures,omitempty"`
	BytesRead      int64   `json:"read_bytes"`
	LiveReads      uint64  `json:"live_reads,omitempty"`
	DecodeFailures uint64  `json:"decode_failures"`
	// ReferenceDecoder is set if apimachinery's serializers decode the objects. Otherwise DecoderChecks is the number of objects
	// that they have decoded too, and DecoderDifferences the number of those that differ.
	ReferenceDecoder   bool   `json:"reference_decoder,omitempty"`
	DecoderChecks      uint64 `json:"decoder_checks,omitempty"`
	DecoderDifferences uint64 `json:"decoder_differences,omitempty"`

	Undecodable []Undecodable `json:"undecodable,omitempty"`
	// UndecodableCount is the number of all undecodable objects. Undecodable has the first 100.
	UndecodableCount int `json:"undecodable_count"`

	Processing Latency   `json:"processing_latency"`
	ToCache    Latency   `json:"cache_latency"`
	Handlers   []Handler `json:"handlers,omitempty"`
	Indexes    []Index   `json:"indexes,omitempty"`
	Scopes     []Scope   `json:"scopes,omitempty"`
}

// Condition is the phase of an informer, or of one of its scopes.
type Condition struct {
	Phase status.Phase `json:"phase"`
	// For is the time since the phase began.
	For    Seconds       `json:"phase_seconds"`
	Reason status.Reason `json:"reason,omitempty"`
	Verb   string        `json:"verb,omitempty"`
	Error  string        `json:"error,omitempty"`
	// NextAttempt is the time until the failed request is retried; 0 while it is under way.
	NextAttempt     Seconds `json:"next_attempt_seconds,omitempty"`
	ResourceVersion string  `json:"resource_version,omitempty"`
}

// Packed has the sizes of packed objects, and how many of them were decoded again.
type Packed struct {
	Bytes     int64 `json:"bytes"`
	TextBytes int64 `json:"text_bytes"`
	// Values is the number of objects without a text, which Bytes has too.
	Values int64  `json:"values,omitempty"`
	Reads  uint64 `json:"reads"`
}

// Advice says what to do about an informer.
type Advice struct {
	// Reason is empty without an error.
	Reason status.Reason `json:"reason,omitempty"`
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
	Verb   string        `json:"verb,omitempty"`
	Reason status.Reason `json:"reason"`
	Count  uint64        `json:"count"`
}

// Undecodable is an object that cannot be decoded. Path is a JSON pointer, in which * is the key of
// a map. Near is only set with Reader.ObjectText.
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

// Handler is the state of an event handler.
type Handler struct {
	Name    string `json:"name"`
	Unnamed bool   `json:"unnamed,omitempty"`
	// Synced and WasSynced have the values of status.HandlerStats.
	Synced    bool `json:"synced"`
	WasSynced bool `json:"was_synced"`
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

// String returns the duration as people read it, such as 3m20s.
func (s Seconds) String() string { return human.Duration(time.Duration(s)) }

// Where names the namespaces of the informer in a few words. It is empty for all of them.
func (i *Informer) Where() string {
	if i.Namespaces == nil || len(i.Namespaces) > 0 && i.Namespaces[0] == "" { // they are sorted
		return ""
	}
	return human.Namespaces(i.Namespaces)
}

// IsAttempting reports whether the failed request is retried at the moment. A server that does not
// answer leaves it like that for long.
func (c *Condition) IsAttempting() bool {
	return c.Phase == status.Degraded && c.Verb != "" && c.NextAttempt == 0
}

// NeedsAction reports whether something is wrong with the informer, or it has to be started.
func (i *Informer) NeedsAction() bool {
	return len(i.Problems) > 0 || i.State == Starting && len(i.Advice) > 0
}

// Label names the scope in a table.
func (s *Scope) Label() string {
	switch {
	case s.Scope != "":
		return s.Scope
	case s.Namespace == "":
		return "all namespaces"
	}
	return s.Namespace
}

// String returns the sizes, their ratio and the reads in words. There is no ratio if some objects have no text.
func (p *Packed) String() string {
	ratio := ""
	if p.Values > 0 {
		ratio = fmt.Sprintf(" and %s without text", human.Plural(uint64(p.Values), "object"))
	} else if p.TextBytes > 0 {
		ratio = fmt.Sprintf(" (%d %%)", 100*p.Bytes/p.TextBytes)
	}
	return fmt.Sprintf("%s of %s of text%s, %s decoded again", human.Size(p.Bytes), human.Size(p.TextBytes), ratio, human.Plural(p.Reads, "object"))
}

// rank orders scopes: those that do not follow the server are first.
func (s *Scope) rank() int {
	return slices.Index([]status.Phase{status.Degraded, status.Listing, status.Pending, status.Stopped, status.Watching}, s.Phase)
}

// Backlog is the number of events that wait for any handler.
func (i *Informer) Backlog() (n int) {
	for h := range i.Handlers {
		n += i.Handlers[h].Backlog
	}
	return n
}

// GroupResource is the resource with its group, such as deployments.apps.
func (i *Informer) GroupResource() string {
	if i.Group == "" {
		return i.Resource
	}
	return i.Resource + "." + i.Group
}

// Object is the namespace and the name of the object.
func (u *Undecodable) Object() string {
	if u.Namespace == "" {
		return u.Name
	}
	return u.Namespace + "/" + u.Name
}

// String describes the distribution.
func (l Latency) String() string {
	if l.Count == 0 {
		return "–"
	}
	return fmt.Sprintf("half %s, 99 %% %s, mean %s", l.bound(0.5, l.P50), l.Percentile99(), l.Sum/Seconds(l.Count))
}

// Percentile99 returns the bound of 99 of 100 durations, or – if there are none.
func (l Latency) Percentile99() string {
	if l.Count == 0 {
		return "–"
	}
	return l.bound(0.99, l.P99)
}

// bound returns the bound of the share q of all durations.
func (l Latency) bound(q float64, bound Seconds) string {
	if float64(l.Count-l.Longer) < q*float64(l.Count) {
		return "> " + bound.String()
	}
	return "≤ " + bound.String()
}
