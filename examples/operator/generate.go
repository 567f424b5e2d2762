package main

// The first command generates deep copies and CRDs from api/. The second one
// generates the clientset, listers and informers. hack/verify-codegen.sh reads the
// flags from this file.

//go:generate go tool controller-gen object:headerFile=hack/boilerplate.go.txt crd paths=./api/... output:crd:dir=config/crd
//go:generate go tool informer-gen --output-dir=generated --crd=config/crd --with-applyconfig --go-header-file=hack/boilerplate.go.txt ./api/...
