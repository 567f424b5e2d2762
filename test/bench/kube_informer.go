package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Phases of an informer.
const (
	firstSync = "first sync"
	unchanged = "relist, unchanged"
	changed   = "relist, 1% changed"
	updates   = "1,000 updates a second"
)

// kubeClient is a process that measures an informer, phase by phase.
type kubeClient struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *json.Decoder
	stderr  bytes.Buffer
}

func startKubeClient(command *exec.Cmd) (*kubeClient, error) {
	c := &kubeClient{command: command}
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = &c.stderr
	c.stdin, c.stdout = stdin, json.NewDecoder(stdout)
	return c, command.Start()
}

// next reads the result of a phase.
func (c *kubeClient) next() (phase report.Phase, err error) {
	err = c.stdout.Decode(&phase)
	return phase, err
}

// do sends a command, and reads its result.
func (c *kubeClient) do(format string, args ...any) (report.Phase, error) {
	if _, err := fmt.Fprintf(c.stdin, format+"\n", args...); err != nil {
		return report.Phase{}, err
	}
	return c.next()
}

// end waits for the end of the process.
func (c *kubeClient) end(err error) error {
	err = errors.Join(err, c.stdin.Close(), c.command.Wait())
	if err != nil {
		return fmt.Errorf("%w\n%s", err, c.stderr.Bytes())
	}
	return nil
}

// measureInformer measures all phases of an informer.
func (k *kubeRun) measureInformer(ctx context.Context, name string, args ...string) (err error) {
	var client *kubeClient
	var phase report.Phase
	server, err := k.serverTime(func() (err error) {
		if client, err = startKubeClient(k.command(ctx, "client", args...)); err != nil {
			return err
		}
		if phase, err = client.next(); err != nil {
			return client.end(err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", firstSync, err)
	}
	defer func() { err = client.end(err) }()
	if err := smaller(phase.PeakBytes); err != nil {
		return err
	}
	if name == ourDefault {
		k.contentType = phase.ContentType
	}
	k.addPhase(firstSync, name, phase, server)
	k.add(firstSync+": peak RSS", name, report.PeakMB, float64(phase.PeakBytes)/megabyte)
	for _, relist := range []struct {
		row     string
		changed int
	}{{unchanged, 1}, {changed, k.objects / 100}} {
		if err := k.measureRelist(ctx, client, name, relist.row, relist.changed); err != nil {
			return fmt.Errorf("%s: %w", relist.row, err)
		}
	}
	if err := k.measureUpdates(ctx, client, name); err != nil {
		return fmt.Errorf("%s: %w", updates, err)
	}
	return k.compareDigests(ctx, client)
}

func (k *kubeRun) addPhase(row, name string, phase report.Phase, server float64) {
	k.add(row+": time", name, "s", phase.Seconds)
	k.add(row+": CPU time of the client", name, "s", phase.CPUSeconds)
	k.add(row+": CPU time of the server", name, "s", server)
}

// measureRelist changes objects while the client cannot reach the server.
func (k *kubeRun) measureRelist(ctx context.Context, client *kubeClient, name, row string, changed int) error {
	if _, err := client.do("hold"); err != nil {
		return err
	}
	if _, err := k.write(ctx, changed); err != nil {
		return err
	}
	var phase report.Phase
	server, err := k.serverTime(func() (err error) {
		phase, err = client.do("release %d", changed)
		return err
	})
	if err != nil {
		return err
	}
	k.addPhase(row, name, phase, server)
	return nil
}

// write updates objects, and returns how many seconds that took.
func (k *kubeRun) write(ctx context.Context, count int, args ...string) (float64, error) {
	args = append(args, "--count="+strconv.Itoa(count), "--from="+strconv.Itoa(k.written+2))
	k.written += count
	_, output, err := measure(k.command(ctx, "update", args...))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(output)), 64)
}

// measureUpdates measures how long updates take from the response to the write until the
// handler receives them.
func (k *kubeRun) measureUpdates(ctx context.Context, client *kubeClient, name string) error {
	count := updatesPerSecond * k.kubeSeconds
	if _, err := client.do("expect %d", count); err != nil {
		return err
	}
	file := filepath.Join(k.repo, "build", "bench", "kube-updates.txt")
	var seconds float64
	server, err := k.serverTime(func() (err error) {
		seconds, err = k.write(ctx, count, "--rate="+strconv.Itoa(updatesPerSecond), "--out="+file)
		return err
	})
	if err != nil {
		return err
	}
	phase, err := client.do("await %s", file)
	if err != nil {
		return err
	}
	each := 1e6 / float64(count)
	for i, percentile := range report.Percentiles {
		k.add(fmt.Sprintf("%s, from write to handler: p%v", updates, percentile), name, "ms", phase.DelayMilliseconds[i])
	}
	k.add(updates+": CPU time of the client per update", name, "µs", phase.CPUSeconds*each)
	k.add(updates+": CPU time of the server per update", name, "µs", server*each)
	k.add(updates+": time per update", name, "µs", seconds*each)
	return nil
}

// compareDigests compares the cache with what the server has.
func (k *kubeRun) compareDigests(ctx context.Context, client *kubeClient) error {
	cached, err := client.do("digest")
	if err != nil {
		return err
	}
	_, output, err := measure(k.command(ctx, "digest"))
	if err != nil {
		return err
	}
	var listed string
	if err := json.Unmarshal(output, &listed); err != nil {
		return err
	}
	if cached.Digest != listed {
		return fmt.Errorf("the cache has %s, and the server %s", cached.Digest, listed)
	}
	return nil
}
