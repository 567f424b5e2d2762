package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/shards/activity"
)

// Options are how to run processes of the operator.
type Options struct {
	// Operator is the folder of the example operator.
	Operator string
	// Overlay is a file that is compiled into package controller of the operator; empty for none.
	Overlay string
	// Dir is a folder for the program, journals and logs.
	Dir string
	// Config is the API server, and who the processes are there.
	Config *rest.Config
	// Args are flags of each process. The Fleet adds those that differ.
	Args []string
	// Env are variables of each process.
	Env []string
	// Put writes the records of the processes; nil for ConfigMaps of the API server.
	Put PutFunc
}

// PutFunc writes a value to the etcd of the API server, and returns its revision. The resourceVersion of an object
// is the revision of its last write, so both are of one order. It costs a tenth of a write to the API server.
type PutFunc func(ctx context.Context, key, value string) (revision int64, err error)

// Fleet is a set of processes. Its methods may be called from any goroutine.
type Fleet struct {
	options   Options
	binary    string
	transport http.RoundTripper // to the API server
	// Log has what the processes did.
	Log *activity.Log
	// Sharded is how many lists and watches have asked the server for a shard.
	Sharded atomic.Int64

	mu      sync.Mutex // guards members
	members []*Member  // all that were ever started
}

// New builds the operator.
func New(ctx context.Context, options Options) (*Fleet, error) {
	transport, err := rest.TransportFor(options.Config)
	if err != nil {
		return nil, err
	}
	if options.Dir, err = filepath.Abs(options.Dir); err != nil {
		return nil, err
	}
	f := &Fleet{options: options, binary: filepath.Join(options.Dir, "operator"), transport: transport, Log: activity.NewLog()}
	return f, f.build(ctx)
}

// build compiles the operator, with the overlay as one more file.
func (f *Fleet) build(ctx context.Context) error {
	args := []string{"build", "-o", f.binary}
	if f.options.Overlay != "" {
		operator, err := filepath.Abs(f.options.Operator)
		if err != nil {
			return err
		}
		overlay, err := filepath.Abs(f.options.Overlay)
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(operator, "controller", "overlay.go"): overlay}})
		if err != nil {
			return err
		}
		file := filepath.Join(f.options.Dir, "overlay.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		args = append(args, "-overlay="+file)
	}
	command := exec.CommandContext(ctx, "go", append(args, ".")...)
	command.Dir = f.options.Operator
	command.Env = append(os.Environ(), "GOFLAGS=") // not with -race because the tests are
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the operator: %w\n%s", cmp.Or(ctx.Err(), err), output)
	}
	return nil
}

// Start starts one more process. Its name is p1, p2 and so on, and is not used again.
func (f *Fleet) Start(ctx context.Context) (*Member, error) { return f.StartIn(ctx, Namespace) }

// StartIn starts a process whose Leases are in a namespace: processes share their work with those of the
// same namespace only.
func (f *Fleet) StartIn(ctx context.Context, namespace string) (*Member, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, err := f.start(ctx, fmt.Sprintf("p%d", len(f.members)+1), namespace)
	if err != nil {
		return nil, err
	}
	f.members = append(f.members, m)
	return m, nil
}

// Elsewhere returns a configuration for clients of the test itself, whose writes are not those of a
// process. The caller calls stop after the last request.
func (f *Fleet) Elsewhere(config *rest.Config) (elsewhere *rest.Config, stop func(), err error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(&recorder{log: f.Log, target: config.Host, transport: transport})
	return &rest.Config{Host: server.URL, QPS: -1}, func() {
		server.CloseClientConnections()
		server.Close()
		closeIdle(transport)
	}, nil
}

// Running returns the processes that have not ended, paused ones among them.
func (f *Fleet) Running() []*Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.members), func(m *Member) bool { return !m.Running() })
}

// All returns all processes that were ever started.
func (f *Fleet) All() []*Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.members)
}

// Stop asks all processes to end, and waits for them. The error names those that did not end in good
// order. It may be called again.
func (f *Fleet) Stop() error {
	var errs []error
	all := f.All()
	for _, m := range all {
		errs = append(errs, m.Stop())
	}
	for _, m := range all {
		errs = append(errs, m.close())
	}
	closeIdle(f.transport)
	return errors.Join(errs...)
}

func closeIdle(transport http.RoundTripper) {
	(&http.Client{Transport: transport}).CloseIdleConnections()
}
