package main

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
	"k8s.io/apiserver/pkg/storage/etcd3"
)

// store is an etcd of one member.
type store struct {
	etcd *embed.Etcd
	// client calls the functions of the server, without a socket.
	client *clientv3.Client
	// endpoint is the URL of a unix socket.
	endpoint string
}

// backendBytes is the quota of the data: benchmarks write gigabytes between two
// compactions.
const backendBytes = 8 << 30

// startStore returns when etcd takes requests. Its data are in a folder below dir.
func startStore(dir string) (_ *store, err error) {
	s := &store{}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	client := url.URL{Scheme: "unix", Path: filepath.Join(dir, "socket")}
	// The only member has to advertise an address with a port, which no one uses.
	advertised := []url.URL{{Scheme: "http", Host: "127.0.0.1:2380"}}
	s.endpoint = client.String()

	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.LogLevel = "error" // its end is not in good order
	// Without it, etcd logs each request.
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration
	config.ListenPeerUrls, config.AdvertisePeerUrls = nil, advertised
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, advertised
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.TickMs, config.ElectionMs = 10, 100
	config.UnsafeNoFsync = true
	config.QuotaBackendBytes = backendBytes
	config.WatchProgressNotifyInterval = 5 * time.Second // as kube-apiserver's documentation asks for
	if s.etcd, err = embed.StartEtcd(config); err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case err := <-s.etcd.Err():
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	s.client = v3client.New(s.etcd.Server)
	return s, nil
}

// compact lets etcd forget the history up to now, and returns the newest revision that it
// has forgotten. It writes the key that API servers watch to learn of compactions.
func (s *store) compact(ctx context.Context) (int64, error) {
	got, err := s.client.Get(ctx, "compact_rev_key")
	if err != nil {
		return 0, fmt.Errorf("read the last compaction: %w", err)
	}
	var version int64 // of a key that does not exist
	if len(got.Kvs) > 0 {
		version = got.Kvs[0].Version
	}
	// Each round writes the key, which makes a revision, and compacts up to the revision
	// before. A watch from R reads R+1 onward, so only a compaction at R+2 expires it.
	revision, compacted := got.Header.Revision, int64(0)
	for target := revision + 2; compacted < target; {
		if version, revision, compacted, err = etcd3.Compact(ctx, s.client, version, revision); err != nil {
			return 0, fmt.Errorf("compact at revision %d: %w", revision, err)
		}
	}
	return compacted, nil
}

// stop may be called for a store that was started in part only.
func (s *store) stop() {
	if s.client != nil {
		// A client without a socket returns the error of its own context.
		if err := s.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "server: close the client of etcd:", err)
		}
	}
	if s.etcd != nil {
		s.etcd.Close()
	}
}
