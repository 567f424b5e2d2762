package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
	"github.com/typedinformers/informer-gen/test/shards/fleet"
)

// play adds, kills, pauses and stops processes.
func (s *stage) play(ctx context.Context) error {
	for range 3 {
		if err := s.add(ctx); err != nil {
			return err
		}
	}
	demo.Say("", "They share the databases by the Lease %s/database-operator-shards. The first processes wait for %v, in case", fleet.Namespace, leaseDuration)
	demo.Say("", "that someone has deleted that Lease while others work. Ten databases change each second, from now on.")
	if err := s.rebalance(ctx); err != nil {
		return err
	}
	s.change(ctx)

	if err := s.add(ctx); err != nil {
		return err
	}
	demo.Say("", "It gets databases of each of the others, after they have ended their work on these.")
	if err := s.rebalance(ctx); err != nil {
		return err
	}

	killed := s.fleet.Running()[1]
	demo.Say("kill -9", "%s. It cannot tell the others, so they wait until its Lease of %v has expired", killed.Name, leaseDuration)
	if err := killed.Kill(); err != nil {
		return err
	}
	if err := s.rebalance(ctx); err != nil {
		return err
	}

	paused := s.fleet.Running()[0]
	demo.Say("SIGSTOP", "%s is stopped, like a process on a paused machine", paused.Name)
	if err := paused.Pause(); err != nil {
		return err
	}
	if err := s.rebalance(ctx); err != nil {
		return err
	}
	demo.Say("SIGCONT", "%s runs again. It finds that its Lease has expired before it writes anything, and then gets databases again", paused.Name)
	if err := paused.Resume(); err != nil {
		return err
	}
	if err := s.rebalance(ctx); err != nil {
		return err
	}

	last := s.fleet.Running()[2]
	demo.Say("SIGTERM", "%s ends regularly: it gives its databases to the others, which do not have to wait", last.Name)
	stopped := make(chan error, 1)
	go func() { stopped <- last.Stop() }()
	if err := s.rebalance(ctx); err != nil {
		return err
	}
	return <-stopped
}

// add starts a process.
func (s *stage) add(ctx context.Context) error {
	m, err := s.fleet.Start(ctx)
	if err != nil {
		return err
	}
	demo.Say("start", "examples/operator --shards runs as process %d, called %s", m.Pid(), m.Name)
	return nil
}

// rebalance prints who has how many databases, as it changes, until each process that runs has some and all
// databases are with one.
func (s *stage) rebalance(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stall)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	started, before := time.Now(), ""
	for settled := 0; settled < 3; { // looks in a row, because a change begins after a moment
		row, ok, err := s.look(ctx)
		if err != nil {
			return err
		}
		if settled++; !ok {
			settled = 0
		}
		if row != before {
			demo.Say("", "%7s   %s", demo.Seconds(started), row)
			before = row
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("not all databases are with a process: %w", ctx.Err())
		}
	}
	return nil
}

// look returns a row of the table. ok reports whether each process that runs has some databases, and together they have all.
func (s *stage) look(ctx context.Context) (row string, ok bool, err error) {
	var columns strings.Builder
	sum, ok := 0, true
	for _, m := range s.fleet.All() {
		if !m.Running() || m.Paused() {
			fmt.Fprintf(&columns, "%s %4s   ", m.Name, "-")
			continue
		}
		n, err := m.Owned(ctx)
		switch {
		case err != nil && (m.Leaving() || !m.Running()):
			fmt.Fprintf(&columns, "%s %4s   ", m.Name, "-")
			continue
		case err != nil:
			return "", false, err
		}
		sum += n
		ok = ok && n > 0
		fmt.Fprintf(&columns, "%s %4d   ", m.Name, n)
	}
	behind, err := s.behind()
	if err != nil {
		return "", false, err
	}
	waiting := "all changes are reconciled"
	if behind > 10 { // some have changed just now
		waiting = "changes wait"
		ok = false
	}
	return fmt.Sprintf("%sno one %4d   %s", columns.String(), max(0, s.objects-sum), waiting), ok && sum == s.objects, nil
}
