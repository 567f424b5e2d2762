package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// build builds a command of the benchmark, and returns its file.
func (o *options) build(ctx context.Context, name string) string {
	binary := filepath.Join(o.repo, "build", "bench", name)
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./bench/"+name)
	build.Dir, build.Stderr = filepath.Join(o.repo, "test"), os.Stderr
	meter.Check(build.Run())
	return binary
}

// child is a process that prints results whose names begin with name. Program and the first two args tell it from others of the name.
type child struct {
	name, program string
	args          []string
}

// run runs all children in each round, every second round backwards. With a kube-apiserver, the first one also runs once before, and does not count: it
// gets the first answers of a new server.
func (o *options) run(ctx context.Context, server *kubeserver.Server, children []child) {
	children = slices.DeleteFunc(children, func(c child) bool { return !strings.HasPrefix(c.name, o.rows) })
	if len(children) == 0 {
		return
	}
	if server != nil {
		children[0].run(ctx, server, false)
	}
	for range o.rounds {
		for _, c := range children {
			c.run(ctx, server, true)
		}
		slices.Reverse(children)
	}
}

// run runs a process and copies its results. It adds how much processor time the server has used, if there is one.
func (c *child) run(ctx context.Context, server *kubeserver.Server, print bool) {
	began := time.Now()
	command := exec.CommandContext(ctx, c.program, append([]string{"--name=" + c.name}, c.args...)...)
	command.Stderr = os.Stderr
	stdout := meter.Must(command.StdoutPipe())
	meter.Check(command.Start())
	results := 0
	var before, after time.Duration
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		line := lines.Text()
		if server != nil {
			after = meter.Must(server.CPUTime())
		}
		if line == meter.Begin {
			before = after
			continue
		}
		if server != nil && strings.Contains(line, " ns/op") {
			line += fmt.Sprintf(" %d server-cpu-ns/op", after-before)
		}
		if results++; print {
			fmt.Println(line)
		}
	}
	err := command.Wait()
	if err == nil && results == 0 {
		err = errors.New("it has no results")
	}
	if err != nil {
		meter.Check(fmt.Errorf("%s %s %q: %w", c.program, c.name, c.args[:2], err))
	}
	fmt.Fprintf(os.Stderr, "%s %s %s: %.1f s\n", filepath.Base(c.program), c.name, strings.Join(c.args[:2], " "), time.Since(began).Seconds())
}
