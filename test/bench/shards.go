package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// shardCount is how many processes share the objects.
const shardCount = 4

// Columns of the section shards. A figure of a shard is the median of all shards.
const (
	oneProcess   = "one process"
	shardGateOff = "each of 4 shards, gate off"
	shardGateOn  = "each of 4 shards, gate on"
)

// shardsRun measures informers of one kind, on a server for each setting of the gate.
type shardsRun struct {
	options
	binary, kind string
	names        []string
	units        map[string]string
	// values are by row and column.
	values map[string]map[string][]float64
}

// benchmarkShards measures informers of a shard of a kube-apiserver, each in a process of its own, and
// an informer of all objects. The server knows shards (ShardedListAndWatch) or ignores them.
func benchmarkShards(ctx context.Context, o options) (rows []Row, err error) {
	binary, err := buildCommand(ctx, o, "kube")
	if err != nil {
		return nil, err
	}
	server, err := buildServer(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{report.Pods, report.CustomResources} {
		run := &shardsRun{options: o, binary: binary, kind: kind, units: map[string]string{}, values: map[string]map[string][]float64{}}
		for _, gate := range []bool{false, true} {
			if err := run.measureOn(ctx, server, gate); err != nil {
				return nil, fmt.Errorf("%s, gate %v: %w", kind, gate, err)
			}
		}
		more := run.rows()
		// A later failure loses the rows, but not what is printed.
		if err := printRows(o.progress, more); err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measureOn starts a server with objects, and measures all rounds.
func (s *shardsRun) measureOn(ctx context.Context, binary string, gate bool) (err error) {
	server, err := kubeserver.Start(ctx, kubeserver.Options{Binary: binary, Args: []string{fmt.Sprint("--feature-gates=ShardedListAndWatch=", gate)}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	k := &kubeRun{options: s.options, binary: s.binary, kind: s.kind, objects: s.shardsObjects, server: server}
	load := k.command(ctx, "load")
	if s.kind == report.CustomResources {
		load.Args = append(load.Args, "--crd="+filepath.Join(s.repo, "examples", "operator", "config", "crd", "data.example.com_databases.yaml"))
	}
	if err := runCommand(load); err != nil {
		return err
	}
	if err := server.Restart(ctx); err != nil {
		return err
	}
	column := shardGateOff
	if gate {
		column = shardGateOn
	}
	for round := range s.shardsRounds + 1 { // the first one, of a new server, does not count
		if err := s.round(ctx, k, column, shardCount, round > 0); err != nil {
			return err
		}
		if !gate {
			if err := s.round(ctx, k, oneProcess, 1, round > 0); err != nil {
				return err
			}
		}
		fmt.Fprintf(s.progress, "%s %s, %s, round %d of %d\n", count(s.shardsObjects), s.kind, column, round, s.shardsRounds)
	}
	return nil
}

// round syncs the processes of all shards one after the other, and writes updates that all of them follow.
func (s *shardsRun) round(ctx context.Context, k *kubeRun, column string, shards int, counts bool) (err error) {
	var followers []*followerProcess
	defer func() {
		for _, f := range followers {
			err = f.end(err)
		}
	}()
	keep := func(row, unit string, value float64) {
		if counts {
			s.add(row, unit, column, value)
		}
	}
	objects := 0
	for shard := range shards {
		f := &followerProcess{}
		used, err := k.serverTime(func() (err error) {
			f, err = startFollower(k.command(ctx, "follow", "--shard="+strconv.Itoa(shard), "--shards="+strconv.Itoa(shards)))
			if err != nil {
				return err
			}
			followers = append(followers, f)
			return f.read()
		})
		if err != nil {
			return fmt.Errorf("shard %d: %w", shard, err)
		}
		if err := smaller(f.last.PeakBytes); err != nil {
			return err
		}
		objects += f.last.Objects
		keep("first sync: time", "s", f.last.Seconds)
		keep("first sync: CPU time of the client", "s", f.last.CPUSeconds)
		keep("first sync: CPU time of the server", "s", used)
		keep("first sync: bytes of the response", "MB", float64(f.last.ReadBytes)/megabyte)
		keep("first sync: peak RSS", "MB", float64(f.last.PeakBytes)/megabyte)
		keep("first sync: objects in the cache", report.Count, float64(f.last.Objects))
		keep("first sync: objects of others that were read", report.Count, float64(f.last.Dropped))
		if err := f.do("heap"); err != nil {
			return err
		}
		keep("first sync: live heap", "MB", float64(f.last.HeapBytes)/megabyte)
	}
	if objects != s.shardsObjects {
		return fmt.Errorf("the caches have %d objects, want %d", objects, s.shardsObjects)
	}
	return s.followUpdates(ctx, k, followers, keep)
}

// followUpdates writes updates, and waits until the processes have all of them.
func (s *shardsRun) followUpdates(ctx context.Context, k *kubeRun, followers []*followerProcess, keep func(row, unit string, value float64)) error {
	updates := updatesPerSecond * s.shardsSeconds
	var before []report.Follower
	for _, f := range followers {
		if err := f.do("count"); err != nil {
			return err
		}
		before = append(before, f.last)
	}
	used, err := k.serverTime(func() error {
		if _, err := k.write(ctx, updates, "--rate="+strconv.Itoa(updatesPerSecond)); err != nil {
			return err
		}
		return awaitUpdates(ctx, followers, before, updates)
	})
	if err != nil {
		return err
	}
	each := 1e6 / float64(updates)
	for i, f := range followers {
		keep("updates: CPU time of the client per update of the collection", "µs", (f.last.UsedSeconds-before[i].UsedSeconds)*each)
		keep("updates: bytes per update of the collection", "B", float64(f.last.ReadBytes-before[i].ReadBytes)/float64(updates))
	}
	keep("updates: CPU time of the server per update, with all clients", "µs", used*each)
	return nil
}

// awaitUpdates returns when the processes together have heard of all updates.
func awaitUpdates(ctx context.Context, followers []*followerProcess, before []report.Follower, updates int) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for progressed, most := time.Now(), uint64(0); ; {
		heard := uint64(0)
		for i, f := range followers {
			if err := f.do("count"); err != nil {
				return err
			}
			heard += f.last.Updated - before[i].Updated
		}
		switch {
		case heard == uint64(updates):
			return nil
		case heard > uint64(updates):
			return fmt.Errorf("%d updates were heard, and %d written", heard, updates)
		case heard > most:
			progressed, most = time.Now(), heard
		case time.Since(progressed) > time.Minute:
			return fmt.Errorf("%d of %d updates were heard", heard, updates)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *shardsRun) add(row, unit, column string, value float64) {
	if s.values[row] == nil {
		s.names = append(s.names, row)
		s.units[row], s.values[row] = unit, map[string][]float64{}
	}
	s.values[row][column] = append(s.values[row][column], value)
}

func (s *shardsRun) rows() (rows []Row) {
	for _, name := range s.names {
		values := s.values[name]
		row := newRow(s.kind+", "+name, s.units[name], values[shardGateOff], values[oneProcess])
		row.Objects, row.Columns, row.Rounds = s.shardsObjects, map[string]float64{}, s.shardsRounds
		for column, values := range values {
			row.Columns[column] = report.Median(values)
		}
		rows = append(rows, row)
	}
	return rows
}

// shardsRow reports whether a row is of this section.
func shardsRow(r Row) bool {
	_, ok := r.Columns[shardGateOff]
	return ok
}

// shardsMarkdown is a table with a column for each way to follow the objects.
func shardsMarkdown(rows []Row) string {
	columns := []string{oneProcess, shardGateOff, shardGateOn}
	var text strings.Builder
	fmt.Fprintf(&text, "| what | %s | floor |\n|---|%s---|\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(&text, "| %s %s |", count(row.Objects), row.Name)
		for _, column := range columns {
			text.WriteString(" " + row.quantity(row.Columns[column]) + " |")
		}
		fmt.Fprintf(&text, " %s |\n", row.limits()+row.goal())
	}
	return text.String()
}

// followerProcess is a process of command follow.
type followerProcess struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *json.Decoder
	stderr  strings.Builder
	last    report.Follower
}

func startFollower(command *exec.Cmd) (*followerProcess, error) {
	f := &followerProcess{command: command}
	command.Stderr = &f.stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	f.stdin, f.stdout = stdin, json.NewDecoder(stdout)
	return f, command.Start()
}

func (f *followerProcess) read() error { return f.stdout.Decode(&f.last) }

// do sends a command, and reads its result.
func (f *followerProcess) do(command string) error {
	if _, err := fmt.Fprintln(f.stdin, command); err != nil {
		return err
	}
	return f.read()
}

// end waits for the end of the process.
func (f *followerProcess) end(err error) error {
	if wrong := errors.Join(f.stdin.Close(), f.command.Wait()); wrong != nil {
		err = errors.Join(err, fmt.Errorf("%w\n%s", wrong, f.stderr.String()))
	}
	return err
}
