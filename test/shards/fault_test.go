package shards

import (
	"context"
	"fmt"
	"time"

	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/test/shards/fleet"
)

// step is a fault. It returns when the processes have dealt with it.
type step struct {
	name string
	play func(p *play, ctx context.Context) error
}

// steps are all faults.
var steps = []step{
	{"add", (*play).add},
	{"kill -9", (*play).kill},
	{"SIGSTOP for longer than the lease", (*play).pause},
	{"SIGSTOP for less than the lease", (*play).blink},
	{"partition, connections refused", func(p *play, ctx context.Context) error { return p.cutOff(ctx, fleet.Refused) }},
	{"partition, no answers", func(p *play, ctx context.Context) error { return p.cutOff(ctx, fleet.Silent) }},
	{"partition, answers lost", func(p *play, ctx context.Context) error { return p.cutOff(ctx, fleet.Deaf) }},
	{"remove", (*play).remove},
}

// add adds a process, which gets its part.
func (p *play) add(ctx context.Context) error {
	m, err := p.fleet.Start(ctx)
	if err != nil {
		return err
	}
	return p.awaitWork(ctx, m)
}

// kill ends a process in the midst of its work, and starts another one.
func (p *play) kill(ctx context.Context) error {
	m, err := p.working(ctx)
	if err != nil {
		return err
	}
	if err := m.Kill(); err != nil {
		return err
	}
	if err := p.world.probe(ctx, p.sample()); err != nil {
		return fmt.Errorf("after kill -9 of %s: %w", m.Name, err)
	}
	return p.add(ctx)
}

// pause stops a process in the midst of its work, until others have its part.
func (p *play) pause(ctx context.Context) error {
	m, err := p.working(ctx)
	if err != nil {
		return err
	}
	if err := m.Pause(); err != nil {
		return err
	}
	if err := p.world.probe(ctx, p.sample()); err != nil {
		return fmt.Errorf("while %s is paused: %w", m.Name, err)
	}
	if err := m.Resume(); err != nil {
		return err
	}
	return p.awaitWork(ctx, m)
}

// blink stops a process for so short a time that it keeps its part.
func (p *play) blink(ctx context.Context) error {
	m, err := p.working(ctx)
	if err != nil {
		return err
	}
	if err := m.Pause(); err != nil {
		return err
	}
	<-time.After(*lease / 3)
	if err := m.Resume(); err != nil {
		return err
	}
	return p.world.probe(ctx, p.sample())
}

// cutOff separates a process from the server, until others have its part.
func (p *play) cutOff(ctx context.Context, how fleet.Partition) error {
	m, err := p.working(ctx)
	if err != nil {
		return err
	}
	m.CutOff(how)
	if err := p.world.probe(ctx, p.sample()); err != nil {
		return fmt.Errorf("while %s is cut off: %w", m.Name, err)
	}
	m.Heal()
	return p.awaitWork(ctx, m)
}

// remove asks a process to end.
func (p *play) remove(ctx context.Context) error {
	m, err := p.working(ctx)
	if err != nil {
		return err
	}
	if err := m.Stop(); err != nil {
		return err
	}
	return p.world.probe(ctx, p.sample())
}

// working waits until some process works on an object, and returns it.
func (p *play) working(ctx context.Context) (*fleet.Member, error) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	running := p.fleet.Running()
	m := running[p.random.IntN(len(running))]
	for {
		if err := m.Read(); err != nil {
			return nil, err
		}
		if len(p.fleet.Log.Open(m.Name)) > 0 {
			return m, nil
		}
		if !m.Running() {
			return nil, fmt.Errorf("%s has ended; its log is %s", m.Name, m.LogFile)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%s does not work on anything: %w; its log is %s", m.Name, context.Cause(ctx), m.LogFile)
		}
	}
}

// awaitWork waits until a process works on something that it begins from now on.
func (p *play) awaitWork(ctx context.Context, m *fleet.Member) error {
	if err := m.Read(); err != nil {
		return err
	}
	before := p.fleet.Log.Count(m.Name)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := m.Read(); err != nil {
			return err
		}
		if p.fleet.Log.Count(m.Name) > before {
			progress.Step()
			return nil
		}
		if !m.Running() {
			return fmt.Errorf("%s has ended; its log is %s", m.Name, m.LogFile)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%s gets nothing to work on: %w; its log is %s", m.Name, context.Cause(ctx), m.LogFile)
		}
	}
}

// awaitPart waits until a process owns databases.
func (p *play) awaitPart(ctx context.Context, m *fleet.Member) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		n, err := m.Owned(ctx)
		if err != nil {
			return fmt.Errorf("%w; its log is %s", err, m.LogFile)
		}
		if n > 0 {
			progress.Step()
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%s owns nothing: %w; its log is %s", m.Name, context.Cause(ctx), m.LogFile)
		}
	}
}

// sample is how many databases a probe changes: enough that each process has some of them.
func (p *play) sample() int { return min(*objects, 50) }
