// Command informer-vet reports mistakes of programs with informers:
//
//	informer-vet [-fix] [-tombstone] [-cachewrite] … [package…]
//	go vet -vettool=$(go tool -n informer-vet) ./...
//
// Both are the same: the command runs go vet with itself as the tool, so that facts about dependencies are in the build cache. With the
// names of analyzers as flags only those run. It exits with 1 if there is a finding.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/typedinformers/informer-gen/vet"
)

func main() {
	arguments := os.Args[1:]
	if slices.ContainsFunc(arguments, func(argument string) bool { return argument == "-h" || argument == "-help" || argument == "--help" }) {
		printHelp(os.Stdout)
		return
	}
	if calledByGo(arguments) {
		unitchecker.Main(vet.Analyzers()...)
	}
	if err := run(arguments); err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) { // go vet has said why
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "informer-vet:", err)
		os.Exit(2)
	}
}

// calledByGo reports whether the arguments come from go vet: a question about the tool, or the file that describes a package.
// "help NAME" is about an analyzer.
func calledByGo(arguments []string) bool {
	return slices.ContainsFunc(arguments, func(argument string) bool {
		return argument == "-V=full" || argument == "-flags" || argument == "help" || strings.HasSuffix(argument, ".cfg")
	})
}

// printHelp writes what the command and its analyzers do.
func printHelp(w io.Writer) {
	fmt.Fprint(w, `informer-vet reports mistakes of programs with informers.

Usage:
  informer-vet [-fix] [-tags=TAG,…] [-ANALYZER…] [package…]
  go vet -vettool=$(go tool -n informer-vet) [package…]

The default is all packages of the module. All other flags of go vet work too. With the names of analyzers as flags only
these run; informer-vet help NAME describes one:
`)
	for _, a := range vet.Analyzers() {
		title, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Fprintf(w, "  %-12s %s\n", a.Name, title)
	}
}

// run runs go vet over packages; the default is all packages of the module.
func run(arguments []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if !namesPackages(arguments) {
		arguments = append(arguments, "./...")
	}
	command := exec.Command("go", append([]string{"vet", "-vettool=" + self}, arguments...)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run()
}

// namesPackages reports whether an argument is a package, and not a flag or the value of -tags.
func namesPackages(arguments []string) bool {
	for n, argument := range arguments {
		isValue := n > 0 && (arguments[n-1] == "-tags" || arguments[n-1] == "--tags")
		if !isValue && !strings.HasPrefix(argument, "-") {
			return true
		}
	}
	return false
}
