package testserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"google.golang.org/grpc"
	"k8s.io/apiserver/pkg/storage/etcd3"
)

// store is one run of etcd.
type store struct {
	etcd      *embed.Etcd
	client    *clientv3.Client // calls the server's functions, no socket in between
	socketDir string
	endpoint  string       // for the clients of the API server, which must have a socket
	clients   *connections // to endpoint
}

// maxSocketPath is the length that fits into sockaddr_un on Linux with its closing zero byte; Darwin has 4 bytes less.
const maxSocketPath = 103

// startStore returns when etcd has elected itself and takes requests.
func startStore(ctx context.Context, dataDir string, logs *logOutput) (_ *store, err error) {
	// Data directories of tests have long names, and a socket's path must be short: it gets a directory of
	// its own.
	socketDir, err := os.MkdirTemp("", "etcd")
	if err != nil {
		return nil, fmt.Errorf("create a directory for etcd's sockets: %w", err)
	}
	s := &store{socketDir: socketDir, clients: newConnections()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()

	client := filepath.Join(socketDir, "client")
	if len(client) > maxSocketPath {
		return nil, fmt.Errorf("socket %s has a path of %d bytes and the system takes %d: set TMPDIR to a shorter directory", client, len(client), maxSocketPath)
	}
	clientURL := url.URL{Scheme: "unix", Path: client}
	s.endpoint = clientURL.String()

	config := etcdConfig(dataDir, clientURL, logs)
	config.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.StatsHandler(s.clients)}
	if s.etcd, err = embed.StartEtcd(config); err != nil {
		return nil, fmt.Errorf("start etcd on %s: %w", dataDir, err)
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case <-s.etcd.Server.StopNotify():
		return nil, fmt.Errorf("etcd on %s stopped before it was ready: its log, in WithLog, says why", dataDir)
	case err := <-s.etcd.Err():
		return nil, fmt.Errorf("etcd on %s failed before it was ready: %w", dataDir, err)
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for etcd on %s: %w", dataDir, context.Cause(ctx))
	}
	s.client = v3client.New(s.etcd.Server)
	return s, nil
}

func etcdConfig(dataDir string, clientURL url.URL, logs *logOutput) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Dir = dataDir
	cfg.Name = "test"
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logs.zap())

	// A single member: it has an address as a peer, which the protocol wants, but listens for none.
	peerURL := clientURL
	peerURL.Path += "-peer"
	cfg.ListenPeerUrls = nil
	cfg.AdvertisePeerUrls = []url.URL{peerURL}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.ListenClientUrls = []url.URL{clientURL}
	cfg.AdvertiseClientUrls = []url.URL{clientURL}

	// It has no peer to wait for, so it may elect itself at once; and the data need not outlive the machine.
	cfg.TickMs = 10
	cfg.ElectionMs = 100
	cfg.UnsafeNoFsync = true

	// The API server's bookmarks and consistent reads from its cache follow etcd's progress notifications.
	cfg.WatchProgressNotifyInterval = time.Second
	return cfg
}

// compactRevKey is where API servers that share an etcd tell one another how far it is compacted. The name is
// part of their protocol, but k8s.io/apiserver does not export it.
const compactRevKey = "compact_rev_key"

// compact discards the history so far that even a watch from the newest revision has expired.
//
// It goes through etcd3.Compact, which writes compactRevKey, because the API server's cache looks there.
func (s *store) compact(ctx context.Context) error {
	got, err := s.client.Get(ctx, compactRevKey)
	if err != nil {
		return fmt.Errorf("read how far etcd is compacted: %w", err)
	}
	var version int64 // 0 is the version of a key that does not exist
	if len(got.Kvs) > 0 {
		version = got.Kvs[0].Version
	}

	// A watch from revision R reads R+1 onward, so only a compaction at R+2 cuts it off. Each round writes the
	// key, which makes a revision, and compacts up to the one before; a round lost to the API server's own
	// compactor brings the version to try next.
	revision := got.Header.Revision
	var compacted int64
	for target := revision + 2; compacted < target; {
		version, revision, compacted, err = etcd3.Compact(ctx, s.client, version, revision)
		if err != nil {
			return fmt.Errorf("compact etcd at revision %d: %w", revision, err)
		}
	}
	return nil
}

// stop blocks until etcd's goroutines and sockets are gone. It may be called on a store that only started in
// part.
func (s *store) stop() error {
	var errs []error
	if s.client != nil {
		// A client made of function calls reports its own cancelled context on Close.
		if err := s.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
			errs = append(errs, fmt.Errorf("close etcd's client: %w", err))
		}
	}
	if s.etcd != nil {
		s.clients.drain(drainTimeout)
		s.etcd.Close()
	}
	if err := os.RemoveAll(s.socketDir); err != nil {
		errs = append(errs, fmt.Errorf("remove etcd's sockets: %w", err))
	}
	return errors.Join(errs...)
}
