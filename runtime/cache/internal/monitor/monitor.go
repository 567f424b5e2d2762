// Package monitor has the state and the counters of an informer. The parts of an informer report to a Monitor, and know no
// more of it than an interface of their own. The Monitor reads their state when it is asked for it, so it has no copy that could
// be out of date.
//
//	Reflector ─▶ Scope ─┬─▶ log of outages, hooks, observers
//	Informer ─▶ Monitor ┴─▶ counters      Status, Stats ─▶ callers
package monitor

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pack"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Options are the settings and the functions that a Monitor calls. The functions are called from any goroutine, after New has returned.
type Options struct {
	Resource schema.GroupVersionResource
	// Name names the collection in logs and errors. Namespaces is for status.Informer.
	Name       func() string
	Namespaces func() []string
	// Collection is the name of the collection without its scopes. Recovers is set if handlers that panic continue.
	Collection string
	Recovers   bool
	// HasSynced reports whether the first lists were read.
	HasSynced func() bool
	// Scopes returns those whose objects are wanted, sorted. Left returns those from which others will take over, and Has reports
	// whether one of these still has an object. They are nil for a Reflector alone, or for an informer of one scope.
	Scopes func() []*Scope
	Left   func() []*informer.Scope
	Has    func(id frontier.ID, name listed.Name) bool
	// Awaits returns the reason why an informer waits whose scopes come later.
	Awaits func() *status.NotSynced
	// Packing is nil if the objects are not packed.
	Packing *pack.Packing
	// DecoderCheck is the number of decoded objects of which one is compared; 0 for none.
	DecoderCheck int
	// Warn, if it is not nil, logs warnings about the settings when Run begins.
	Warn func(klog.Logger)
	// DetectsMutations is set if changes of cached objects are to be found.
	DetectsMutations bool
	// AddTo adds facts that others know to a Status. It may be nil.
	AddTo func(*status.Status)
}

// Monitor has the state and the counters of an informer, or of a Reflector alone. Any goroutine may call its methods.
type Monitor struct {
	options Options
	// Traffic counts the responses of the server.
	Traffic stats.Traffic
	// core is nil for a Reflector alone.
	core                *informer.Informer
	processing, toCache stats.Histogram
	size                stats.Estimate
	// detector finds changes of cached objects. It is nil if no one asked for it, and if each reader gets a packed object of its own.
	detector *mutation.Detector
	check    *check // nil for none

	subscribers
	handlers Handlers
	choice   choice
	ctx      atomic.Pointer[context.Context] // of Run; nil before
}

// New returns a Monitor. Follow tells it the informer, if there is one. Hear comes after the first scopes.
func New(options Options) *Monitor {
	m := &Monitor{options: options}
	if options.DetectsMutations && options.Packing == nil {
		m.detector = mutation.New(options.Collection)
	}
	if options.DecoderCheck > 0 {
		m.check = newCheck(options.DecoderCheck, m.Logger)
	}
	m.handlers.Resource, m.handlers.Recovers = options.Collection, options.Recovers
	m.handlers.Logger, m.handlers.Changed = m.Base, m.Changed
	m.outages.Informer = reported{m}
	return m
}

// Follow tells which informer the Monitor is of. It is called once, before Run.
func (m *Monitor) Follow(core *informer.Informer) { m.core = core }

// Hear sets the hooks of the program. It is called before Run.
func (m *Monitor) Hear(hooks hook.Options[status.Status]) {
	m.hooks = nil
	if hooks.OnError != nil || hooks.OnChange != nil {
		hooks.Status, hooks.Same = m.Status, status.SameState
		m.hooks = hook.New(hooks, m.Status())
	}
}

// CloseHooks returns after the last call of a hook.
func (m *Monitor) CloseHooks() { m.hooks.Close() }

// HasHooks reports whether the program has set any.
func (m *Monitor) HasHooks() bool { return m.hooks != nil }

// Observe calls a function after each change of the Status, until the caller calls remove. The function must not block.
func (m *Monitor) Observe(note func()) (remove func()) { return m.observers.Add(note) }

// Changed is called when the Status has changed, without a lock.
func (m *Monitor) Changed() {
	m.changed()
}

// Started implements informer.Observer.
func (m *Monitor) Started(ctx context.Context) {
	m.ctx.Store(&ctx)
	if m.options.DetectsMutations && m.detector == nil {
		m.Logger().Info("The mutation detector finds nothing: each reader gets a packed object of its own")
	}
	if m.options.Warn != nil {
		m.options.Warn(m.Logger())
	}
	m.hooks.SetContext(klog.NewContext(ctx, m.Logger()))
	m.choice.run()
}

// NewScope returns a Scope with a Reflector, which reports to it.
func (m *Monitor) NewScope(settings reflector.Settings, to Receiver, of ScopeOptions) *Scope {
	settings.Observer = &m.Traffic
	return read(settings, to, of, m.options.Resource, &m.subscribers)
}

// Choose records how the choice of the scopes is while the informer runs: Listing before the first ones, Degraded with the error
// of the program that sets them, and Watching otherwise.
func (m *Monitor) Choose(phase string, cause progress.Failure) {
	m.choice.choose(phase, cause, &m.subscribers)
}

// IsChosen reports whether the scopes may change.
func (m *Monitor) IsChosen() bool { return m.choice.tracker.Load() != nil }

// Retire records that the informer never runs, with a cause or none.
func (m *Monitor) Retire(cause progress.Failure) { m.choice.end(cause) }

// Logger returns the logger of Run, with the name of the collection.
func (m *Monitor) Logger() klog.Logger { return m.Base().WithValues("resource", m.options.Name()) }

// Base returns the logger of Run.
func (m *Monitor) Base() klog.Logger {
	if ctx := m.ctx.Load(); ctx != nil {
		return klog.FromContext(*ctx)
	}
	return klog.Background()
}

// Applied implements informer.Observer.
func (m *Monitor) Applied(n int, received, began, now clock.Stamp) {
	m.processing.Add(now.Since(began), 1)
	m.toCache.Add(now.Since(received), n)
}

// Noted implements informer.Observer. It panics if the detector finds that one of the objects was changed.
func (m *Monitor) Noted(notes []processor.Notification) {
	if m.detector != nil {
		for i := range notes {
			m.detector.Check(mutation.Reader, notes[i].Old, notes[i].Obj)
		}
	}
}

// Listen makes the Monitor hear of the handler that options are for. If there is a detector, it checks the objects before and after
// each call.
func (m *Monitor) Listen(options *processor.Options) {
	options.Observer = m.handlers.Observe
	if m.detector == nil {
		return
	}
	name, deliver := options.Name, options.Deliver
	options.Deliver = func(n *processor.Notification) {
		m.detector.Check(mutation.Reader+", or another handler,", n.Old, n.Obj)
		deliver(n)
		m.detector.Check("handler "+name, n.Old, n.Obj)
	}
}

// DecoderCheck returns the Check of the decoders, or nil.
func (m *Monitor) DecoderCheck() *wire.Check {
	if m.check == nil {
		return nil
	}
	return &m.check.Check
}

// CheckAll panics if the detector finds that a cached object was changed.
func (m *Monitor) CheckAll() {
	if m.detector != nil {
		for obj := range m.core.Indexer.All().Each() {
			m.detector.Check(mutation.Reader, obj)
		}
	}
}

// Detector returns the detector of mutations, or nil.
func (m *Monitor) Detector() *mutation.Detector { return m.detector }

// Listed implements informer.Observer.
func (m *Monitor) Listed() { m.outages.NoteHandler() }

// Ended implements informer.Observer. Nothing about an outage is logged after it.
func (m *Monitor) Ended() {
	m.DecoderCheck().Close()
	m.choice.end(progress.Failure{})
	m.outages.Close()
}

// Stopped implements informer.Observer. No hook runs after it.
func (m *Monitor) Stopped() {
	m.CheckAll()
	m.CloseHooks()
}

// reported is a Monitor as its log of outages reads it.
type reported struct{ *Monitor }

// Failures returns the failures of lists and watches. It leaves out a handler that has panicked.
func (m reported) Failures() []advice.Failure {
	all := status.Informer{Resource: m.options.Resource, Namespaces: m.options.Namespaces(), Status: m.Following()}
	return all.Failures()
}

// About returns the message about a list that takes long, or about scopes that are not set.
func (m reported) About(lasted time.Duration) advice.Advice {
	if of := m.Following().Awaits; of != nil {
		return advice.NoScopes(of.Status.Resource.GroupResource(), of.Status.Phase == status.Pending)
	}
	return advice.Listing(lasted, m.options.HasSynced(), m.Traffic.Bytes.Load())
}

// LateHandlers returns the handlers that have not returned from their initial list.
func (m reported) LateHandlers() (late []outage.Handler) {
	if m.core == nil {
		return nil
	}
	for _, l := range m.core.Processor.Listeners() {
		if backlog := m.Late(l); backlog > 0 {
			late = append(late, outage.Handler{ID: l, Name: l.Name(), Backlog: backlog})
		}
	}
	return late
}

// Status returns the state of the informer.
func (m *Monitor) Status() status.Status {
	all := m.Following()
	if m.core != nil {
		all.Objects = m.core.Indexer.Len()
		m.handlers.AddError(&all, m.core)
	}
	if m.options.AddTo != nil {
		m.options.AddTo(&all)
	}
	return all
}

// Following returns the state of the Reflectors as one, without the errors of handlers and writes.
func (m *Monitor) Following() status.Status {
	scopes, chosen := m.options.Scopes(), m.choice.tracker.Load()
	if len(scopes) == 1 && chosen == nil {
		return scopes[0].Status()
	}
	states := make([]status.Scope, len(scopes))
	for i, s := range scopes {
		states[i] = status.Scope{Name: s.Name, Namespace: s.Namespace, Status: s.Status()}
		isShared := s.OtherNamespaces || i > 0 && scopes[i-1].Namespace == s.Namespace || i+1 < len(scopes) && scopes[i+1].Namespace == s.Namespace
		if isShared {
			states[i].Scope = s.Text
		}
	}
	var choice *status.Status
	if chosen != nil {
		state := statusOf(chosen.State())
		choice = &state
	}
	all := status.Join(states, choice)
	for _, scope := range m.options.Left() { // objects that they cannot decode may still be in the cache
		for _, state := range scope.Reflector.State().Undecodable {
			if m.options.Has(scope.ID, listed.Name{Namespace: state.Namespace, Name: state.Name}) {
				all.Undecodable = append(all.Undecodable, state)
			}
		}
	}
	all.SortUndecodable()
	if choice != nil && choice.Phase == status.Listing && len(scopes) == 0 {
		all.Awaits = m.options.Awaits()
	}
	all.Resource = m.options.Resource
	return all
}

// Late returns the backlog of a handler that has not returned from its initial list. It is 0 if the handler waits for that list,
// as for that of a scope that the server refuses.
func (m *Monitor) Late(l *processor.Listener) int {
	if l.Lists().Has(m.core.Mark()) {
		return 0
	}
	return l.Backlog()
}
