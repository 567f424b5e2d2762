package shards

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/typedinformers/informer-gen/test/progress"
)

// copies creates databases by writing copies of one to etcd, with its server, after a process has provided it. So
// there is nothing left to do for them: the processes reconcile each of them, and write nothing. To create and
// provide 20,000 databases through the API server takes it more than 10 minutes.
func (p *play) copies(t *testing.T, etcd *clientv3.Client, count int) {
	t.Helper()
	ctx, w := progress.Context(t), p.world
	if err := w.create(ctx); err != nil {
		t.Fatal(err)
	}
	first, err := p.fleet.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = w.await(ctx, "a process has provided the first database", func() (string, error) {
		db, err := w.databases.Databases(namespaceOf(0)).Get(nameOf(0))
		if apierrors.IsNotFound(err) || err == nil && !isReconciled(db) {
			return nameOf(0) + " is not reconciled; the log is " + first.LogFile, nil
		}
		return "", err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := w.copy(ctx, etcd, count); err != nil {
		t.Fatal(err)
	}
	if err := w.await(ctx, "the informer has all copies", func() (string, error) {
		all, err := w.databases.List(labels.Everything())
		if err != nil || len(all) == count {
			return "", err
		}
		progress.Step()
		return fmt.Sprintf("it has %d of %d", len(all), count), nil
	}); err != nil {
		t.Fatal(err)
	}
}

// copy writes copies of the first database and its server.
func (w *world) copy(ctx context.Context, etcd *clientv3.Client, count int) error {
	const databases, servers = "/registry/data.example.com/databases/", "/registry/data.example.com/databaseservers/"
	db, err := stored(ctx, etcd, databases+namespaceOf(0)+"/"+nameOf(0))
	if err != nil {
		return err
	}
	server, err := stored(ctx, etcd, servers+namespaceOf(0)+"/"+nameOf(0)+"-0")
	if err != nil {
		return err
	}
	original, err := w.databases.Databases(namespaceOf(0)).Get(nameOf(0))
	if err != nil {
		return err
	}
	child, err := w.client.DataV1().DatabaseServers(namespaceOf(0)).Get(ctx, nameOf(0)+"-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	var next atomic.Int64
	writers, ctx := errgroup.WithContext(ctx)
	for range 8 {
		writers.Go(func() error {
			for n := int(next.Add(1)); n < count; n = int(next.Add(1)) {
				replace := strings.NewReplacer(
					string(original.UID), string(uuid.NewUUID()), string(child.UID), string(uuid.NewUUID()),
					nameOf(0), nameOf(n), namespaceOf(0), namespaceOf(n),
				)
				// Not in one transaction: no two objects of an API server have one version.
				if _, err := etcd.Put(ctx, servers+namespaceOf(n)+"/"+nameOf(n)+"-0", replace.Replace(server)); err != nil {
					return err
				}
				if _, err := etcd.Put(ctx, databases+namespaceOf(n)+"/"+nameOf(n), replace.Replace(db)); err != nil {
					return err
				}
				progress.Step()
			}
			return nil
		})
	}
	if err := writers.Wait(); err != nil {
		return err
	}
	w.mu.Lock()
	w.next = count
	w.mu.Unlock()
	return nil
}

// stored returns the text of an object in etcd.
func stored(ctx context.Context, etcd *clientv3.Client, key string) (string, error) {
	response, err := etcd.Get(ctx, key)
	if err != nil {
		return "", err
	}
	if len(response.Kvs) != 1 {
		return "", fmt.Errorf("etcd does not have %s", key)
	}
	return string(response.Kvs[0].Value), nil
}
