package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datalisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
	"github.com/typedinformers/informer-gen/test/shards/fleet"
	"github.com/typedinformers/informer-gen/testserver"
)

// leaseDuration is how long the others wait for a process that does not answer. Its default is 15 s.
const leaseDuration = 5 * time.Second

// stage has a server, processes of the operator, and databases that change all the time.
type stage struct {
	server    *testserver.Server
	client    *versioned.Clientset
	factory   informers.SharedInformerFactory
	databases datalisters.DatabaseLister
	fleet     *fleet.Fleet
	objects   int
	changing  sync.WaitGroup
	stop      context.CancelFunc
}

// open starts the server, and creates the databases. On an error nothing is left running.
func open(ctx context.Context, build, operator string, objects int) (_ *stage, err error) {
	s := &stage{objects: objects, stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	started := time.Now()
	if s.server, err = testserver.New(ctx, testserver.WithDir(filepath.Join(build, "data"))); err != nil {
		return nil, err
	}
	crds, err := testserver.LoadCRDs(filepath.Join(operator, "config", "crd"))
	if err != nil {
		return nil, err
	}
	if err := s.server.InstallCRDs(ctx, crds...); err != nil {
		return nil, err
	}
	demo.Say("server", "the API server for CRDs, on an embedded etcd, serves %s (%s)", s.server.URL(), demo.Seconds(started))
	if s.fleet, err = fleet.New(ctx, fleet.Options{
		Operator: operator,
		Dir:      build,
		Config:   s.server.Config(),
		Args:     []string{"--lease-duration=" + leaseDuration.String(), "--qps=-1"},
	}); err != nil {
		return nil, err
	}
	if s.client, err = versioned.NewForConfig(s.server.Config()); err != nil {
		return nil, err
	}
	if err := s.populate(ctx); err != nil {
		return nil, err
	}
	s.factory = informers.NewSharedInformerFactory(s.client, 0)
	s.databases = s.factory.Data().V1().Databases().Lister()
	s.factory.Start(context.WithoutCancel(ctx)) // until close
	return s, s.factory.WaitForCacheSync(ctx)
}

// populate creates a class and the databases.
func (s *stage) populate(ctx context.Context) error {
	started := time.Now()
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 1000, Domain: "db.example.com", Port: 5432}}
	if _, err := s.client.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	for n := range s.objects {
		db := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("db-%05d", n)},
			Spec: datav1.DatabaseSpec{ClassName: class.Name, StorageGi: 1}}
		if _, err := s.client.DataV1().Databases("team-a").Create(ctx, db, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	demo.Say("create", "%d Databases (%s)", s.objects, demo.Seconds(started))
	return nil
}

// change changes ten databases a second until the demo ends.
func (s *stage) change(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	s.changing.Go(func() {
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			patch := fmt.Appendf(nil, `{"spec":{"storageGi":%d}}`, 2+n%900)
			name := fmt.Sprintf("db-%05d", n*37%s.objects)
			if _, err := s.client.DataV1().Databases("team-a").Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil && ctx.Err() == nil {
				demo.Say("change", "failed: %v", err)
			}
		}
	})
}

// behind returns the number of databases whose last change no process has seen yet.
func (s *stage) behind() (n int, err error) {
	all, err := s.databases.List(labels.Everything())
	for _, db := range all {
		if db.Status.ObservedGeneration != db.Generation {
			n++
		}
	}
	return n, err
}

// close stops everything.
func (s *stage) close() error {
	var errs []error
	s.stop()
	s.changing.Wait()
	if s.fleet != nil {
		errs = append(errs, s.fleet.Stop())
	}
	if s.factory != nil {
		s.factory.Shutdown()
	}
	if s.server != nil {
		errs = append(errs, s.server.Stop())
	}
	return errors.Join(errs...)
}
