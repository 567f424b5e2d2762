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
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/typedinformers/informer-gen/vet"
)

func main() {
	arguments := os.Args[1:]
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

// calledByGo reports whether the arguments come from go vet: a question about the tool, or the file that describes a package. Help is
// about the analyzers, too.
func calledByGo(arguments []string) bool {
	return slices.ContainsFunc(arguments, func(argument string) bool {
		return argument == "-V=full" || argument == "-flags" || argument == "help" || argument == "-help" || argument == "--help" || argument == "-h" || strings.HasSuffix(argument, ".cfg")
	})
}

// run runs go vet over packages; the default is all packages of the module.
func run(arguments []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(arguments, func(argument string) bool { return !strings.HasPrefix(argument, "-") }) {
		arguments = append(arguments, "./...")
	}
	command := exec.Command("go", append([]string{"vet", "-vettool=" + self}, arguments...)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run()
}
