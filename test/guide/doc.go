// Package guide has the Go code of the pages in docs. It has tests only. The command in hack/tools/pages compares the pages
// with the Go files of the repository, these among them.
package guide
