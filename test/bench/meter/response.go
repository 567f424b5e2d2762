package meter

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Response is the response to a write of an object, or what a client has seen of it.
type Response struct {
	// Version is that of the object.
	Version string
	// Sent is when the request was sent, and At is when the response came, in nanoseconds of
	// the system's clock.
	Sent, At int64
}

// WriteResponses writes a file for ReadResponses.
func WriteResponses(name string, responses []Response) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(file)
	for _, r := range responses {
		fmt.Fprintln(buffered, r.Version, r.Sent, r.At)
	}
	return errors.Join(buffered.Flush(), file.Close())
}

// ReadResponses returns the responses by version.
func ReadResponses(name string) (map[string]Response, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	responses := map[string]Response{}
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var r Response
		if _, err := fmt.Sscan(scanner.Text(), &r.Version, &r.Sent, &r.At); err != nil {
			return nil, err
		}
		responses[r.Version] = r
	}
	return responses, scanner.Err()
}

// Delays returns how long it took from a time of each write until the client saw it, in
// milliseconds, at report.Percentiles. It fails unless the client saw each write once.
func Delays(seen []Response, writes map[string]Response, from func(Response) int64) ([]float64, error) {
	var delays []float64
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
		delays = append(delays, float64(s.At-from(write))/1e6)
	}
	if len(delays) != len(writes) {
		return nil, fmt.Errorf("the client has seen %d updates, and %d were written", len(delays), len(writes))
	}
	slices.Sort(delays)
	var result []float64
	for _, percentile := range report.Percentiles {
		result = append(result, delays[min(int(float64(len(delays))*percentile/100), len(delays)-1)])
	}
	return result, nil
}
