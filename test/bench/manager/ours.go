package main

import crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"

// ourCache is the one line that a project adds.
var ourCache = crcache.New
