package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime/debug"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// fleet measures managers of a cluster with so many nodes and as many pods, over HTTP from package podserver. The peer has the
// tenth of it, and crcache the half with whole objects, because they need most of the memory of the machine.
func (o *options) fleet(ctx context.Context, nodes int) {
	binary := o.build(ctx, "fleet")
	debug.SetGCPercent(25) // the servers take some GB, and the managers need the rest of the memory
	for _, row := range []struct {
		name, side, cache string
		part              int
	}{
		{"Fleet/tenth/whole", "controller-runtime", "whole", 10},
		{"Fleet/tenth/whole", "crcache", "whole", 10},
		{"Fleet/half/whole", "crcache", "whole", 2},
		{"Fleet/all/fields", "crcache", "fields", 1},
		{"Fleet/all/packed", "crcache", "packed", 1},
	} {
		if !strings.HasPrefix(row.name, o.rows) {
			continue
		}
		count := nodes / row.part
		web := httptest.NewServer(podserver.NewFleet(count, row.side == "crcache"))
		debug.FreeOSMemory()
		o.run(ctx, nil, []child{{row.name, binary, []string{
			"--side=" + row.side, "--cache=" + row.cache, fmt.Sprint("--nodes=", count), fmt.Sprint("--pods=", count),
			fmt.Sprint("--minutes=", o.minutes), "--url=" + web.URL,
		}}})
		web.Close()
	}
}
