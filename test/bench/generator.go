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

	"github.com/typedinformers/informer-gen/test/bench/report"
	"github.com/typedinformers/informer-gen/test/compare"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

// generation is one input that both sides generate from.
type generation struct {
	name   string
	input  project.Input
	rounds int
	// cold gives each side an empty build cache in each round.
	cold bool
}

// benchmarkGenerator measures whole processes: ours into an empty folder, ours again
// with nothing to change, and client-gen, lister-gen and informer-gen one after the
// other into an empty folder. With apply configurations, applyconfiguration-gen comes first.
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
	generations := []generation{
		{"k8s.io/api", kubernetes, o.rounds, false},
		{"k8s.io/api with apply configurations", kubernetes.GenerateApply(), o.rounds, false},
		{"one CRD package", sample, o.smallRounds, false},
		{"one CRD package with apply configurations", sample.GenerateApply(), o.smallRounds, false},
		{"path into another package, cold", fleet, o.smallRounds, true},
	}
	if o.quick {
		generations = generations[2:]
	}
	build := filepath.Join(o.repo, "build", "bench")
	tools, err := project.Build(ctx, o.repo, build)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var projects []*project.Project
	for _, g := range generations {
		folder := filepath.Base(g.input.Base)
		if g.cold {
			folder = "cold" // the base may be that of another generation
		}
		if g.input.Apply == "" {
			folder += "-apply"
		}
		p, err := project.Create(ctx, tools, filepath.Join(build, folder), g.input)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		more, err := g.run(ctx, p, o.progress)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		projects = append(projects, p)
	}
	// The comparison comes last because it needs memory; see peakOf.
	for _, p := range projects {
		if err := compareOutput(ctx, p, o.progress); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// run measures both sides by turns, so that other work of the machine slows both. The
// first round warms the build cache and the file cache, and does not count.
func (g *generation) run(ctx context.Context, p *project.Project, progress io.Writer) ([]Row, error) {
	c := comparison{reports: map[string][]report.Report{}}
	outputs := map[string]string{} // by folder
	for round := range g.rounds + 1 {
		if err := p.Clear(project.Ours, project.Theirs); err != nil {
			return nil, err
		}
		first, err := g.measure(p.Ours(ctx))
		if err != nil {
			return nil, err
		}
		again, err := g.measure(p.Ours(ctx))
		if err != nil {
			return nil, err
		}
		theirs, err := g.measure(p.Theirs(ctx)...)
		if err != nil {
			return nil, err
		}
		for _, folder := range []string{project.Ours, project.Theirs} {
			sum, err := digest(filepath.Join(p.Dir, folder))
			if err != nil {
				return nil, err
			}
			if before, ok := outputs[folder]; ok && sum != before {
				return nil, fmt.Errorf("%s: two runs have made different files in %s", g.name, folder)
			}
			outputs[folder] = sum
		}
		if round > 0 {
			g.add(&c, first, again, theirs)
		}
		fmt.Fprintf(progress, "generate for %s, round %d of %d: ours %.2f s, again %.2f s, theirs %.2f s\n",
			g.name, round, g.rounds, first.wall.Seconds(), again.wall.Seconds(), theirs.wall.Seconds())
	}
	return c.rows()
}

// add adds the figures of one round. Peers have no run with nothing to change, and a
// cold one of ours costs as much as the first.
func (g *generation) add(c *comparison, first, again, theirs usage) {
	what := "generate, " + g.name
	figures := func(u usage) []report.Figure {
		return []report.Figure{
			{Row: what + ": time", Unit: "s", Value: u.wall.Seconds()},
			{Row: what + ": CPU time", Unit: "s", Value: u.cpu.Seconds()},
			{Row: what + ": peak RSS", Unit: report.PeakMB, Value: float64(u.peak) / megabyte},
		}
	}
	ours, peer := figures(first), figures(theirs)
	if !g.cold {
		against := what + ", unchanged, against our first run: time"
		ours = append(ours,
			report.Figure{Row: what + ", unchanged: time", Unit: "s", Value: again.wall.Seconds(), Peer: what + ": time"},
			report.Figure{Row: against, Unit: "s", Value: again.wall.Seconds()})
		peer = append(peer, report.Figure{Row: against, Unit: "s", Value: first.wall.Seconds()})
	}
	c.reports[report.Ours] = append(c.reports[report.Ours], report.Report{Figures: ours})
	c.reports[report.Theirs] = append(c.reports[report.Theirs], report.Report{Figures: peer})
}

// measure runs the commands of one side.
func (g *generation) measure(commands ...*exec.Cmd) (used usage, err error) {
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
	used, _, err = measure(commands...)
	return used, err
}

// digest is one of the names and contents of all files in a folder.
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

// index is a method that only ours generates from a path.
var index = compare.Accepted{Pattern: `listers/fleet/v1 Fleet(Namespace)?Lister\.ByNodeName: extra: .*`, Reason: "Only ours has indexes."}

// compareOutput fails if ours does not generate all that theirs does.
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
		return fmt.Errorf("ours lacks %d exported names of theirs, the first of which is: %v", len(left), left[0])
	}
	fmt.Fprintf(progress, "compared the exported API of %d packages in %s\n", len(theirs.Packages), filepath.Base(p.Dir))
	return nil
}
