package main

import (
	"context"
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/bench/contents"
	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// check compares the cache with what the server has, and the requests of the informer with what it was asked for.
func (c *client) check(ctx context.Context, i *informer) {
	meter.Check(contents.Compare(i.stored, c.listed(ctx), c.part))
	meter.Check(c.checkRequests(c.link.Requests()))
}

// listed is what client-go's typed clients list, of the shard.
func (c *client) listed(ctx context.Context) iter.Seq[podserver.Object] {
	connection, shard := connect(c.access.Config(), c.json), c.ourShard()
	return func(yield func(podserver.Object) bool) {
		var all iter.Seq[podserver.Object]
		if c.kindName == podserver.Pods {
			all = contents.Objects(meter.Must(connection.clientset.CoreV1().Pods("").List(ctx, metav1.ListOptions{})).Items)
		} else {
			all = contents.Objects(meter.Must(typedDatabases(connection).List(ctx, metav1.ListOptions{})).Items)
		}
		for obj := range all {
			if shard.Matches(obj) && !yield(obj) {
				return
			}
		}
	}
}

// part returns the fields that the informer keeps.
func (c *client) part(obj podserver.Object) any {
	switch pod, isPod := obj.(*corev1.Pod); {
	case c.fields == "metadata":
		return meta.AsPartialObjectMetadata(obj).ObjectMeta
	case c.fields == "view" && isPod:
		return viewOf(pod)
	case c.fields == "unmanaged":
		obj.SetManagedFields(nil)
	}
	return obj // also a view
}

// checkRequests fails if the informer has sent other requests than it should.
func (c *client) checkRequests(sent link.Requests) error {
	lists := 1
	if c.relists() {
		lists += 2
	}
	if sent.Lists+sent.Streams != lists || c.mode == "streaming" && sent.Lists != 0 || c.mode == "LIST" && sent.Streams != 0 {
		return fmt.Errorf("the client has sent %+v, not %d requests for a list in mode %s", sent, lists, c.mode)
	}
	if isProtobuf := (c.kindName == podserver.Pods || c.fields == "metadata") && !c.json; isProtobuf != (sent.Protobuf == sent.Lists+sent.Streams+sent.Watches) {
		return fmt.Errorf("the client has sent %+v, which is another encoding than it should ask for", sent)
	}
	return nil
}
