package apiserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Options says how a server runs. The zero value is a server on a free loopback port with temporary data and
// no log. They hold for all restarts of the server.
type Options struct {
	// Dir keeps the data; it is created where it does not exist. Data that an earlier server left there is
	// served again. Empty means a fresh temporary directory, removed by Stop.
	Dir string

	// Address is the host and port to listen on, plain HTTP. The host must be a loopback address, because
	// nobody is authenticated; port 0 takes a free one and keeps it over Restart. Empty means 127.0.0.1:0.
	Address string

	// DisableWatchCache serves every list and watch from etcd. Compact then expires continue tokens and
	// watches at once; with the cache, compaction alone expires no watch.
	DisableWatchCache bool

	// MaxRequestsInFlight bounds the reading requests that are served at one time, watches not counted; one
	// more gets 429 with Retry-After. The server's own controllers are bounded with the rest. Zero means the
	// API server's default of 400.
	MaxRequestsInFlight int

	// MinRequestTimeout is how long a watch that names no timeoutSeconds lives at least; the server ends it
	// between this and twice this time. Whole seconds. Zero means the API server's default of 30 minutes.
	MinRequestTimeout time.Duration

	// LogOutput receives the log of the API server and of etcd; writes are serialized. Nil discards it. klog
	// is shared by the process: see the package comment.
	LogOutput io.Writer
}

const defaultAddress = "127.0.0.1:0"

// complete fills in the defaults that do not need the file system, and reports all faults at once.
func (o Options) complete() (Options, error) {
	if o.Address == "" {
		o.Address = defaultAddress
	}
	var faults []error
	if err := checkLoopback(o.Address); err != nil {
		faults = append(faults, err)
	}
	if o.MaxRequestsInFlight < 0 {
		faults = append(faults, fmt.Errorf("Options.MaxRequestsInFlight is %d: give a positive number, or 0 for the default", o.MaxRequestsInFlight))
	}
	if o.MinRequestTimeout < 0 || o.MinRequestTimeout%time.Second != 0 {
		faults = append(faults, fmt.Errorf("Options.MinRequestTimeout is %v: give whole seconds, or 0 for the default", o.MinRequestTimeout))
	}
	return o, errors.Join(faults...)
}

func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("Options.Address %q is not HOST:PORT: write 127.0.0.1:0 for a free port: %w", address, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("Options.Address %q is not a loopback address: the server authenticates nobody, so listen on 127.0.0.1", address)
	}
	return nil
}
