package apply

// The configurations are generated without the CRDs, so that the scenarios test the schemas of the Go
// types. TestTypesAndCRDsAgree reads both.

//go:generate go tool controller-gen crd:maxDescLen=0 paths=./api/... output:crd:dir=config/crd
//go:generate go run github.com/typedinformers/informer-gen/cmd/informer-gen --output-dir=generated --with-applyconfig --deepcopy --register --applyconfig-externals=k8s.io/api/core/v1.Container:k8s.io/client-go/applyconfigurations/core/v1 ./api/...
