package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// kinds are those that a kube-apiserver has, by their names in results.
var kinds = []struct{ name, kind string }{{"Pods", podserver.Pods}, {"CustomResources", podserver.Small}}

// start starts a kube-apiserver, which ends with this process or with stop.
func (o *options) start(ctx context.Context, flags ...string) (server *kubeserver.Server, access link.Access, stop func()) {
	binary := o.server
	if binary == "" {
		binary = filepath.Join(o.repo, "build", "bin", "kube-server")
		meter.Check(kubeserver.Build(ctx, o.repo, binary))
	}
	server = meter.Must(kubeserver.Start(ctx, kubeserver.Options{Binary: binary, Args: flags}))
	meter.AtExit = func() { _ = server.Stop() } // or its data would stay
	at := server.Access()
	return server, link.Access{URL: at.URL, Token: at.Token, CA: at.CA}, func() {
		meter.AtExit = nil
		meter.Check(server.Stop())
	}
}

// withServer runs clients of a new kube-apiserver with objects of a kind, unless none of their rows, whose names begin with prefix,
// is to be measured. The server has read the objects like any server that starts, and has no events from before, so that watches of
// old versions have expired.
func (o *options) withServer(ctx context.Context, prefix, kind string, objects int, clients func(link.Access) []child, flags ...string) {
	if !strings.HasPrefix(prefix, o.rows) && !strings.HasPrefix(o.rows, prefix) {
		return
	}
	server, access, stop := o.start(ctx, flags...)
	load(ctx, access, server.Access().Etcd, kind, objects)
	meter.Check(server.Restart(ctx))
	awaitServed(access, podserver.Kinds[kind].Path())
	o.run(ctx, server, clients(access))
	stop()
}

// clientOf is a client of a kube-apiserver.
func (o *options) clientOf(binary string, access link.Access, kind string, objects int, name, side, mode string, args ...string) child {
	return child{name, binary, slices.Concat([]string{
		"--side=" + side, "--mode=" + mode, "--kind=" + kind, "--objects=" + strconv.Itoa(objects), "--writer=" + meter.Must(os.Executable()),
		"--rate=" + strconv.Itoa(o.rate), "--seconds=" + strconv.Itoa(o.seconds),
	}, access.Args(), args)}
}

// together are clients that follow the same updates as both sides, at several rates. Each side connects first once.
func (o *options) together(binary string, access link.Access, kind string, objects int, name string, sides [2]string) (children []child) {
	for _, rate := range []int{50, 150, 300} {
		for first := range sides {
			children = append(children, o.clientOf(binary, access, kind, objects, fmt.Sprintf("%s/together/rate=%d", name, rate), sides[first], "default",
				"--scenario=together", "--peer="+sides[1-first], fmt.Sprint("--rate=", rate)))
		}
	}
	return children
}

// kube measures informers by default and in their other mode. Ours reads a LIST by default, and client-go's a streaming list. It
// also measures first syncs on 1, 2 and 4 processors if the machine has more, without managedFields, and of metadata alone. The
// sides that end with @next have the next client-go.
//
// The objects are pods of 2.2 KB of JSON as the server sends them, with all defaults, and custom resources of 2 KB, each with
// managedFields.
func (o *options) kube(ctx context.Context, objects int) {
	type row struct {
		name, side, mode string
		// next is whether the next client-go is measured too.
		next bool
		args []string
	}
	rows := []row{
		{"default", "informer-gen", "default", true, nil},
		{"default", "client-go", "default", true, nil},
		{"streaming", "informer-gen", "streaming", false, []string{"--scenario=relists"}},
		{"LIST", "client-go", "LIST", true, []string{"--scenario=relists"}},
		{"streaming", "none", "streaming", false, nil},
		{"LIST", "none", "LIST", false, nil},
	}
	for processors := 1; processors <= 4 && processors < runtime.GOMAXPROCS(0); processors *= 2 {
		name, args := fmt.Sprint("GOMAXPROCS=", processors), []string{"--scenario=sync", fmt.Sprint("--processors=", processors)}
		rows = append(rows, row{name, "informer-gen", "default", true, args}, row{name, "client-go", "default", true, args},
			row{"LIST/" + name, "client-go", "LIST", true, args})
	}
	for _, fields := range []string{"unmanaged", "metadata"} {
		for _, side := range []string{"informer-gen", "client-go"} {
			rows = append(rows, row{fields, side, "default", false, []string{"--scenario=sync", "--fields=" + fields}})
		}
	}
	binary, nextBinary := o.build(ctx, "client"), o.buildNext(ctx, "client")
	for _, k := range kinds {
		o.withServer(ctx, "Kube/"+k.name+"/", k.kind, objects, func(access link.Access) (children []child) {
			for _, r := range rows {
				name := "Kube/" + k.name + "/" + r.name
				children = append(children, o.clientOf(binary, access, k.kind, objects, name, r.side, r.mode, r.args...))
				if !r.next || nextBinary == "" {
					continue
				}
				args := append(slices.Clone(r.args), "--next="+next)
				if r.side == "informer-gen" {
					args = append(args, "--scenario=sync") // of ours, only to see whether it differs
				}
				children = append(children, o.clientOf(nextBinary, access, k.kind, objects, name, r.side, r.mode, args...))
			}
			return append(children, o.together(binary, access, k.kind, objects, "Kube/"+k.name, [2]string{"informer-gen", "client-go"})...)
		})
	}
}

// shardCount is how many processes share the objects.
const shardCount = 4

// shards measures informers of a shard, one after the other, and an informer of all objects, on a server with the feature gate
// ShardedListAndWatch, which sends only the objects of the shard, and on one that ignores shards. Each follows updates of the
// whole collection.
func (o *options) shards(ctx context.Context, objects int) {
	binary := o.build(ctx, "client")
	for _, k := range kinds {
		for _, gate := range []string{"false", "true"} {
			name := "Shards/" + k.name + "/gate=" + gate + "/"
			o.withServer(ctx, name, k.kind, objects, func(access link.Access) []child {
				children := []child{o.clientOf(binary, access, k.kind, objects, name+"all", "informer-gen", "default")}
				for shard := range shardCount {
					children = append(children, o.clientOf(binary, access, k.kind, objects, name+"shard", "informer-gen", "default", fmt.Sprint("--shard=", shard), fmt.Sprint("--shards=", shardCount)))
				}
				return children
			}, "--feature-gates=ShardedListAndWatch="+gate)
		}
	}
}

// managers measures managers of controller-runtime, with its cache and with ours, by default and with the options for a kind with
// many objects.
func (o *options) managers(ctx context.Context, objects int) {
	binary := o.build(ctx, "client")
	for _, k := range kinds {
		name := "Manager/" + k.name
		o.withServer(ctx, name, k.kind, objects, func(access link.Access) (children []child) {
			for _, side := range []string{"controller-runtime", "crcache"} {
				children = append(children, o.clientOf(binary, access, k.kind, objects, name, side, "default"),
					o.clientOf(binary, access, k.kind, objects, name+"/tuned", side, "default", "--fields=unmanaged"))
			}
			return append(children, o.together(binary, access, k.kind, objects, name, [2]string{"crcache", "controller-runtime"})...)
		})
	}
}
