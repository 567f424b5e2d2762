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
	"syscall"

	"github.com/typedinformers/informer-gen/test/bench/report"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// Informers that the section kube compares.
const (
	theirDefault = "client-go"
	theirList    = "client-go LIST"
	ourDefault   = "ours"
	ourOther     = "ours, the other way"
)

// informers are these, in the order of measurement.
var kubeInformers = []struct{ name, side, mode string }{
	{ourDefault, report.Ours, report.Streaming},
	{theirDefault, report.Theirs, report.Streaming},
	{ourOther, report.Ours, report.Other},
	{theirList, report.Theirs, report.List},
}

const (
	asProtobuf = "application/vnd.kubernetes.protobuf"
	// updatesPerSecond is how many updates the API server gets.
	updatesPerSecond = 1000
)

// floorRequests are requests of informers, sent by a client that throws the answers away.
// Those of LIST are client-go's, which gets all objects in one answer; pages are ours.
var floorRequests = []struct {
	name     string
	protobuf bool
	args     []string
}{
	{"streaming JSON", false, []string{"--watchlist"}},
	{"LIST JSON", false, []string{"--resource-version=0"}},
	{"pages JSON", false, []string{"--limit=500"}},
	{"streaming protobuf", true, []string{"--watchlist", "--accept=" + asProtobuf + ";stream=watch"}},
	{"LIST protobuf", true, []string{"--resource-version=0", "--accept=" + asProtobuf}},
	{"pages protobuf", true, []string{"--limit=500", "--accept=" + asProtobuf}},
}

// kubeRun measures one kind and number of objects on one server.
type kubeRun struct {
	options
	binary, kind string
	objects      int
	server       *kubeserver.Server
	// written is how many updates were written so far.
	written int
	// rows are the names of rows, in order, and units and values are by these. Values are
	// by informer, or request of a floor.
	rows   []string
	units  map[string]string
	values map[string]map[string][]float64
	// contentType is that of our default informer.
	contentType string
}

// benchmarkKube measures informers of a kube-apiserver, each in a process of its own. The
// server is a process too.
func benchmarkKube(ctx context.Context, o options) (rows []Row, err error) {
	binary, err := buildCommand(ctx, o, "kube")
	if err != nil {
		return nil, err
	}
	server, err := buildServer(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, objects := range o.kubeSizes {
		for _, kind := range []string{report.Pods, report.CustomResources} {
			run := &kubeRun{options: o, binary: binary, kind: kind, objects: objects, units: map[string]string{}, values: map[string]map[string][]float64{}}
			if err := run.measureOn(ctx, server); err != nil {
				return nil, fmt.Errorf("%s %s: %w", count(objects), kind, err)
			}
			// A later failure loses the rows, but not what is printed.
			if err := printRows(o.progress, run.result()); err != nil {
				return nil, err
			}
			rows = append(rows, run.result()...)
		}
	}
	return rows, nil
}

// buildServer returns the file of a kube-apiserver.
func buildServer(ctx context.Context, o options) (string, error) {
	if o.server != "" {
		return o.server, nil
	}
	file := filepath.Join(o.repo, "build", "bin", "kube-server")
	return file, kubeserver.Build(ctx, o.repo, file)
}

// measureOn starts a server with objects, and measures all rounds.
func (k *kubeRun) measureOn(ctx context.Context, server string) (err error) {
	if k.server, err = kubeserver.Start(ctx, kubeserver.Options{Binary: server}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.server.Stop()) }()
	load := k.command(ctx, "load")
	if k.kind == report.CustomResources {
		load.Args = append(load.Args, "--crd="+filepath.Join(k.repo, "examples", "operator", "config", "crd", "data.example.com_databases.yaml"))
	}
	if err := runCommand(load); err != nil {
		return err
	}
	// A new server has no events from before, so that watches of old versions have expired.
	if err := k.server.Restart(ctx); err != nil {
		return err
	}
	// Neither side gets the first answers of a new server.
	if _, err := k.measureFloors(ctx); err != nil {
		return err
	}
	informers := slices.Clone(kubeInformers)
	for round := range k.kubeRounds {
		floors, err := k.measureFloors(ctx)
		if err != nil {
			return err
		}
		for name, cost := range floors {
			k.add(firstSync+": time", name, "s", cost.seconds)
			k.add(firstSync+": CPU time of the server", name, "s", cost.server)
		}
		for _, i := range informers {
			if err := k.measureInformer(ctx, i.name, "--side="+i.side, "--mode="+i.mode); err != nil {
				return fmt.Errorf("%s: %w", i.name, err)
			}
			fmt.Fprintf(k.progress, "%s %s, %s, round %d of %d\n", count(k.objects), k.kind, i.name, round+1, k.kubeRounds)
		}
		slices.Reverse(informers)
	}
	return nil
}

// command is one of command kube.
func (k *kubeRun) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	access := k.server.Access()
	return exec.CommandContext(ctx, k.binary, append([]string{
		name, "--url=" + access.URL, "--token=" + access.Token, "--ca=" + access.CA, "--etcd=" + access.Etcd,
		"--kind=" + k.kind, "--objects=" + strconv.Itoa(k.objects),
	}, args...)...)
}

// floorCost is what a request costs.
type floorCost struct{ seconds, server float64 }

func (k *kubeRun) measureFloors(ctx context.Context) (map[string]floorCost, error) {
	costs := map[string]floorCost{}
	for _, request := range floorRequests {
		if request.protobuf && k.kind == report.CustomResources {
			continue
		}
		var floor report.Floor
		server, err := k.serverTime(func() error {
			_, output, err := measure(k.command(ctx, "floor", request.args...))
			if err != nil {
				return err
			}
			return json.Unmarshal(output, &floor)
		})
		if err == nil && strings.Contains(floor.ContentType, "protobuf") != request.protobuf {
			err = fmt.Errorf("the content type is %q", floor.ContentType)
		}
		if err != nil {
			return nil, fmt.Errorf("floor of %s: %w", request.name, err)
		}
		costs[request.name] = floorCost{floor.Seconds, server}
	}
	return costs, nil
}

// serverTime returns the processor time that the server uses while do runs, in seconds.
func (k *kubeRun) serverTime(do func() error) (float64, error) {
	before, err := k.server.CPUTime()
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := k.server.CPUTime()
	return (after - before).Seconds(), err
}

// add keeps a value of a row, by the informer or the request of a floor.
func (k *kubeRun) add(row, column, unit string, value float64) {
	if k.values[row] == nil {
		k.rows = append(k.rows, row)
		k.units[row], k.values[row] = unit, map[string][]float64{}
	}
	k.values[row][column] = append(k.values[row][column], value)
}

// result returns the rows, and those that compare our default with something else than
// client-go's.
func (k *kubeRun) result() (rows []Row) {
	for _, name := range k.rows {
		columns := k.values[name]
		row := newRow(k.kind+", "+name, k.units[name], columns[ourDefault], columns[theirDefault])
		row.Objects, row.Columns = k.objects, map[string]float64{}
		if row.Ours <= 0 || row.Peer <= 0 { // a negative delay
			row.Ratio = 0
		}
		for column, values := range columns {
			row.Columns[column] = report.Median(values)
		}
		rows = append(rows, row)
	}
	sync := k.values[firstSync+": time"]
	floor := "pages JSON"
	if strings.Contains(k.contentType, "protobuf") {
		floor = "streaming protobuf"
	}
	for _, against := range []struct {
		name   string
		values []float64
	}{{"the floor of its request", sync[floor]}, {"client-go LIST", sync[theirList]}} {
		row := newRow(k.kind+", "+firstSync+", against "+against.name+": time", "s", sync[ourDefault], against.values)
		row.Objects = k.objects
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return k.position(a.Name) - k.position(b.Name) })
	return rows
}

// position orders rows: additional ones come after the row that they add to.
func (k *kubeRun) position(name string) int {
	return slices.IndexFunc(k.rows, func(row string) bool {
		return strings.HasPrefix(name, k.kind+", "+strings.Split(row, ":")[0])
	})
}

// smaller fails if a peak is not larger than that of this process; see peakOf.
func smaller(peak int64) error {
	_, err := peakOf(&syscall.Rusage{Maxrss: peak / 1024})
	return err
}
