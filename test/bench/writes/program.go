package main

import (
	"context"

	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// program is what a controller reads from and writes with. Its methods but start may be called
// from any goroutine.
type program interface {
	// start returns when the cache has synced. Event handlers call enqueue with the name of the
	// database that an event is about. stop returns when the cache has ended.
	start(ctx context.Context, enqueue func(database string)) (stop func(), err error)
	// database returns a copy from the cache, and liveDatabase from the server.
	database(ctx context.Context, name string) (*datav1.Database, error)
	liveDatabase(ctx context.Context, name string) (*datav1.Database, error)
	updateStatus(ctx context.Context, db *datav1.Database) error
	// servers returns those of a database in the cache. The caller must not change them.
	servers(ctx context.Context, database string) ([]*datav1.DatabaseServer, error)
	create(ctx context.Context, server *datav1.DatabaseServer) error
}

type newProgram func(*rest.Config) (program, error)

var programs = map[string]newProgram{
	report.Informers:          newInformers,
	report.InformersOwnWrites: newInformersOwnWrites,
	report.Manager:            newManager,
	report.ManagerOwnWrites:   newConsistentManager,
	report.Bridge:             newBridge,
}

const (
	// namespace has all objects.
	namespace = "writes"
	// ownerLabel of a server has the name of its database, and ordinalLabel a number below
	// steps.
	ownerLabel, ordinalLabel = "example.com/database", "example.com/ordinal"
)
