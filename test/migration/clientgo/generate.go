// Package clientgo is an operator on client-go and code-generator, which generates the
// folder generated.
package clientgo

//go:generate go tool client-gen --clientset-name=versioned --output-dir=generated/clientset --output-pkg=github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset --go-header-file=../boilerplate.go.txt --input-base= --input=github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1
//go:generate go tool lister-gen --output-dir=generated/listers --output-pkg=github.com/typedinformers/informer-gen/test/migration/clientgo/generated/listers --go-header-file=../boilerplate.go.txt github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1
//go:generate go tool informer-gen --output-dir=generated/informers --output-pkg=github.com/typedinformers/informer-gen/test/migration/clientgo/generated/informers --versioned-clientset-package=github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned --listers-package=github.com/typedinformers/informer-gen/test/migration/clientgo/generated/listers --go-header-file=../boilerplate.go.txt github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1
