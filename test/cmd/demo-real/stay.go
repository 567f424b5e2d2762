package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// addresses are what the operator serves.
type addresses struct{ probes, debug string }

// serving is how the operator logs an address.
var serving = regexp.MustCompile(`Serving ([^"]+)" address="([^"]+)"`)

// logFile is the log of the operator. It finds the addresses in it.
type logFile struct {
	to    io.Writer
	text  []byte
	seen  addresses
	found chan<- addresses // gets the addresses once, when both are known
}

// Write writes to the file, and looks for addresses until both are known.
func (l *logFile) Write(p []byte) (int, error) {
	if l.found != nil {
		l.text = append(l.text, p...)
		for _, match := range serving.FindAllSubmatch(l.text, -1) {
			if url := "http://" + string(match[2]); string(match[1]) == "/debug/informers" {
				l.seen.debug = url
			} else {
				l.seen.probes = url
			}
		}
		if l.seen.debug != "" && l.seen.probes != "" {
			l.found <- l.seen
			l.found, l.text = nil, nil
		}
	}
	return l.to.Write(p)
}

// showAddresses prints where the operator can be seen, once it serves.
func (s *stage) showAddresses(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case s.serves = <-s.found:
	case <-s.ended:
		return s.endedByItself()
	case <-ctx.Done():
		return fmt.Errorf("the operator does not serve its page: %w", ctx.Err())
	}
	demo.Say("page", "%s/debug/informers shows what the operator's informers do", s.serves.debug)
	demo.Say("metrics", "%s/metrics", s.serves.probes)
	demo.Say("readiness", "%s/readyz", s.serves.probes)
	return nil
}

// stay changes a Database until ctx ends, so that there is something to see. It needs the class of
// play.
func (s *stage) stay(ctx context.Context) error {
	databases := s.client.DataV1().Databases("team-a")
	orders := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 20}}
	if _, err := databases.Create(ctx, orders, metav1.CreateOptions{}); demo.IsFinal(ctx, err) {
		return err
	}
	demo.Say("stay", "team-a/orders gets another size each second, and more than its class has now and then. Press Ctrl-C to end")
	tick := time.NewTicker(demo.Pause)
	defer tick.Stop()
	for changes := 1; ; {
		select {
		case <-ctx.Done():
			demo.Say("stay", "%d changes", changes)
			return nil
		case <-s.ended:
			return s.endedByItself()
		case e := <-s.events: // an event that no one reads would stop the informers
			if e.Waits() {
				if err := s.report(ctx, e.Server.Name); demo.IsFinal(ctx, err) {
					return err
				}
			}
		case <-tick.C:
			if err := s.resize(ctx, demo.Size(changes)); demo.IsFinal(ctx, err) {
				return err
			}
			changes++
		}
	}
}
