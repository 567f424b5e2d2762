package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// benchmarkInformers calls measure for each number of objects.
func benchmarkInformers(ctx context.Context, o options, rounds int, measure func(context.Context, *comparison) ([]Row, error)) (rows []Row, err error) {
	binary, err := buildCommand(ctx, o, "informers")
	if err != nil {
		return nil, err
	}
	for _, objects := range o.sizes {
		more, err := measure(ctx, newComparison(o, binary, rounds, objects))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// benchmarkMemory measures informers without a network, each side in processes of its
// own. Package memory has the rows.
func benchmarkMemory(ctx context.Context, o options) ([]Row, error) {
	return benchmarkInformers(ctx, o, o.memoryRounds, func(ctx context.Context, c *comparison) ([]Row, error) {
		args := []string{"memory"}
		switch {
		case c.objects > largest:
			args = append(args, "--rounds=1")
		case c.quick:
			args = append(args, "--events=100000", "--benchtime=500ms")
		}
		return c.run(ctx, []process{{"in memory", report.Ours, args}, {"in memory", report.Theirs, args}})
	})
}

// benchmarkRuntime measures informers that read over HTTP, each in a process of its own,
// from the same server, which is a process too. Command informers has the rows.
func benchmarkRuntime(ctx context.Context, o options) (rows []Row, err error) {
	if !o.full {
		o.sizes = slices.DeleteFunc(slices.Clone(o.sizes), func(objects int) bool { return objects > largest })
	}
	return benchmarkInformers(ctx, o, o.runtimeRounds, measureClients)
}

func measureClients(ctx context.Context, c *comparison) (_ []Row, err error) {
	server, stop, err := serve(ctx, c.binary, c.objects)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var clients []process
	for _, client := range report.Clients {
		clients = append(clients, process{client.Mode + " " + client.Scenario + " " + client.Fields, client.Side, []string{
			// One update of each object. The sentinel is one more.
			"client", "--server=" + server, "--updates=" + strconv.Itoa(c.objects-1),
			"--mode=" + client.Mode, "--scenario=" + client.Scenario, "--fields=" + client.Fields,
		}})
	}
	rows, err := c.run(ctx, clients)
	// The order is first syncs, heaps, relists and watches, of which processes report several.
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(strings.Fields(a.Name)[0], strings.Fields(b.Name)[0])
	})
	return rows, err
}

// serve starts the server. It ends with stop.
func serve(ctx context.Context, binary string, objects int) (url string, stop func() error, err error) {
	command := exec.CommandContext(ctx, binary, "serve", "--objects="+strconv.Itoa(objects))
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(input.Close(), command.Wait()) }
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("the server does not print its address: %w", err), stop())
	}
	return strings.TrimSpace(line), stop, nil
}
