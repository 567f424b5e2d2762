package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// subject is what one client process is.
type subject struct{ side, mode, scenario, fields string }

func (s subject) String() string {
	return strings.Join([]string{s.scenario, s.mode, s.fields, s.side}, " ")
}

// subjects take turns in this order, and backwards in the next round, so that a noisy moment hits both sides.
var subjects = []subject{
	{report.Ours, report.Streaming, report.Sync, report.AllFields},
	{report.Theirs, report.Streaming, report.Sync, report.AllFields},
	{report.Ours, report.List, report.Sync, report.AllFields},
	{report.Theirs, report.List, report.Sync, report.AllFields},
	{report.Ours, report.Streaming, report.Sync, report.Unmanaged},
	{report.Theirs, report.List, report.Sync, report.Unmanaged},
	{report.Ours, report.Streaming, report.Sync, report.View},
	{report.Theirs, report.List, report.Sync, report.View},
	{report.Ours, report.Streaming, report.Changes, report.AllFields},
	{report.Theirs, report.Streaming, report.Changes, report.AllFields},
	{report.Ours, report.List, report.Changes, report.AllFields},
	{report.Theirs, report.List, report.Changes, report.AllFields},
}

// sample is one client process.
type sample struct {
	usage
	report.Client
}

// informers are the samples of each subject.
type informers struct {
	options
	objects        int
	binary, server string
	samples        map[subject][]sample
}

// benchmarkRuntime measures informers of both sides, each in a process of its own,
// that read from the same server, which is a process too.
func benchmarkRuntime(ctx context.Context, o options) (rows []Row, err error) {
	binary, err := buildCommand(ctx, o, "informers")
	if err != nil {
		return nil, err
	}
	for _, objects := range o.sizes {
		if objects > largest && !o.full {
			continue
		}
		b := informers{options: o, objects: objects, binary: binary, samples: map[subject][]sample{}}
		if err := b.runAll(ctx); err != nil {
			return nil, err
		}
		rows = append(rows, b.rows()...)
	}
	return rows, nil
}

// buildCommand builds a command of the benchmark, and returns where it is.
func buildCommand(ctx context.Context, o options, name string) (string, error) {
	binary := filepath.Join(o.repo, "build", "bench", name)
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./bench/"+name)
	build.Dir = filepath.Join(o.repo, "test")
	return binary, runCommand(build)
}

// rounds is one for a collection of which each round takes long.
func (b *informers) rounds() int {
	if b.objects > largest {
		return 1
	}
	return b.runtimeRounds
}

func (b *informers) runAll(ctx context.Context) (err error) {
	stop, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for round := range b.rounds() {
		inTurn := slices.Clone(subjects)
		if round%2 == 1 { // whoever comes second may find a warmer machine
			slices.Reverse(inTurn)
		}
		for _, s := range inTurn {
			if err := b.run(ctx, s, fmt.Sprintf("%s objects, round %d of %d", count(b.objects), round+1, b.rounds())); err != nil {
				return fmt.Errorf("%v: %w", s, err)
			}
		}
	}
	return nil
}

// serve starts the server, and returns what ends it.
func (b *informers) serve(ctx context.Context) (stop func() error, err error) {
	command := exec.CommandContext(ctx, b.binary, "serve", "--objects="+strconv.Itoa(b.objects))
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	b.server = strings.TrimSpace(line)
	stop = func() error { return errors.Join(input.Close(), command.Wait()) }
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server does not say where it is: %w", err), stop())
	}
	return stop, nil
}

func (b *informers) run(ctx context.Context, s subject, round string) error {
	if err := post(ctx, b.server+"/control/reset"); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, b.binary, "client", "--server="+b.server,
		"--side="+s.side, "--mode="+s.mode, "--scenario="+s.scenario, "--fields="+s.fields,
		"--objects="+strconv.Itoa(b.objects), "--updates="+strconv.Itoa(b.updates()),
		"--timeout="+clientTimeout(b.objects).String())
	used, output, err := measureOutput(command)
	if err != nil {
		return err
	}
	taken := sample{usage: used}
	if err := json.NewDecoder(bytes.NewReader(output)).Decode(&taken.Client); err != nil {
		return err
	}
	if err := b.check(s, &taken); err != nil {
		return err
	}
	b.samples[s] = append(b.samples[s], taken)
	printSample(b.progress, s, &taken, round)
	return nil
}

// updates are how many are sent in one go. The sentinel is one more object.
func (b *informers) updates() int { return b.objects - 1 }

// clientTimeout is far more than a client takes.
func clientTimeout(objects int) time.Duration {
	return 5 * time.Minute * time.Duration(1+objects/100_000)
}

func printSample(w io.Writer, s subject, taken *sample, round string) {
	fmt.Fprintf(w, "%v, %s: sync %.2f s, ", s, round, taken.Sync.Seconds)
	if s.scenario == report.Sync {
		fmt.Fprintf(w, "%.0f MB, %.0f bytes an object\n", float64(taken.peak)/1e6, taken.HeapPerObject)
		return
	}
	fmt.Fprintf(w, "relist unchanged %.3f s, changed %.3f s, updates %.0f/s\n",
		taken.Unchanged.Seconds, taken.Changed.Seconds, float64(taken.Updates.Updates)/taken.Updates.Seconds)
}

// check fails if a client has not done the work that it is measured for, or not
// the same as the others.
func (b *informers) check(s subject, taken *sample) error {
	heard := func(name string, p report.Phase, adds, updates int) error {
		if p.Adds != adds || p.Updates != updates || p.Deletes != 0 {
			return fmt.Errorf("%s: its handler heard of %d adds, %d updates and %d deletes instead of %d, %d and none", name, p.Adds, p.Updates, p.Deletes, adds, updates)
		}
		return nil
	}
	err := heard("sync", taken.Sync, b.objects, 0)
	lists := 1
	if s.scenario == report.Changes {
		unchanged, changed := 0, b.objects/100
		if s.side == report.Theirs {
			// client-go tells of every object that a relist finds, changed or not.
			unchanged, changed = b.objects, b.objects
		}
		err = errors.Join(err,
			heard("relist unchanged", taken.Unchanged, 0, unchanged+1),
			heard("relist changed", taken.Changed, 0, changed+1),
			heard("updates", taken.Updates, 0, b.updates()+1))
		lists = 3
	}
	got := taken.Requests
	if s.mode == report.Streaming && (got.Streams != lists || got.Lists != 0) || s.mode == report.List && (got.Lists != lists || got.Streams != 0) {
		err = errors.Join(err, fmt.Errorf("it has made %+v, not %d lists of its mode", got, lists))
	}
	for other, samples := range b.samples {
		if other.scenario != s.scenario {
			continue
		}
		if samples[0].State != taken.State {
			err = errors.Join(err, fmt.Errorf("it has %s, and %v has %s", taken.State, other, samples[0].State))
		}
		for _, fields := range common(s.fields, other.fields) {
			if samples[0].Contents[fields] != taken.Contents[fields] {
				err = errors.Join(err, fmt.Errorf("its objects are not those of %v, in %s fields", other, fields))
			}
		}
	}
	return err
}

// common are the sets of fields that both keep.
func common(a, b string) []string {
	switch {
	case a == report.View || b == report.View:
		return []string{report.View}
	case a == report.Unmanaged || b == report.Unmanaged:
		return []string{report.Unmanaged, report.View}
	}
	return []string{report.AllFields, report.Unmanaged, report.View}
}

func post(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}
