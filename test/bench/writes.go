package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// writes measures controllers that read what they have written.
func (o *options) writes(ctx context.Context, objects int) {
	binary, nextBinary := o.build(ctx, "writes"), o.buildNext(ctx, "writes")
	server, access, stop := o.start(ctx)
	defer stop()
	manifest := meter.Must(os.ReadFile(filepath.Join(o.repo, "examples", "operator", "config", "crd", "data.example.com_databases.yaml")))
	install(ctx, access, manifest, "/apis/data.example.com/v1/databases")
	var children []child
	for name, args := range map[string][]string{"InTurn": {"--steps=20"}, "AtOnce": {"--steps=10", "--keep"}} {
		add := func(program, side string) {
			children = append(children, child{"Writes/" + name, program, slices.Concat([]string{"--side=" + side, "--objects=" + strconv.Itoa(objects)}, args, access.Args())})
		}
		for _, side := range []string{"informer-gen", "controller-runtime-consistent", "informers", "controller-runtime", "crcache"} {
			add(binary, side)
		}
		if nextBinary != "" {
			add(nextBinary, "consistency-store")
		}
	}
	o.run(ctx, server, children)
}
