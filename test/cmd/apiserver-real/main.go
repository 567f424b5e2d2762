// Command apiserver-real keeps one Kubernetes API server for CustomResourceDefinitions running on a loopback port
// until it is interrupted. It is package testserver as a command. make apiserver ARGS=--real runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/testserver"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, release)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver-real:", err)
		os.Exit(1)
	}
}

type flags struct {
	address    string
	dataDir    string
	kubeconfig string
	crds       []string
	builtIn    []string
	verbose    bool
}

// parse returns pflag.ErrHelp after it has printed the usage on request.
func parse(args []string, stdout io.Writer) (flags, error) {
	var f flags
	set := pflag.NewFlagSet("apiserver-real", pflag.ContinueOnError)
	set.SetOutput(stdout)
	set.SortFlags = false
	set.StringVar(&f.address, "address", "127.0.0.1:0", "loopback `HOST:PORT` to listen on; port 0 takes a free one")
	set.StringVar(&f.dataDir, "data-dir", "", "`DIR` to keep the data in (default a temporary one, removed at the end)")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "`PATH` to write a kubeconfig to (default DIR/kubeconfig)")
	set.StringArrayVar(&f.crds, "crds", nil, "`FILE-OR-DIR` with CRD manifests to install; may be repeated")
	set.StringArrayVar(&f.builtIn, "built-in", nil, "further built-in `KIND` to serve, such as v1/Service or apps/v1/Deployment; may be repeated")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "write the log of the API server and of etcd to standard error")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("unexpected argument %q: give manifests with --crds", set.Arg(0))
	}
	return f, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f, err := parse(args, stdout)
	if errors.Is(err, pflag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	crds, err := load(f.crds)
	if err != nil {
		return err
	}
	builtIn, err := objects(f.builtIn)
	if err != nil {
		return err
	}
	options := []testserver.Option{testserver.WithDir(f.dataDir), testserver.WithAddress(f.address), testserver.WithBuiltIn(builtIn...)}
	if f.verbose {
		options = append(options, testserver.WithLog(stderr))
	}
	server, err := testserver.New(ctx, options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := server.InstallCRDs(ctx, crds...); err != nil {
		return err
	}
	if f.kubeconfig == "" {
		f.kubeconfig = server.Kubeconfig()
	} else if err := server.WriteKubeconfig(f.kubeconfig); err != nil {
		return err
	}
	greet(stdout, server.URL(), f.kubeconfig, crds)
	<-ctx.Done()
	return nil
}

// objects returns an empty object of each kind.
func objects(kinds []string) ([]runtime.Object, error) {
	var found []runtime.Object
	for _, name := range kinds {
		i := strings.LastIndexByte(name, '/')
		object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(name[:max(i, 0)], name[i+1:]))
		if err != nil {
			return nil, fmt.Errorf("--built-in=%s: %w; write VERSION/KIND or GROUP/VERSION/KIND, such as apps/v1/Deployment", name, err)
		}
		found = append(found, object)
	}
	return found, nil
}

func load(paths []string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		more, err := testserver.LoadCRDs(path)
		if err != nil {
			return nil, err
		}
		crds = append(crds, more...)
	}
	return crds, nil
}

func greet(w io.Writer, url, kubeconfig string, crds []*apiextensionsv1.CustomResourceDefinition) {
	resource := "crds"
	if len(crds) > 0 {
		resource = crds[0].Name
	}
	fmt.Fprintf(w, "API server  %s\n", url)
	fmt.Fprintf(w, "kubeconfig  %s\n", kubeconfig)
	for _, crd := range crds {
		fmt.Fprintf(w, "serves      %s\n", crd.Name)
	}
	fmt.Fprintf(w, "try         kubectl --kubeconfig %s get %s\n", kubeconfig, resource)
	fmt.Fprintf(w, "Ctrl-C stops it.\n")
}
