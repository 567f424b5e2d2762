package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/internal/fieldmarks"
)

// Server is a running API server. Its methods may be called from any goroutine.
type Server struct {
	settings  settings // with dir and address as they turned out
	temporary bool     // Dir is ours to remove
	logs      *logOutput
	lock      *fileutil.LockedFile // on Dir

	mu      sync.Mutex // guards the fields below, and is held for the whole of a Restart or Stop
	current *instance  // nil after Stop and after a Restart that failed
	stopped bool
	stopErr error
}

// New starts a server, and returns when it is ready to serve and its CRDs are installed. The caller calls Stop.
//
// ctx bounds the start only. After an error nothing is left of the server. The error wraps ErrDirInUse if another
// server uses the directory.
func New(ctx context.Context, options ...Option) (*Server, error) {
	settings, crds, err := newSettings(options)
	if err != nil {
		return nil, fmt.Errorf("start API server: %w", err)
	}
	s := &Server{settings: settings, logs: &logOutput{w: settings.log}}
	if err := s.openDir(); err != nil {
		return nil, fmt.Errorf("start API server: %w", err)
	}
	sharedKlog.attach(s.logs)
	if err := s.start(ctx, crds); err != nil {
		return nil, errors.Join(fmt.Errorf("start API server: %w", err), s.Stop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, crds []*apiextensionsv1.CustomResourceDefinition) error {
	started, err := startInstance(ctx, s.settings, s.dataDir(), s.logs)
	if err != nil {
		return err
	}
	s.current = started
	s.settings.address = started.front.address()
	if err := s.WriteKubeconfig(s.Kubeconfig()); err != nil {
		return err
	}
	return s.InstallCRDs(ctx, crds...)
}

// Restart stops the server and starts it again on the same data and address. Open watches end, idle
// connections close, and until it is ready again clients see a refused connection, 503 or 429. After it the
// first requests for a custom resource may still get 429 with Retry-After, while its watch cache fills.
//
// Where the start fails, for example because ctx is done, the server is down: Restart may be tried again, and
// Stop still cleans up.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return ErrStopped
	}
	if s.current != nil {
		running := s.current
		s.current = nil
		if err := running.stop(); err != nil {
			return fmt.Errorf("restart API server: %w", err)
		}
	}
	started, err := startInstance(ctx, s.settings, s.dataDir(), s.logs)
	if err != nil {
		return fmt.Errorf("restart API server: %w", err)
	}
	s.current = started
	return nil
}

// Stop blocks until the server's goroutines and sockets are gone, and removes the data directory if it was a
// temporary one. Requests that are being served have 2 s to end, watches are ended. Further calls do nothing
// and return the result of the first.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return s.stopErr
	}
	s.stopped = true
	var errs []error
	if s.current != nil {
		errs = append(errs, s.current.stop())
		s.current = nil
	}
	sharedKlog.detach(s.logs)
	errs = append(errs, s.closeDir())
	if err := errors.Join(errs...); err != nil {
		s.stopErr = fmt.Errorf("stop API server: %w", err)
	}
	return s.stopErr
}

// Compact makes etcd forget its history: every resourceVersion that was seen before the call is then too old
// to list at, to continue from, or to watch from, as far as the request reaches etcd. With WithoutWatchCache
// such requests get 410 at once. With the watch cache, continue tokens and exact versions get it within 15 s,
// and watches are answered from the cache as before.
func (s *Server) Compact(ctx context.Context) error {
	i, err := s.running()
	if err != nil {
		return err
	}
	return i.store.compact(ctx)
}

// URL is where the server listens, http://127.0.0.1:PORT. It stays the same over Restart.
func (s *Server) URL() string { return "http://" + s.settings.address }

// Config is a new client configuration, which does not limit the client's rate. It stays valid over Restart.
func (s *Server) Config() *rest.Config {
	config := &rest.Config{Host: s.URL(), QPS: -1}
	if s.settings.marksFields {
		config.Wrap(fieldmarks.Transport)
	}
	return config
}

// running is the instance to ask. It may stop while it is being asked; its parts then return errors.
func (s *Server) running() (*instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, ErrStopped
	}
	return s.current, nil
}

func (s *Server) dataDir() string { return filepath.Join(s.settings.dir, "etcd") }

// openDir creates and locks the directory. Without our lock etcd would wait for its own, silently.
func (s *Server) openDir() (err error) {
	if s.settings.dir == "" {
		if s.settings.dir, err = os.MkdirTemp("", "testserver"); err != nil {
			return fmt.Errorf("create the API server's data directory: %w", err)
		}
		s.temporary = true
	} else if err := os.MkdirAll(s.settings.dir, 0o700); err != nil {
		return fmt.Errorf("create the API server's data directory: %w", err)
	}
	s.lock, err = fileutil.TryLockFile(filepath.Join(s.settings.dir, "lock"), os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		return fmt.Errorf("%s: %w", s.settings.dir, ErrDirInUse)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("lock the API server's data directory: %w", err), s.closeDir())
	}
	return nil
}

func (s *Server) closeDir() (err error) {
	if s.lock != nil {
		err = s.lock.Close()
	}
	if s.temporary {
		err = errors.Join(err, os.RemoveAll(s.settings.dir))
	}
	if err != nil {
		return fmt.Errorf("give up the API server's data directory: %w", err)
	}
	return nil
}
