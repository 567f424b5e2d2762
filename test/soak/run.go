package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/progress"
)

// soak is a run.
type soak struct {
	options
	out       io.Writer
	access    access
	control   http.Client
	followers *followers
	ownWrites atomic.Int64
	isQuiet   atomic.Bool
	truth     []state
	rows      []row
	began     time.Time
	first     counts // at that time

	// busy is held for reading by each step of what goes on, and while nothing may.
	busy sync.RWMutex
}

// writers is how many goroutines make own writes, each with objects of its own.
const writers = 4

// run runs informers, and what disturbs them. It returns what was wrong.
func run(ctx context.Context, o options, out io.Writer) error {
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}
	logs, err := os.Create(filepath.Join(o.Out, "soak.log"))
	if err != nil {
		return err
	}
	defer logs.Close()
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(logs))))
	fmt.Fprintf(out, "%d objects, %d writes a second by others, %v; seed %d\n", o.Objects, o.Rate, o.For, o.Seed)

	ctx, cancel := context.WithCancelCause(ctx)
	s := &soak{options: o, out: out, truth: make([]state, o.Objects*spellings)}
	s.control.Transport = &http.Transport{DisableKeepAlives: true}
	stop, err := s.start(cancel)
	if err != nil {
		return err
	}
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(nil)
	if err = s.ask(ctx, "/counts", &s.first); err == nil {
		s.began = time.Now()
		err = s.begin(ctx, cancel, &running)
	}
	for n := time.Duration(1); err == nil && n*s.Every <= s.For; n++ {
		pause(ctx, max(s.Every/4, time.Until(s.began.Add(n*s.Every))))
		err = s.minute(ctx)
	}
	if len(s.rows) == 0 {
		return err
	}
	text := format(s.rows)
	wrong := drifts(s.rows)
	last := &s.rows[len(s.rows)-1]
	reached := float64(last.server.Writes-s.first.Writes) / last.at.Seconds()
	summary := fmt.Sprintf("others wrote %.0f times a second on average, and %d were asked for", reached, s.Rate)
	if s.Strict && reached < float64(s.Rate)/2 {
		wrong = append(wrong, summary)
	}
	err = errors.Join(err, errorOf(wrong))
	verdict := "passed"
	if err != nil {
		verdict = err.Error()
	}
	text += summary + fmt.Sprintf("\nseed %d: %s\n", s.Seed, verdict)
	fmt.Fprintln(out, summary)
	return errors.Join(err, write(s.Out, text, s.rows))
}

// start starts the server. If it ends by itself, so does the run.
func (s *soak) start(cancel context.CancelCauseFunc) (stop func(), err error) {
	server := exec.Command(os.Args[0], fmt.Sprint("-objects=", s.Objects), fmt.Sprint("-rate=", s.Rate), fmt.Sprint("-calm=", s.Calm), fmt.Sprint("-seed=", s.Seed))
	server.Env, server.Stderr = append(os.Environ(), isServer+"=1"), os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	if err = json.NewDecoder(stdout).Decode(&s.access); err != nil {
		return nil, errors.Join(fmt.Errorf("start the server: %w", err), server.Wait())
	}
	go func() {
		defer close(ended)
		cancel(fmt.Errorf("the server has ended: %v", server.Wait()))
	}()
	return func() {
		stdin.Close()
		<-ended
	}, nil
}

// begin starts all that goes on.
func (s *soak) begin(ctx context.Context, cancel context.CancelCauseFunc, running *sync.WaitGroup) error {
	observer := new(writes.Observer)
	config := &rest.Config{Host: s.access.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: s.access.CA}}
	config.Wrap(observer.Transport)
	random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, stream)) }
	var err error
	if s.followers, err = follow(config, observer, s.Objects, &s.isQuiet, random(2)); err != nil {
		return err
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, f := range s.followers.each {
		running.Go(func() { f.run(ctx) })
	}
	// each calls step again and again, until it fails.
	each := func(wait func() time.Duration, step func() error) {
		running.Go(func() {
			for pause(ctx, wait()) {
				s.busy.RLock()
				err := step()
				s.busy.RUnlock()
				if err != nil && ctx.Err() == nil {
					cancel(err)
				}
			}
		})
	}
	for n := range writers {
		w := &writer{client: client, followers: s.followers, random: random(10 + uint64(n)), total: &s.ownWrites}
		w.number = max(1, s.Objects/100/writers)
		w.of = func(i int) int { return (i*writers + n) * 100 % s.Objects }
		each(func() time.Duration { return time.Duration(w.random.IntN(40)) * time.Millisecond }, func() error { return w.step(ctx) })
	}
	changes, moves, visits := random(3), random(5), random(4)
	each(func() time.Duration { return time.Duration(changes.Int64N(int64(2 * s.Calm))) }, func() error { return s.followers.scopes.change(changes) })
	each(func() time.Duration { return time.Duration(moves.Int64N(int64(2 * s.Calm))) }, func() error { return s.followers.manager.change(moves) })
	visited := 0
	each(func() time.Duration { return time.Duration(visits.Int64N(int64(s.Calm))) }, func() error {
		visited++
		return s.followers.each[visits.IntN(len(s.followers.each))].visit(ctx, fmt.Sprint("visitor ", visited), visits)
	})
	return nil
}

// minute lets everything come to rest, compares all with the truth, and adds a row.
func (s *soak) minute(ctx context.Context) error {
	r := row{at: time.Since(s.began)}
	for _, f := range s.followers.each {
		stats := f.status().Stats
		r.queued = max(r.queued, stats.Queued)
		for _, handler := range stats.Handlers {
			r.backlog = max(r.backlog, handler.Backlog)
		}
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	if err := s.ask(ctx, "/pause", &r.server); err != nil {
		return err
	}
	s.isQuiet.Store(true)
	defer s.isQuiet.Store(false)
	if err := s.ask(ctx, "/truth", s.truth); err != nil {
		return err
	}
	for _, f := range s.followers.each {
		if err := f.await(ctx, s.truth); err != nil {
			return err
		}
		if err := f.compare(s.truth, namespaceOf(len(s.rows)%namespaces)); err != nil {
			return err
		}
		if wrong := f.errors(); len(wrong) > 0 {
			return errorOf(wrong)
		}
	}
	before := row{server: s.first}
	if len(s.rows) > 0 {
		before = s.rows[len(s.rows)-1]
	}
	seconds := (r.at - before.at).Seconds()
	r.rate, r.ownRate = float64(r.server.Writes-before.server.Writes)/seconds, float64(s.ownWrites.Swap(0))/seconds
	r.measure(ctx)
	wrong := s.lists(&r)
	if err := s.ask(ctx, "/resume", &r.server); err != nil { // after lists: the server has counted what these have heard
		return err
	}
	wrong = append(wrong, r.expired()...)
	s.rows = append(s.rows, r)
	lines := strings.Split(format(s.rows), "\n")
	if len(s.rows) == 1 {
		fmt.Fprintln(s.out, lines[0])
	}
	fmt.Fprintln(s.out, lines[len(lines)-2])
	return errorOf(wrong)
}

// lists returns which lists have no cause: all but the first one of each scope, and those after a version that has expired, which it
// counts.
func (s *soak) lists(r *row) (wrong []string) {
	causes := map[cache.Reason]uint64{}
	first := uint64(0)
	for _, f := range s.followers.each {
		status := f.status()
		relists := uint64(0)
		for cause, count := range status.Stats.Relists {
			relists += count
			causes[cause] += count
		}
		scopes := uint64(s.followers.opened(f.name()))
		if status.Stats.Lists > scopes+relists {
			wrong = append(wrong, fmt.Sprintf("%s: %d lists for %d scopes and %d causes", f.name(), status.Stats.Lists, scopes, relists))
		}
		if n := status.Status.LateWrites + status.Status.Unconfirmed; n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d own writes were not confirmed, and no version was lost: %v", f.name(), n, status.Status))
		}
		first += scopes
	}
	text := fmt.Sprintf("first %d", first)
	for _, cause := range slices.Sorted(maps.Keys(causes)) {
		count := causes[cause]
		text += fmt.Sprintf(", %s %d", cause, count)
		if cause != status.Expired {
			wrong = append(wrong, fmt.Sprintf("%d lists have the cause %s, which the server gave none for", count, cause))
		}
	}
	r.lists, r.relists = text, causes[status.Expired]
	return wrong
}

// expired returns an error if there are more lists after a version that has expired than versions that the server has said to be.
func (r *row) expired() (wrong []string) {
	if r.relists > uint64(r.server.Expired) {
		wrong = append(wrong, fmt.Sprintf("%d lists have the cause Expired, and the server has answered so %d times", r.relists, r.server.Expired))
	}
	return wrong
}

// ask sends a request to the server itself.
func (s *soak) ask(ctx context.Context, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.access.Control+path, nil)
	if err != nil {
		return err
	}
	response, err := s.control.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil { // what has failed meanwhile
			return cause
		}
		return err
	}
	defer response.Body.Close()
	if table, ok := answer.([]state); ok {
		return binary.Read(response.Body, binary.LittleEndian, table)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// pause waits. It reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err() == nil
}

// until waits for a condition, as long as any handler hears anything.
func until(ctx context.Context, condition func() (ok bool, wanting string)) error {
	ctx, cancel := progress.Follow(ctx)
	defer cancel()
	for {
		ok, wanting := condition()
		if ok {
			return nil
		}
		if !pause(ctx, 20*time.Millisecond) {
			return fmt.Errorf("%w: %s", context.Cause(ctx), wanting)
		}
	}
}

func errorOf(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return errors.New(strings.Join(wrong, "\n"))
}
