package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/internalinterfaces"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// follower is an informer of a shard, or of all objects. It prints a report.Follower after the first
// sync, and one for each line of its standard input: "count" for a quick one, "heap" for one with the live
// heap. It ends with its standard input.
type follower struct {
	shard, of int
	profile   string
}

func (f *follower) flags() {
	pflag.IntVar(&f.shard, "shard", 0, "follow: the number of the shard, from 0 on")
	pflag.IntVar(&f.of, "shards", 1, "follow: how many shards there are")
	pflag.StringVar(&f.profile, "follow-profile", "", "follow: write a CPU profile of the first sync to a file that begins with `PREFIX`")
}

// followed is what a follower needs of an informer.
type followed interface {
	cache.StatusSource
	Run(context.Context)
	Synced() <-chan struct{}
}

func (f *follower) run(ctx context.Context, o options) error {
	informer, err := f.newInformer(o)
	if err != nil {
		return err
	}
	stop, err := meter.Profile(f.profile, fmt.Sprint("shard ", f.shard))
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	began, used := time.Now(), meter.CPUTime()
	go func() {
		defer close(ended)
		informer.Run(running)
	}()
	select {
	case <-informer.Synced():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	taken := report.Follower{Seconds: time.Since(began).Seconds(), CPUSeconds: (meter.CPUTime() - used).Seconds()}
	stop()
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for command := "count"; ; command = strings.TrimSpace(lines.Text()) {
		if err := read(&taken, informer, command == "heap"); err != nil {
			return err
		}
		if err := answers.Encode(taken); err != nil {
			return err
		}
		if !lines.Scan() {
			return lines.Err()
		}
	}
}

// read reads the counters of an informer.
func read(taken *report.Follower, informer followed, heap bool) (err error) {
	taken.UsedSeconds = meter.CPUTime().Seconds()
	if taken.PeakBytes, err = meter.PeakRSS(); err != nil { // before the heap is measured, which takes memory too
		return err
	}
	for one := range informer.Statuses() {
		taken.Objects, taken.ReadBytes, taken.Dropped, taken.Updated = one.Status.Objects, one.Stats.BytesRead, one.Stats.Dropped, one.Stats.Updated
	}
	if heap {
		taken.HeapBytes = meter.LiveHeap()
	}
	return nil
}

func (f *follower) newInformer(o options) (followed, error) {
	pods, err := kubernetes.NewForConfig(o.config())
	if err != nil {
		return nil, err
	}
	databases, err := versioned.NewForConfig(o.config())
	if err != nil {
		return nil, err
	}
	var set []cache.SharedInformerOption
	if f.of > 1 {
		set = append(set, cache.WithShard(sharding.Split(sharding.UID, f.of)[f.shard]))
	}
	if o.kind == report.Pods {
		kind := kindOf[*corev1.Pod](pods.CoreV1().RESTClient(), o.kind)
		kind.Protobuf = new(corev1.Pod) // as in a generated factory
		return newFollowed(kind, set)
	}
	return newFollowed(kindOf[*datav1.Database](databases.DataV1().RESTClient(), o.kind), set)
}

func kindOf[T cache.Object](client rest.Interface, name string) cache.Kind[T] {
	resource := kinds[name].resource
	return cache.Kind[T]{
		Resource: resource, Namespaced: true,
		Open: func(namespace string) cache.OpenFunc { return internalinterfaces.Open(client, resource, namespace) },
	}
}

func newFollowed[T cache.Object](kind cache.Kind[T], set []cache.SharedInformerOption) (followed, error) {
	i, err := kind.NewInformer(set...)
	if err != nil {
		return nil, err
	}
	_, err = i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{AddFunc: func(T, bool) {}, UpdateFunc: func(T, T) {}, DeleteFunc: func(T, bool) {}})
	return i, err
}
