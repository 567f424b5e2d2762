package main

import (
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// newInformersOwnWrites reads each write from the cache as soon as the server has answered it.
func newInformersOwnWrites(config *rest.Config) (program, error) {
	own := new(writes.Observer)
	config.Wrap(own.Transport)
	return newFactory(config, cache.ReadYourWrites(own))
}

// newBridge is a manager of controller-runtime over our cache, which does the same.
func newBridge(config *rest.Config) (program, error) {
	own := new(writes.Observer)
	config.Wrap(own.Transport)
	return makeManager(config, ctrl.Options{NewCache: crcache.ReadYourWrites(own)})
}
