// Package updates writes objects through the API server, at a rate, and measures how long a client takes to see that. The
// writer is a process of its own, so that its work does not count for the client:
//
//	bench update --kind=pods --objects=20000 --count=5000 --rate=1000 --out=responses --url=https://…
package updates

import (
	"context"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// Writer starts the process.
type Writer struct {
	// Program is the file of the command bench.
	Program string
	Access  link.Access
	Kind    string
	Objects int
}

// Run writes count updates, spread over the objects, and returns the responses by version. rate is how many of them a second; 0
// is as fast as the server answers.
func (w *Writer) Run(ctx context.Context, count, rate int) map[string]Response {
	folder := meter.Must(os.MkdirTemp("", "bench-updates-"))
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "responses")
	command := exec.CommandContext(ctx, w.Program, append([]string{
		"update", "--kind=" + w.Kind, "--objects=" + strconv.Itoa(w.Objects), "--count=" + strconv.Itoa(count),
		"--rate=" + strconv.Itoa(rate), "--from=" + strconv.FormatInt(time.Now().UnixNano(), 10), "--out=" + out,
	}, w.Access.Args()...)...)
	command.Stderr = os.Stderr
	meter.Check(command.Run())
	return readResponses(out)
}

// stride is between objects that are updated one after the other. It is a prime.
const stride = 7919

// Name returns the namespace and the name of the object of update n, from 0 on.
func Name(n, objects int) (namespace, name string) {
	// The first object of a collection is not among the first ones updated.
	return podserver.Name((n + 1) * stride % objects)
}

// Response is the response to a write of an object, or what a client has seen of it.
type Response struct {
	// Version is that of the object.
	Version string
	// Sent is when the request was sent, and At is when the response came, in nanoseconds of
	// the system's clock.
	Sent, At int64
}

func writeResponses(name string, responses []Response) {
	file := meter.Must(os.Create(name))
	meter.Check(gob.NewEncoder(file).Encode(responses))
	meter.Check(file.Close())
}

// readResponses returns the responses by version.
func readResponses(name string) map[string]Response {
	file := meter.Must(os.Open(name))
	defer file.Close()
	var all []Response
	meter.Check(gob.NewDecoder(file).Decode(&all))
	responses := map[string]Response{}
	for _, r := range all {
		responses[r.Version] = r
	}
	return responses
}

// Delays returns how long it took from a time of each write until the client saw it, the shortest time first. It fails unless
// the client saw each write once.
func Delays(seen []Response, writes map[string]Response, from func(Response) int64) (delays []time.Duration, err error) {
	known := map[string]bool{}
	for _, s := range seen {
		write, ok := writes[s.Version]
		if !ok {
			return nil, fmt.Errorf("the client has seen version %s, which no one has written", s.Version)
		}
		if known[s.Version] {
			return nil, fmt.Errorf("the client has seen version %s twice", s.Version)
		}
		known[s.Version] = true
		delays = append(delays, time.Duration(s.At-from(write)))
	}
	if len(delays) != len(writes) {
		return nil, fmt.Errorf("the client has seen %d updates, and %d were written", len(delays), len(writes))
	}
	slices.Sort(delays)
	return delays, nil
}
