package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// benchmarkMemory measures informers without a network, each side in processes of its
// own. Package memory has the rows.
func benchmarkMemory(ctx context.Context, o options) (rows []Row, err error) {
	binary, err := buildCommand(ctx, o, "informers")
	if err != nil {
		return nil, err
	}
	for _, objects := range o.sizes {
		args := []string{"memory"}
		switch {
		case objects > largest:
			args = append(args, "--rounds=1")
		case o.quick:
			args = append(args, "--events=100000", "--benchtime=500ms")
		}
		more, err := newComparison(o, binary, o.memoryRounds, objects).run(ctx, []process{{"in memory", report.Ours, args}, {"in memory", report.Theirs, args}})
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// overHTTP makes a section of informers that read over HTTP, each in a process of its own,
// from the same server, which is a process too. Command informers has the rows.
func overHTTP(name string) section {
	return section{name: name, measure: func(ctx context.Context, o options) (rows []Row, err error) {
		binary, err := buildCommand(ctx, o, "informers")
		if err != nil {
			return nil, err
		}
		for _, setting := range report.Sections[name] {
			if !strings.HasPrefix(setting.Prefix, o.prefix) {
				continue
			}
			for _, objects := range o.objectsOf(name, setting) {
				more, err := measureClients(ctx, newComparison(o, binary, o.runtimeRounds, objects), setting)
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
		return rows, nil
	}}
}

// objectsOf are the numbers of objects that a setting is measured with.
func (o options) objectsOf(section string, setting report.Setting) []int {
	if setting.Objects != 0 {
		return []int{setting.Objects}
	}
	most := cmp.Or(setting.Most, largest)
	if o.full && section == "runtime" {
		most = math.MaxInt
	}
	var all []int
	for _, objects := range o.sizes {
		if objects <= most {
			all = append(all, max(objects/cmp.Or(setting.Divisor, 1), minObjects))
		}
	}
	return slices.Compact(all)
}

func measureClients(ctx context.Context, c *comparison, setting report.Setting) (_ []Row, err error) {
	args := []string{"--kind=" + setting.Kind}
	if setting.TLS {
		args = append(args, "--certificate="+filepath.Join(c.repo, "build", "bench", "certificate.pem"))
	}
	if setting.Gzip {
		args = append(args, "--gzip")
	}
	server, stop, err := serve(ctx, c.binary, append(args, "--objects="+strconv.Itoa(c.objects)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	args = append(args, "--server="+server, "--prefix="+setting.Prefix, "--json="+strconv.FormatBool(setting.JSON), "--brief="+strconv.FormatBool(setting.Brief))
	if setting.Processors != 0 {
		c.environment = []string{"GOMAXPROCS=" + strconv.Itoa(setting.Processors)}
	}
	// The server compresses a list when a client asks for it the first time.
	c.warmUp = setting.Gzip
	var clients []process
	for _, client := range setting.Clients {
		clients = append(clients, process{setting.Prefix + client.Mode + " " + client.Scenario + " " + client.Fields, client.Side, append([]string{
			// One update of each object. The sentinel is one more.
			"client", "--updates=" + strconv.Itoa(c.objects-1),
			"--mode=" + client.Mode, "--scenario=" + client.Scenario, "--fields=" + client.Fields,
		}, args...)})
	}
	rows, err := c.run(ctx, clients)
	if setting.Objects != 0 { // their names have the number that matters
		for i := range rows {
			rows[i].Objects = 0
		}
	}
	// The order is first syncs, heaps, relists and watches, of which processes report several.
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(firstWord(a, setting), firstWord(b, setting))
	})
	return rows, err
}

func firstWord(row Row, setting report.Setting) string {
	return strings.Fields(strings.TrimPrefix(row.Name, setting.Prefix))[0]
}

// serve starts the server. It ends with stop.
func serve(ctx context.Context, binary string, args []string) (url string, stop func() error, err error) {
	command := exec.CommandContext(ctx, binary, append([]string{"serve"}, args...)...)
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
