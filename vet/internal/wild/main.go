// Command wild runs the analyzers over published programs, and compares the findings with what a reader judged of them:
//
//	module cache, or a clone ─▶ build/vet/NAME ─▶ load ─▶ analyzers ─▶ results.json ─▶ findings.txt
//	                                                                                      ▲
//	                                                                           judged.txt ┘  right or wrong, and why
//
//	projects.go   the programs, and reports of mistakes with their fix
//	source.go     one program: download, unpack
//	load.go       its packages, read from source
//	findings.go   what was found, and the listing
//
// A line of judged.txt that no finding is for makes the command fail, as does a mistake of a report that is not found before its fix, or
// is found after it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	r := runner{}
	flag.StringVar(&r.repo, "repo", "..", "root `FOLDER` of the repository")
	flag.StringVar(&r.clones, "clones", "", "`FOLDER` with git clones, by the names of the projects, for commits that are in no module cache")
	only := flag.String("only", "", "run the projects whose names match a `REGEXP`, and keep the findings of the others")
	draw := flag.Int("draw", 0, "print `N` findings that are drawn at random, and run nothing")
	list := flag.Bool("list", false, "write the listing again, with what judged.txt says now, and run nothing")
	own := flag.Bool("own-cache", false, "use a module cache of its own, which is emptied after each project: little disk is needed, for more time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *own {
		err = r.ownModules(ctx)
	}
	if err == nil {
		err = r.run(ctx, *only, *draw, *list)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wild:", err)
		os.Exit(1)
	}
}

type runner struct {
	repo, clones string
	// modules is a module cache for one project after the other, and proxy is where it gets modules; empty for the usual cache.
	modules, proxy string
}

func (r runner) run(ctx context.Context, only string, draw int, list bool) error {
	all, err := r.read()
	if err != nil {
		return err
	}
	if draw > 0 {
		all.draw(os.Stdout, draw)
		return nil
	}
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	verdicts, err := r.judged()
	if err != nil {
		return err
	}
	if list {
		return r.write(all, verdicts)
	}
	var ran results
	for _, p := range projects {
		if !matches.MatchString(p.name) {
			continue
		}
		got, err := r.analyze(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			got.Error = strings.SplitN(err.Error(), "\n", 2)[0]
		}
		got.print(os.Stdout, verdicts)
		ran.Projects = append(ran.Projects, got)
		if err := r.write(all.merge(ran), verdicts); err != nil { // a run that is interrupted has the projects so far
			return err
		}
	}
	for _, t := range threads {
		if matches.MatchString(t.before.name) {
			ran.Reports = append(ran.Reports, r.compare(ctx, t))
		}
	}
	if err := r.write(all.merge(ran), verdicts); err != nil {
		return err
	}
	return check(ran, verdicts)
}

// noFix stands for the findings after a fix that the table of reports does not have.
const noFix = "no fix"

// compare looks for the mistake of a report before its fix, and after it.
func (r runner) compare(ctx context.Context, t thread) comparison {
	count := func(commit string) string {
		if commit == "" {
			return noFix
		}
		p := t.before
		p.version = commit
		got, err := r.analyze(ctx, p)
		if err != nil {
			return "not available"
		}
		found := 0
		for _, f := range got.Findings {
			if f.Analyzer == t.analyzer && f.File == t.file && strings.Contains(f.Message, t.text) {
				found++
			}
		}
		return strconv.Itoa(found)
	}
	return comparison{Issue: t.issue, Analyzer: t.analyzer, Before: count(t.before.version), After: count(t.fixed)}
}
