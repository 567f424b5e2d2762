// Command kube is the processes that the benchmark starts to measure informers against a
// whole kube-apiserver:
//
//	load    writes the objects to etcd, as the API server stores them
//	client  an informer of either side; client.go
//	follow  an informer of a shard; follow.go
//	update  updates objects through the API server, at a rate
//	floor   a client that reads the answer to one request and throws it away
//	quiet   waits until pages of lists come from etcd
//	digest  lists the objects, for a comparison with the caches
//
// Of any request, floor prints what it costs:
//
//	kube floor --url=https://… --token=… --kind=pods --accept=application/json --limit=500
//
// What the rows mean:
//
//   - The objects are pods of 2.2 KB of JSON as the server sends them, with all defaults, and
//     custom resources of 1.7 KB, each with managedFields. They are written to etcd in the form in
//     which the API server stores them. Then the server is restarted, so that it has read them
//     like any server that starts.
//   - Each client is a separate process, and so is the server. They share the processors of the
//     machine. All columns read from the same server, one after the other, and every second round
//     is backwards. After its last phase, the cache of each client must have the names and
//     versions that the server has, and the same JSON in a sample of 1,000. Otherwise the
//     benchmark fails.
//   - First sync is the time from the start of the informer until the handler has received the
//     last object. Peak RSS is that of the client up to this moment.
//   - Relist: the watch ends, objects change while the client cannot reach the server, and the
//     server answers the next watch with 410. In the rows "unchanged" one object has changed, and
//     in the rows "1% changed" one of 100. The time begins with the request for the list, so it
//     does not include the wait before a relist, and ends when the handler has received the last
//     event. client-go calls the handler for each object, and our informer for those that have
//     changed.
//   - 1,000 updates a second: 16 writers patch one label of an object each, through the API
//     server, for a minute. The time is from the response to a write until the handler has
//     received the update. It is negative if the update comes first: the server tells watchers
//     before it answers the writer. "Time per update" is more than 1,000 µs if the machine is too
//     slow for the rate. Both sides get the same number of updates.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// options are those of the command line.
type options struct {
	url, token, ca, etcd string
	kind                 string
	objects              int
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kube:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var o options
	var client client
	var follower follower
	var load load
	var update update
	var floor floor
	pflag.StringVar(&o.url, "url", "", "`URL` of the API server")
	pflag.StringVar(&o.token, "token", "", "bearer `TOKEN` of an administrator")
	pflag.StringVar(&o.etcd, "etcd", "", "`URL` of etcd")
	pflag.StringVar(&o.ca, "ca", "", "`FILE` with the certificate of the API server; without it, any is accepted")
	pflag.StringVar(&o.kind, "kind", report.Pods, report.Pods+" or "+report.CustomResources)
	pflag.IntVar(&o.objects, "objects", 20_000, "how many objects there are")
	timeout := pflag.Duration("timeout", 30*time.Minute, "when to give up")
	client.flags()
	follower.flags()
	load.flags()
	update.flags()
	floor.flags()
	if err := pflag.CommandLine.Parse(args); err != nil {
		return err
	}
	if kinds[o.kind] == nil {
		return fmt.Errorf("there is no kind %q", o.kind)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	var result any
	var err error
	switch command := pflag.Arg(0); command {
	case "load":
		err = load.run(ctx, o)
	case "client":
		// client-go reads the variable when the first informer is made.
		if err := os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(client.mode == report.Streaming)); err != nil {
			return err
		}
		result, err = client.run(ctx, o)
	case "follow":
		err = follower.run(ctx, o)
	case "update":
		err = update.run(ctx, o)
	case "floor":
		result, err = floor.run(ctx, o)
	case "quiet":
		err = floor.quiet(ctx, o)
	case "digest":
		result, err = listed(ctx, o)
	default:
		err = fmt.Errorf("the command is %q, and not load, client, follow, update, floor, quiet or digest", command)
	}
	if err != nil || result == nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// config returns a configuration of client-go as programs have it, without a limit of rate.
func (o options) config() *rest.Config {
	return &rest.Config{Host: o.url, BearerToken: o.token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: o.ca, Insecure: o.ca == ""}}
}
