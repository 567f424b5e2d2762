package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Ready is the line that the server prints when it serves.
type Ready struct {
	// URL is https://127.0.0.1:PORT.
	URL string `json:"url"`
	// Token is the bearer token of an administrator, a member of system:masters.
	Token string `json:"token"`
	// CA is the file with the certificate that the server presents. It signs itself.
	CA string `json:"ca"`
	// Dir is the folder of the data.
	Dir string `json:"dir"`
	// Etcd is the URL of etcd's unix socket.
	Etcd string `json:"etcd"`
}

// options are those of the command line.
type options struct {
	dir  string
	port int
	// more are flags of kube-apiserver.
	more []string
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "`FOLDER` that an earlier server has kept; the default is a new temporary one")
	flag.IntVar(&o.port, "port", 0, "`PORT` of the loopback interface to listen on; 0 takes a free one")
	flag.Parse()
	o.more = flag.Args()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// shutdownTimeout is how long the API server may take to end.
const shutdownTimeout = 20 * time.Second

func run(o options) (err error) {
	// It takes over the signals, so from here on they end the server in good order.
	command := app.NewAPIServerCommand()
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "kube"); err != nil {
			return err
		}
	}
	var control control
	defer func() {
		if !control.keep.Load() {
			err = errors.Join(err, os.RemoveAll(o.dir))
		}
	}()
	access, err := prepareAccess(o.dir, o.port)
	if err != nil {
		return err
	}
	defer access.release()
	store, err := startStore(o.dir)
	if err != nil {
		return err
	}
	defer store.stop()

	command.SetArgs(append(access.flags(store.endpoint), o.more...))
	ended := make(chan error, 1)
	go func() { ended <- cli.RunNoErrOutput(command) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	requested := make(chan struct{})
	go func() {
		defer close(requested)
		control.store = store
		if err := control.converse(ctx, os.Stdin, os.Stdout, access); err != nil {
			fmt.Fprintln(os.Stderr, "server:", err)
		}
	}()
	select {
	case err := <-ended: // by a signal, or because it could not start
		return err
	case <-requested:
	}
	genericapiserver.RequestShutdown()
	select {
	case err := <-ended:
		return err
	case <-time.After(shutdownTimeout):
		return fmt.Errorf("the API server has not ended %v after it was asked to", shutdownTimeout)
	}
}
