package main

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// backlogLimit is how many events may wait for a handler that has a limit.
const backlogLimit = 1000

// newOurs makes an informer of this runtime, as a generated factory does.
func newOurs[T cache.Object](c *client, connection *connection, handlers []handler) *informer {
	kind := cache.Kind[T]{Resource: c.kind.GroupVersionResource(), Open: func(string) bodies.OpenFunc { return openFrom(connection.of(c.kind), c.kind) }}
	switch {
	case c.fields == "metadata":
		kind.Protobuf = new(metav1.PartialObjectMetadata)
	case c.kindName == podserver.Pods:
		kind.Protobuf = new(corev1.Pod)
	}
	i := meter.Must(kind.NewInformer(c.ourOptions()...))
	var options []cache.HandlerOption
	if c.scenario == "limited" {
		options = append(options, cache.WithBacklogLimit(backlogLimit))
	}
	for _, h := range handlers {
		meter.Must(i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
			AddFunc:    func(T, bool) { h.Add() },
			UpdateFunc: func(_, after T) { h.Update(after) },
			DeleteFunc: func(T, bool) { h.Delete() },
		}, options...))
	}
	return &informer{
		run: i.Run,
		stored: func(yield func(podserver.Object) bool) {
			for obj := range i.GetStore().All() {
				if !yield(obj) {
					return
				}
			}
		},
		stats: func() (stats status.Stats) {
			for one := range i.Statuses() {
				stats = one.Stats
			}
			return stats
		},
	}
}

func openFrom(client rest.Interface, kind podserver.Kind) bodies.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		return client.Get().Resource(kind.Resource).SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
			SetHeader("Accept", accept).Stream(ctx)
	}
}

func (c *client) ourOptions() (set []cache.SharedInformerOption) {
	if c.fields == "unmanaged" || c.fields == "view" {
		set = append(set, cache.WithoutFields("metadata.managedFields"))
	}
	if c.json {
		set = append(set, cache.WithoutProtobuf())
	}
	if c.fields == "view" {
		set = append(set, cache.WithoutUpdateGuard(), cache.WithoutFields("metadata.annotations["+unread+"]"))
	}
	if c.mode == "streaming" {
		set = append(set, cache.WithStreamingList())
	}
	if c.shards > 1 {
		set = append(set, cache.WithShard(c.ourShard()))
	}
	return set
}

// ourShard is empty, and so has all objects, if there is only one.
func (c *client) ourShard() sharding.Selector {
	if c.shards == 1 {
		return sharding.Selector{}
	}
	return sharding.Split(sharding.UID, c.shards)[c.shard]
}
