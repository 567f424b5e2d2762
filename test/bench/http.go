package main

import (
	"cmp"
	"context"
	"net/http/httptest"
	"strconv"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// setting is what the clients of one server have in common.
type setting struct {
	// name begins the names of its results.
	name, kind string
	// json makes both sides ask for JSON. By default they ask for what their generated
	// clients ask for.
	json bool
	// divisor divides the number of objects. most is the largest number.
	divisor, most int
	requests      []request
}

// request is what the clients of both sides do, or one side.
type request struct{ name, mode, scenario, fields, side string }

var (
	streaming = request{"streaming", "streaming", "changes", "all", ""}
	list      = request{"LIST", "LIST", "changes", "all", ""}
	listOnly  = request{"LIST", "LIST", "sync", "all", ""}
	// The peer of a view is client-go with a transform, or without, whose results the others have.
	view, viewOfPeer           = request{"view", "streaming", "sync", "view", "informer-gen"}, request{"view", "LIST", "sync", "view", "client-go"}
	unmanaged, unmanagedOfPeer = request{"unmanaged", "streaming", "sync", "unmanaged", "informer-gen"}, request{"unmanaged", "LIST", "sync", "unmanaged", "client-go"}
	slow                       = request{"slow", "streaming", "slow", "all", ""}
	limited                    = request{"limited", "streaming", "limited", "all", "informer-gen"}
)

var settings = []setting{
	{"Pods", podserver.Pods, false, 0, 0, []request{streaming, list, view, viewOfPeer}},
	{"PodsJSON", podserver.Pods, true, 0, 0, []request{streaming, list, unmanaged, unmanagedOfPeer, view, viewOfPeer}},
	{"CustomResources2KB", podserver.Small, false, 0, 0, []request{streaming, listOnly}},
	{"CustomResources20KB", podserver.Large, false, 10, 0, []request{streaming, listOnly}},
	{"PodsBacklog", podserver.Pods, false, 0, 10_000, []request{slow, limited}},
}

// http measures informers that read over HTTP from package podserver, in this process. It does little work, so that the
// results show what a client costs. The objects are pods of 1.9 KB of JSON or 1.1 KB of protobuf each, in 100 namespaces, and custom
// resources. Their names, UIDs, addresses, times and digests differ. Client-go requests LIST at version 0, and our informer at the
// newest version. The server answers both with all objects in one response, as the API server does.
func (o *options) http(ctx context.Context, objects int) {
	binary := o.build(ctx, "client")
	for _, s := range settings {
		objects := min(objects/cmp.Or(s.divisor, 1), cmp.Or(s.most, objects))
		isProtobuf := s.kind == podserver.Pods && !s.json
		web := httptest.NewServer(podserver.New(podserver.Options{Kind: podserver.Kinds[s.kind], Objects: objects, Protobuf: isProtobuf}))
		var children []child
		for _, r := range s.requests {
			for _, side := range []string{"informer-gen", "client-go"} {
				if r.side == "" || r.side == side {
					children = append(children, child{s.name + "/" + r.name, binary, []string{
						"--side=" + side, "--mode=" + r.mode, "--scenario=" + r.scenario, "--fields=" + r.fields, "--kind=" + s.kind,
						"--objects=" + strconv.Itoa(objects), "--json=" + strconv.FormatBool(s.json), "--url=" + web.URL,
					}})
				}
			}
		}
		o.run(ctx, nil, children)
		web.Close()
	}
}
