// Package generator has benchmarks of the generator, and of what its output costs to compile:
//
//	go test -run='^$' -bench=. -benchtime=1x -count=3 ./bench/generator
//
// Generate/…/first measures whole processes: ours into an empty folder, and client-gen, lister-gen and informer-gen of code-generator one
// after the other into an empty folder. With apply configurations, applyconfiguration-gen comes first. Generate/…/again is ours
// with nothing to change. Each side has run once before, which fills the caches, unless the name has cold: then the build cache
// is empty. The tests of test/compare compare the output of both sides.
//
// CPU time and peak RSS include the processes that a side starts, such as go list. The RSS is that of the largest process.
//
// Compile measures what a change of a package costs its user. Binary is the size of the binary of an operator, without symbols.
package generator
