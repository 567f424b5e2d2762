package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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

// startWith starts a kube-apiserver with objects of a kind. It has read them like any server that starts, and has no events from
// before, so that watches of old versions have expired.
func (o *options) startWith(ctx context.Context, kind string, objects int, flags ...string) (server *kubeserver.Server, access link.Access, stop func()) {
	server, access, stop = o.start(ctx, flags...)
	load(ctx, access, server.Access().Etcd, kind, objects)
	meter.Check(server.Restart(ctx))
	awaitServed(access, podserver.Kinds[kind].Path())
	return server, access, stop
}

// clientOf is a client of a kube-apiserver.
func (o *options) clientOf(binary string, access link.Access, kind string, objects int, name, side, mode string, args ...string) child {
	return child{name, binary, slices.Concat([]string{"--side=" + side, "--mode=" + mode}, args, []string{
		"--kind=" + kind, "--objects=" + strconv.Itoa(objects), "--writer=" + meter.Must(os.Executable()),
		"--rate=" + strconv.Itoa(o.rate), "--seconds=" + strconv.Itoa(o.seconds),
	}, access.Args())}
}

// kube measures informers by default and in their other mode. Ours reads a LIST by default, and client-go's a streaming list. It
// also measures first syncs on one processor, without managedFields, and of metadata alone.
//
// The objects are pods of 2.2 KB of JSON as the server sends them, with all defaults, and custom resources of 2 KB, each with
// managedFields.
func (o *options) kube(ctx context.Context, objects int) {
	binary := o.build(ctx, "client")
	for _, k := range kinds {
		if !o.measures("Kube/" + k.name + "/") {
			continue
		}
		server, access, stop := o.startWith(ctx, k.kind, objects)
		var children []child
		for _, c := range []struct {
			name, side, mode string
			args             []string
		}{
			{"default", "informer-gen", "default", nil},
			{"default", "client-go", "default", nil},
			{"streaming", "informer-gen", "streaming", []string{"--scenario=relists"}},
			{"LIST", "client-go", "LIST", []string{"--scenario=relists"}},
			{"streaming", "none", "streaming", nil},
			{"LIST", "none", "LIST", nil},
			{"GOMAXPROCS=1", "informer-gen", "default", []string{"--scenario=sync", "--processors=1"}},
			{"GOMAXPROCS=1", "client-go", "default", []string{"--scenario=sync", "--processors=1"}},
			{"LIST/GOMAXPROCS=1", "client-go", "LIST", []string{"--scenario=sync", "--processors=1"}},
			{"unmanaged", "informer-gen", "default", []string{"--scenario=sync", "--fields=unmanaged"}},
			{"unmanaged", "client-go", "default", []string{"--scenario=sync", "--fields=unmanaged"}},
			{"metadata", "informer-gen", "default", []string{"--scenario=sync", "--fields=metadata"}},
			{"metadata", "client-go", "default", []string{"--scenario=sync", "--fields=metadata"}},
		} {
			children = append(children, o.clientOf(binary, access, k.kind, objects, "Kube/"+k.name+"/"+c.name, c.side, c.mode, c.args...))
		}
		o.run(ctx, server, children)
		stop()
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
			name := "Shards/" + k.name + "/gate=" + gate
			if !o.measures(name + "/") {
				continue
			}
			server, access, stop := o.startWith(ctx, k.kind, objects, "--feature-gates=ShardedListAndWatch="+gate)
			children := []child{o.clientOf(binary, access, k.kind, objects, name+"/all", "informer-gen", "default")}
			for shard := range shardCount {
				children = append(children, o.clientOf(binary, access, k.kind, objects, name+"/shard", "informer-gen", "default", fmt.Sprint("--shard=", shard), fmt.Sprint("--shards=", shardCount)))
			}
			o.run(ctx, server, children)
			stop()
		}
	}
}

// managers measures managers of controller-runtime, with its cache and with ours, by default and with the options for a kind with
// many objects.
func (o *options) managers(ctx context.Context, objects int) {
	binary := o.build(ctx, "client")
	for _, k := range kinds {
		if !o.measures("Manager/" + k.name + "/") {
			continue
		}
		server, access, stop := o.startWith(ctx, k.kind, objects)
		var children []child
		for _, side := range []string{"controller-runtime", "crcache"} {
			children = append(children, o.clientOf(binary, access, k.kind, objects, "Manager/"+k.name, side, "default"),
				o.clientOf(binary, access, k.kind, objects, "Manager/"+k.name+"/tuned", side, "default", "--fields=unmanaged"))
		}
		o.run(ctx, server, children)
		stop()
	}
}
