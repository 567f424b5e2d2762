package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// benchmarkManager measures managers of controller-runtime, each in a process of its own, with
// controller-runtime's cache and with ours. Command manager has the rows. They read from a
// kube-apiserver, which is a process too.
func benchmarkManager(ctx context.Context, o options) (rows []Row, err error) {
	kube, err := buildCommand(ctx, o, "kube")
	if err != nil {
		return nil, err
	}
	binary, err := buildCommand(ctx, o, "manager")
	if err != nil {
		return nil, err
	}
	informers, err := buildCommand(ctx, o, "informers")
	if err != nil {
		return nil, err
	}
	server, err := buildServer(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		kind    string
		objects int
	}{{report.Small, o.managerObjects}, {report.Pods, o.managerPods}} {
		if of.objects == 0 {
			continue
		}
		more, err := newComparison(o, binary, o.managerRounds, of.objects).runManagers(ctx, server, kube, of.kind)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", count(of.objects), of.kind, err)
		}
		quiet, err := newComparison(o, binary, o.managerRounds, of.objects).runQuiet(ctx, server, kube, of.kind)
		if err != nil {
			return nil, fmt.Errorf("%s %s, no recent writes: %w", count(of.objects), of.kind, err)
		}
		static, err := newComparison(o, binary, o.managerRounds, of.objects).runStatic(ctx, informers, of.kind)
		if err != nil {
			return nil, fmt.Errorf("%s %s, static server: %w", count(of.objects), of.kind, err)
		}
		more = slices.Concat(more, quiet, static)
		// A later failure loses the rows, but not what is printed.
		if err := printRows(o.progress, more); err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// runManagers measures one kind on one server. The managers that write come last, because the
// others all have to read the same.
func (c *comparison) runManagers(ctx context.Context, binary, kube, kind string) (rows []Row, err error) {
	server, args, err := c.startServer(ctx, binary, kube, kind, neverCompacts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	manager := slices.Clone(args)
	if c.quick {
		manager = append(manager, "--readtime=200ms", "--seconds=3")
	}
	manager = append(manager, "--kube="+kube, "--out="+filepath.Join(c.repo, "build", "bench", "manager-updates.txt"))
	floors, err := c.floorsOf(ctx, kube, args, kind)
	if err != nil {
		return nil, err
	}
	live := *c
	live.rounds, live.reports = 1, map[string][]report.Report{}
	if _, err := live.run(ctx, managers(manager, report.Live)); err != nil {
		return nil, err
	}
	for _, scenarios := range [][]string{{report.Cache, report.WithMetadata, report.AllForms}, {report.Reconcile}} {
		if _, err := c.run(ctx, managers(manager, scenarios...)); err != nil {
			return nil, err
		}
	}
	if rows, err = c.rows(); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row Row) bool { return strings.HasSuffix(row.Name, report.SyncTime) })
	if at < 0 {
		return nil, fmt.Errorf("no row is %q", report.SyncTime)
	}
	floor := newRow(strings.TrimSuffix(rows[at].Name, report.SyncTime)+"first sync, against the floor of its request: time", "s", rows[at].samples.ours, floors)
	floor.Objects = c.objects
	return slices.Insert(rows, at+1, floor), nil
}

// runStatic measures first syncs from the server of command informers, which takes much less
// processor time than an API server.
func (c *comparison) runStatic(ctx context.Context, informers, kind string) (rows []Row, err error) {
	url, stop, err := serve(ctx, informers, []string{"--kind=" + kind, "--objects=" + strconv.Itoa(c.objects)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return c.run(ctx, managers([]string{"--static", "--about=static server, ", "--url=" + url, "--kind=" + kind}, report.Sync))
}

const (
	// An API server forgets old versions every five minutes. Until then it answers all pages of
	// a list from memory, after that only if there were writes. So that the rows do not depend on
	// when they are measured, the server never forgets, or, for rows without recent writes, soon.
	neverCompacts = "--etcd-compaction-interval=0"
	compactsSoon  = "--etcd-compaction-interval=5s"
)

// runQuiet measures first syncs of objects that no one has written to for a while.
func (c *comparison) runQuiet(ctx context.Context, binary, kube, kind string) (rows []Row, err error) {
	server, args, err := c.startServer(ctx, binary, kube, kind, compactsSoon)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	wait := exec.CommandContext(ctx, kube, append([]string{"quiet", "--objects=" + strconv.Itoa(c.objects)}, args...)...)
	if err := runCommand(wait); err != nil {
		return nil, err
	}
	return c.run(ctx, managers(append(args, "--about=no recent writes, "), report.Sync))
}

// startServer starts a kube-apiserver with objects, and returns the arguments of its clients.
func (c *comparison) startServer(ctx context.Context, binary, kube, kind, flag string) (_ *kubeserver.Server, args []string, err error) {
	server, err := kubeserver.Start(ctx, kubeserver.Options{Binary: binary, Args: []string{flag}})
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, server.Stop())
		}
	}()
	access := server.Access()
	args = []string{"--url=" + access.URL, "--token=" + access.Token, "--ca=" + access.CA, "--kind=" + kind}
	load := exec.CommandContext(ctx, kube, append([]string{"load", "--etcd=" + access.Etcd, "--objects=" + strconv.Itoa(c.objects)}, args...)...)
	if kind == report.Small {
		load.Args = append(load.Args, "--crd="+filepath.Join(c.repo, "test", "bench", "kube", "databases.yaml"))
	}
	if err := runCommand(load); err != nil {
		return nil, nil, err
	}
	// A new server has read the objects like any server that starts.
	return server, args, server.Restart(ctx)
}

// floorsOf returns how many seconds the request of our cache takes if the answer is thrown
// away, in each round.
func (c *comparison) floorsOf(ctx context.Context, kube string, args []string, kind string) (seconds []float64, err error) {
	args = append([]string{"floor", "--objects=" + strconv.Itoa(c.objects)}, args...)
	if kind == report.Pods {
		args = append(args, "--watchlist", "--accept="+asProtobuf+";stream=watch")
	} else {
		args = append(args, "--limit=500")
	}
	for range c.rounds + 1 { // a new server takes longer for its first answer
		_, output, err := measure(exec.CommandContext(ctx, kube, args...))
		if err != nil {
			return nil, fmt.Errorf("floor: %w", err)
		}
		var floor report.Floor
		if err := json.Unmarshal(output, &floor); err != nil {
			return nil, err
		}
		seconds = append(seconds, floor.Seconds)
	}
	return seconds[1:], nil
}

// managers are processes of both sides.
func managers(args []string, scenarios ...string) (processes []process) {
	for _, scenario := range scenarios {
		for _, side := range []string{report.Theirs, report.Ours} {
			processes = append(processes, process{"manager, " + scenario, side, append(args[:len(args):len(args)], "--scenario="+scenario)})
		}
	}
	return processes
}
