package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/typedinformers/informer-gen/test/compare"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

// generation is one input that both sides generate from.
type generation struct {
	name   string
	input  project.Input
	rounds int
	// cold gives each side an empty build cache in each round.
	cold    bool
	samples struct{ first, again, theirs []usage }
}

// benchmarkGenerator measures whole processes: ours into an empty folder, ours
// again with nothing to change, and client-gen, lister-gen and informer-gen one
// after the other into an empty folder.
func benchmarkGenerator(ctx context.Context, o options) (_ []Row, err error) {
	kubernetes, err := project.Kubernetes(ctx, o.repo)
	if err != nil {
		return nil, err
	}
	sample, err := project.SampleController(o.repo)
	if err != nil {
		return nil, err
	}
	fleet, err := project.Fleet(o.repo)
	if err != nil {
		return nil, err
	}
	generations := []*generation{
		{name: "k8s.io/api", input: kubernetes, rounds: o.rounds},
		{name: "one CRD package", input: sample, rounds: o.smallRounds},
		{name: "path into another package, cold", input: fleet, rounds: o.smallRounds, cold: true},
	}
	if o.quick {
		generations = generations[1:]
	}
	build := filepath.Join(o.repo, "build", "bench")
	tools, err := project.Build(ctx, o.repo, build)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var projects []*project.Project
	for _, g := range generations {
		p, err := project.Create(ctx, tools, filepath.Join(build, g.folder()), g.input)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		if err := g.run(ctx, p, o.progress); err != nil {
			return nil, err
		}
		rows = append(rows, g.rows()...)
		projects = append(projects, p)
	}
	// Last, because it needs memory, see peakOf.
	for _, p := range projects {
		if err := compareOutput(ctx, p, o.progress); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// folder is a name that no other generation has.
func (g *generation) folder() string {
	if g.cold {
		return "cold"
	}
	return filepath.Base(g.input.Base)
}

// run takes turns, so that a noisy moment hits both sides. The first round warms
// the build cache and the file cache, and does not count.
func (g *generation) run(ctx context.Context, p *project.Project, progress io.Writer) error {
	var outputs [2]string
	for round := range g.rounds + 1 {
		if err := p.Clear(project.Ours, project.Theirs); err != nil {
			return err
		}
		first, err := g.measure(p.Ours(ctx))
		if err != nil {
			return err
		}
		again, err := g.measure(p.Ours(ctx))
		if err != nil {
			return err
		}
		theirs, err := g.measure(p.Theirs(ctx)...)
		if err != nil {
			return err
		}
		for i, folder := range []string{project.Ours, project.Theirs} {
			sum, err := digest(filepath.Join(p.Dir, folder))
			if err != nil {
				return err
			}
			if round > 0 && sum != outputs[i] {
				return fmt.Errorf("%s: two runs have made different files in %s", g.name, folder)
			}
			outputs[i] = sum
		}
		if round > 0 {
			g.samples.first = append(g.samples.first, first)
			g.samples.again = append(g.samples.again, again)
			g.samples.theirs = append(g.samples.theirs, theirs)
		}
		fmt.Fprintf(progress, "generate for %s, round %d of %d: ours %.2f s, again %.2f s, theirs %.2f s\n",
			g.name, round, g.rounds, first.wall.Seconds(), again.wall.Seconds(), theirs.wall.Seconds())
	}
	return nil
}

// measure runs the commands of one side.
func (g *generation) measure(commands ...*exec.Cmd) (_ usage, err error) {
	if g.cold {
		cache, err := os.MkdirTemp("", "bench-cache-")
		if err != nil {
			return usage{}, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(cache)) }()
		for _, command := range commands {
			command.Env = append(command.Env, "GOCACHE="+cache)
		}
	}
	return measure(commands...)
}

// digest is of the names and bytes of all files of a folder.
func digest(dir string) (string, error) {
	hash, files := sha256.New(), 0
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
		files++
		return err
	})
	if err == nil && files == 0 {
		err = fmt.Errorf("%s is empty", dir)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}

func (g *generation) rows() []Row {
	wall := func(u usage) float64 { return u.wall.Seconds() }
	cpu := func(u usage) float64 { return u.cpu.Seconds() }
	peak := func(u usage) float64 { return float64(u.peak) / 1e6 }
	first, again, theirs := g.samples.first, g.samples.again, g.samples.theirs
	what := "generate, " + g.name
	rows := []Row{
		newRow(what+": time", "s", each(first, wall), each(theirs, wall)),
		newRow(what+": CPU time", "s", each(first, cpu), each(theirs, cpu)),
		newRow(what+": peak RSS", "MB", each(first, peak), each(theirs, peak)),
	}
	if g.cold { // a run with nothing to change costs the same
		return rows
	}
	return append(rows,
		newRow(what+", unchanged: time", "s", each(again, wall), each(theirs, wall)),
		newRow(what+", unchanged, against our first run: time", "s", each(again, wall), each(first, wall)),
	)
}

func each(samples []usage, figure func(usage) float64) []float64 {
	var values []float64
	for _, sample := range samples {
		values = append(values, figure(sample))
	}
	return values
}

// index is what only ours makes of a path.
var index = compare.Accepted{Pattern: `listers/fleet/v1 FleetLister\.ByNodeName: extra: .*`, Reason: "Only ours has indexes."}

// compareOutput fails if what was measured is not the same work.
func compareOutput(ctx context.Context, p *project.Project, progress io.Writer) error {
	theirs, ours, err := compare.LoadProject(ctx, p)
	if err != nil {
		return err
	}
	left, _, err := compare.Sift(compare.API(theirs, ours), append(slices.Clone(compare.ByDesign), index))
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("ours lacks what theirs has in %d places, the first of which is: %v", len(left), left[0])
	}
	fmt.Fprintf(progress, "compared the exported API of %d packages in %s\n", len(theirs.Packages), filepath.Base(p.Dir))
	return nil
}
