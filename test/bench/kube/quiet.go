package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// quiet waits until the API server answers pages of the kind from etcd: it has dropped the old
// versions that it had in memory, and no one writes objects.
func (f *floor) quiet(ctx context.Context, o options) error {
	clients, err := kubernetes.NewForConfig(o.config())
	if err != nil {
		return err
	}
	poll := time.NewTicker(time.Second)
	defer poll.Stop()
	pages := *f
	pages.limit = o.objects/2 + 1 // the second page is the last one
	for {
		before, err := objectsFromEtcd(ctx, o, clients.RESTClient())
		if err != nil {
			return err
		}
		if _, err := pages.run(ctx, o); err != nil {
			return err
		}
		after, err := objectsFromEtcd(ctx, o, clients.RESTClient())
		if err != nil || after > before {
			return err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// objectsFromEtcd returns how many objects of the kind the server has listed from etcd so far.
func objectsFromEtcd(ctx context.Context, o options, client rest.Interface) (count int, err error) {
	metrics, err := client.Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer metrics.Close()
	resource := kinds[o.kind].resource
	name := fmt.Sprintf("apiserver_storage_list_fetched_objects_total{group=%q,resource=%q} ", resource.Group, resource.Resource)
	lines := bufio.NewScanner(metrics)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name); ok {
			_, err := fmt.Sscan(value, &count)
			return count, err
		}
	}
	return 0, lines.Err()
}
