package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/shard/internal/member"
)

// Coordinator is a member of a group of processes that divide the objects of collections among them.
type Coordinator struct {
	options Options
	slots   slots
	leases  leases
	begin   time.Time // that the clocks count from
	running atomic.Bool
	// wake makes Run look for the next request, and changed makes the follower look at the slots. Both have room for one.
	wake, changed chan struct{}
	// holds are the holds of the member by slot, for handlers; see member.Holds.
	holds []atomic.Uint64
	// stopped has the error of Run if an informer has ended. It has room for one.
	stopped chan error
	follower

	mu     sync.Mutex // guards the fields below
	member *member.Member
	works  map[*work]struct{}
	// drains are the ends of the times that draining slots have, by slot.
	drains  map[int]drain
	changes uint64              // of the member, that the rest of the Coordinator knows
	errs    [member.Leave]error // of the last request of each kind
}

// drain is the time that a slot has until the contexts of its work are canceled.
type drain struct {
	hold uint64
	end  time.Duration
}

// New returns a Coordinator, which does nothing until Run. Give it a client of its own: its requests
// must neither wait for those of workers in a rate limiter, nor go through its Transport.
func New(client coordinationv1client.LeasesGetter, options Options) (*Coordinator, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	c := &Coordinator{
		options: options,
		slots:   slots{options.Key, options.Slots},
		begin:   time.Now(),
		wake:    make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
		holds:   make([]atomic.Uint64, options.Slots),
		stopped: make(chan error, 1),
		works:   map[*work]struct{}{},
		drains:  map[int]drain{},
		member: member.New(member.Config{
			Identity: options.Identity, Slots: options.Slots,
			LeaseDuration: options.LeaseDuration, ClockMargin: options.ClockMargin, RenewPeriod: options.RenewPeriod,
			NewSession: func() string { return strconv.FormatUint(rand.Uint64(), 36) },
			Jitter:     func(d time.Duration) time.Duration { return rand.N(d + 1) },
		}),
	}
	c.opening, c.cached = map[gate]bool{}, make([]uint64, options.Slots)
	c.leases = leases{
		client: client.Leases(options.Namespace), slots: c.slots,
		namespace: options.Namespace, group: options.Name, identity: options.Identity,
		timeout: (options.LeaseDuration - options.ClockMargin) / 4,
	}
	return c, nil
}

// now returns the time of the clocks. A suspended machine stops its steady clock, but its wall clock
// has gone on when it is running again.
func (c *Coordinator) now() member.Time {
	now := time.Now()
	return member.Time{Steady: now.Sub(c.begin), Wall: now.Round(0).Sub(c.begin.Round(0))}
}

// errRunsOnce is returned by a second Run.
var errRunsOnce = errors.New("shard: a Coordinator runs once; make another one")

// Run takes part in the group until ctx ends. Then it begins no more work, waits for the work in
// progress, gives its slots to the others, and returns nil. It retries requests that fail; Status
// has the reason. If an informer of Follow ends first, Run ends too, as if ctx had ended. The error says
// why this process cannot be a member, or which work has not ended.
func (c *Coordinator) Run(ctx context.Context) (err error) {
	if c.running.Swap(true) {
		return errRunsOnce
	}
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "group", klog.KRef(c.options.Namespace, c.options.Name), "identity", c.options.Identity)
	inner, stop := context.WithCancel(klog.NewContext(context.WithoutCancel(ctx), logger))
	var running sync.WaitGroup
	defer func() {
		c.stop()
		stop()
		running.Wait()
		err = errors.Join(err, c.awaitOpenings())
	}()
	running.Go(func() { c.follow(inner) })
	for _, informer := range c.followed() {
		running.Go(func() { c.watchInformer(inner, informer.Informer) })
	}

	r := run{Coordinator: c, leave: ctx.Done(), answers: make(chan answer, 1), timer: time.NewTimer(0)}
	defer r.timer.Stop()
	for {
		request, over, err := r.next(inner)
		switch {
		case over && err == nil && ctx.Err() == nil:
			return r.cause
		case over:
			return err
		case request.Kind != member.Wait:
			start := c.now()
			r.waiting = true
			running.Go(func() {
				response, err := c.leases.do(inner, request)
				r.answers <- answer{start, request, response, err}
			})
		}
	}
}

// run is the state of the loop of Run.
type run struct {
	*Coordinator
	leave   <-chan struct{} // nil after the member has begun to leave
	answers chan answer
	waiting bool // for an answer
	timer   *time.Timer
	end     time.Duration // when Run gives up to leave; 0 before
	counts  member.Counts // that were logged
	cause   error         // why it leaves, if not because of leave
}

type answer struct {
	start    member.Time
	request  member.Request
	response member.Response
	err      error
}

// next returns the next request, or a Wait after something has happened.
func (r *run) next(ctx context.Context) (request member.Request, over bool, err error) {
	r.mu.Lock()
	now := r.now()
	r.member.Advance(now)
	request = member.Request{Kind: member.Wait, Until: now.Steady + r.options.RenewPeriod}
	if !r.waiting {
		if request = r.member.Next(now); request.Kind == member.Wait && r.member.Idle() {
			r.errs[member.PutTable] = nil // the request that failed is no longer necessary
		}
	} else if deadline, ok := r.member.Deadline(); ok {
		request.Until = deadline
	}
	r.publish(now)
	for _, d := range r.drains {
		request.Until = min(request.Until, d.end)
	}
	working := len(r.works)
	r.log(ctx, now)
	r.mu.Unlock()

	switch {
	case request.Kind == member.Leave, r.end != 0 && now.Steady >= r.end:
		return request, true, r.leftBehind(working)
	case request.Kind != member.Wait:
		return request, false, nil
	}
	if r.end != 0 {
		request.Until = min(request.Until, r.end)
	}
	r.timer.Reset(request.Until - now.Steady)
	select {
	case a := <-r.answers:
		r.waiting = false
		err := r.answered(ctx, a)
		return request, err != nil, err
	case <-r.leave:
		r.leave = nil
		r.beginToLeave()
	case cause := <-r.stopped:
		select {
		case <-r.leave: // the informers have the same context
		default:
			if r.end == 0 {
				r.cause = cause
				klog.FromContext(ctx).Error(cause, "Leaving the group")
			}
		}
		r.leave = nil
		r.beginToLeave()
	case <-r.wake:
	case <-r.timer.C:
	}
	return request, false, nil
}

// beginToLeave lets the member give up its slots.
func (r *run) beginToLeave() {
	if r.end != 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.end = now.Steady + 2*r.options.DrainTimeout + r.options.LeaseDuration
	r.member.Leave(now)
}

// leftBehind returns the error of a member that leaves while work is in progress.
func (r *run) leftBehind(working int) error {
	if working == 0 {
		return nil
	}
	return fmt.Errorf("shard: %s left while %d pieces of work had not ended, although their contexts were canceled; its slots go to others after %v",
		r.options.Identity, working, r.options.LeaseDuration+r.options.ClockMargin)
}

// answered processes an answer. After an error no later request can succeed.
func (r *run) answered(ctx context.Context, a answer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.member.Answer(a.start, now, a.request, a.response)
	r.publish(now)
	if n := r.member.Ignored(); n > 0 && a.err == nil && a.request.Kind == member.List {
		a.err = errCrowded{fmt.Errorf("the group %s/%s has %d members, more than %d; only those that have slots get slots; "+
			"delete the Leases with the label %s=%s that are of no process, and let only the group's processes create Leases in the namespace",
			r.options.Namespace, r.options.Name, r.member.Size(), member.MaxMembers, groupLabel, r.options.Name)}
	}
	before := r.errs[a.request.Kind]
	r.errs[a.request.Kind] = a.err
	switch {
	case a.err == nil:
	case needsPerson(a.err) && (before == nil || !needsPerson(before)):
		klog.FromContext(ctx).Error(a.err, "Cannot take part in the group until someone fixes this")
	default:
		klog.FromContext(ctx).V(2).Info("A request failed", "reason", a.err)
	}
	if errors.As(a.err, new(errMismatch)) {
		return fmt.Errorf("shard: %w", a.err)
	}
	return nil
}

// stop ends all work, if Run has not waited for it.
func (c *Coordinator) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.member.Stop()
	c.publish(c.now())
}

// log logs how many slots the member owns, each time that this changes.
func (r *run) log(ctx context.Context, now member.Time) {
	counts := r.member.Counts(now)
	counts.Working = 0
	if counts != r.counts {
		r.counts = counts
		klog.FromContext(ctx).Info("The shard has changed", "owned", counts.Active, "syncing", counts.Syncing, "draining", counts.Draining)
	}
}

// publish applies changes of the slots: it cancels contexts, and wakes the follower. The caller holds mu.
func (c *Coordinator) publish(now member.Time) {
	for slot, d := range c.drains {
		if now.Steady >= d.end {
			c.cancel(slot, d.hold)
			delete(c.drains, slot)
		}
	}
	changes := c.member.Changes()
	if changes == c.changes {
		return
	}
	c.changes = changes
	for slot, hold := range c.member.Holds() {
		c.holds[slot].Store(hold)
	}
	for w := range c.works {
		if !c.member.Valid(now, w.slot, w.hold) {
			w.cancel(&LostError{c.options.Identity})
		}
	}
	for slot, hold := range c.member.Draining() {
		switch d, ok := c.drains[slot]; {
		case hold == 0:
			delete(c.drains, slot)
		case !ok || d.hold != hold:
			c.drains[slot] = drain{hold, now.Steady + c.options.DrainTimeout}
		}
	}
	signal(c.changed)
}

// cancel cancels the contexts of the work on a slot. The caller holds mu.
func (c *Coordinator) cancel(slot int, hold uint64) {
	for w := range c.works {
		if w.slot == slot && w.hold == hold {
			w.cancel(fmt.Errorf("shard: another member waits for the object for %v (Options.DrainTimeout)", c.options.DrainTimeout))
		}
	}
}

// signal fills a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Status is the state of a member as the member itself knows it.
type Status struct {
	// Identity is Options.Identity.
	Identity string
	// Slots is the number of all slots.
	Slots int
	// Owned is the number of slots whose objects Begin accepts.
	Owned int
	// Syncing is the number of slots that belong to this member, but whose objects are not all cached yet.
	Syncing int
	// Draining is the number of slots that go to another member when the work in progress has ended.
	Draining int
	// Working is the number of pieces of work in progress.
	Working int
	// Members has the number of slots that belong to each member, by identity.
	Members map[string]int
	// Renewed is when the last successful renewal of the Lease began. It is zero before the first one. The
	// member loses all slots if time.Since(Renewed) reaches LeaseDuration-ClockMargin. Changes of the
	// wall clock make no difference to that.
	Renewed time.Time
	// Gained and Lost count the slots that this member began and ceased to own, for any cause: handovers,
	// lapses, and the end of Run.
	Gained, Lost uint64
	// Lapses counts how often the member lost all slots at once, because it could not renew its Lease in
	// time, was paused, or someone changed or deleted its Lease or the table. It is 0 in a group without trouble.
	Lapses uint64
	// Err is why the member cannot renew its Lease, move slots, or fill its caches; nil if it can. If a right is
	// missing, the error has the rule.
	Err error
}

// Status returns the state of the member.
func (c *Coordinator) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	counts := c.member.Counts(now)
	moves := c.member.Moves()
	c.publish(now)
	status := Status{
		Identity: c.options.Identity, Slots: c.options.Slots,
		Owned: counts.Active, Syncing: counts.Syncing, Draining: counts.Draining, Working: len(c.works),
		Members: c.member.Owners(),
		Gained:  moves.Gained, Lost: moves.Lost, Lapses: moves.Lapses,
		Err: cmp.Or(c.errs[member.List], c.errs[member.PutLease], c.errs[member.PutTable], c.follower.reason()),
	}
	if renewed, ok := c.member.Renewed(); ok {
		status.Renewed = c.begin.Add(renewed)
	}
	return status
}
