// Command attacks measures objects that an attacker has written to be expensive, in the
// decoders and indexes of this runtime and of client-go. The benchmark starts it.
//
//	texts.go     the texts of such objects
//	decoding.go  each text by each decoder
//	messages.go  the same in protobuf
//	indexing.go  changes of objects with many index values
//	attack.go    one attack on both sides
//
// An attack that takes five times as long as with client-go breaks a promise.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/pflag"
)

func main() {
	rounds := pflag.Int("rounds", 5, "how often each attack is measured on each side")
	size := pflag.Int("size", 1_500_000, "how many bytes an object has; the default is the limit of etcd")
	pflag.Parse()
	reports, err := measureAll(allAttacks(*size), *rounds)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(reports)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attacks:", err)
		os.Exit(1)
	}
}
