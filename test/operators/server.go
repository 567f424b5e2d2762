package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

func (r runner) server() string { return filepath.Join(r.build, "bin", "server") }

func (r runner) buildServer(ctx context.Context) error {
	return r.command(ctx, filepath.Join(r.repo, "test"), "go", "build", "-o", r.server(), "./operators/server")
}

// startServer starts a test server, and returns the path of its kubeconfig. The caller calls stop.
func (r runner) startServer(ctx context.Context) (kubeconfig string, stop func() error, err error) {
	command := exec.CommandContext(ctx, r.server())
	var log bytes.Buffer // the client of etcd logs warnings
	command.Stderr = &log
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	command.Cancel = input.Close // so that it removes its files
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(input.Close(), command.Wait()) }
	if kubeconfig, err = bufio.NewReader(output).ReadString('\n'); err != nil {
		return "", nil, errors.Join(fmt.Errorf("start a test server: %w", err), stop(), errors.New(log.String()))
	}
	return strings.TrimSuffix(kubeconfig, "\n"), stop, nil
}
