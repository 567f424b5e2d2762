// Package operator has what is generated for the operator in the folder controller.
package operator

//go:generate go run github.com/typedinformers/informer-gen/cmd/informer-gen --output-dir=generated --go-header-file=../boilerplate.go.txt ../apis/...
