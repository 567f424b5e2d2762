// Command apiserver keeps an API server in memory running on a loopback port until it is interrupted. It has the kinds
// of Kubernetes, and those of CRDs with their validation, defaults and schemas. make apiserver ARGS=--real runs
// apiserver-real instead, which has the code of a whole one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/cmd/internal/memory"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, release)
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

type flags struct {
	address    string
	kubeconfig string
	crds       []string
}

// parse returns pflag.ErrHelp after it has printed the usage on request.
func parse(args []string, stdout io.Writer) (flags, error) {
	var f flags
	set := pflag.NewFlagSet("apiserver", pflag.ContinueOnError)
	set.SetOutput(stdout)
	set.SortFlags = false
	set.StringVar(&f.address, "address", "127.0.0.1:0", "loopback `HOST:PORT` to listen on; port 0 takes a free one")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "`PATH` to write a kubeconfig to (default a temporary one, removed at the end)")
	set.StringArrayVar(&f.crds, "crds", nil, "`FILE-OR-DIR` with CRD manifests to serve; may be repeated")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("unexpected argument %q: give manifests with --crds", set.Arg(0))
	}
	return f, nil
}

func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	f, err := parse(args, stdout)
	if errors.Is(err, pflag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := namesOf(f.crds)
	if err != nil {
		return err
	}
	var options []apitest.Option
	if len(f.crds) > 0 {
		options = append(options, apiextensions.WithCRDs(f.crds...))
	}
	server, err := memory.Start(f.address, options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if f.kubeconfig == "" {
		dir, err := os.MkdirTemp("", "apiserver")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.kubeconfig = filepath.Join(dir, "kubeconfig")
	}
	if err := server.WriteKubeconfig(f.kubeconfig); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "API server  %s\n", server.URL())
	fmt.Fprintf(stdout, "kubeconfig  %s\n", f.kubeconfig)
	resource := "namespaces"
	for _, name := range names {
		fmt.Fprintf(stdout, "serves      %s\n", name)
		resource = name
	}
	fmt.Fprintf(stdout, "try         kubectl --kubeconfig %s get %s\n", f.kubeconfig, resource)
	fmt.Fprintf(stdout, "Ctrl-C stops it.\n")
	<-ctx.Done()
	return nil
}
