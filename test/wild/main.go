package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/spf13/pflag"
)

// options are what the command line says.
type options struct {
	repo  string
	only  string
	keep  bool
	write bool
}

func main() {
	var o options
	pflag.StringVar(&o.repo, "repo", "..", "root `FOLDER` of the repository")
	pflag.StringVar(&o.only, "only", "", "run the rows whose names match a `REGEXP`")
	pflag.BoolVar(&o.keep, "keep", false, "keep the modules and what was generated, in build/wild")
	pflag.BoolVar(&o.write, "write", false, "write test/wild/results.json, test/wild/results.txt and test/wild/README.md")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	release()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wild:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	repo, err := filepath.Abs(o.repo) // commands run in other folders
	if err != nil {
		return err
	}
	o.repo = repo
	rows, err := selected(table(), o.only)
	if err != nil {
		return err
	}
	build := filepath.Join(repo, "build", "wild")
	tool := filepath.Join(build, "bin", "informer-gen")
	if _, err := goCommand(ctx, repo, "build", "-o", tool, "./cmd/informer-gen"); err != nil {
		return err
	}
	kubernetes, err := goCommand(ctx, filepath.Join(repo, "test"), "list", "-m", "-f={{.Version}}", "k8s.io/client-go")
	if err != nil {
		return err
	}
	cache, err := goCommand(ctx, repo, "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	var results []Result
	failed := 0
	for n, row := range rows {
		w := workspace{row: row, dir: filepath.Join(build, row.name()), repo: repo, kubernetes: kubernetes, cache: cache}
		result, err := w.run(ctx, tool)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		results = append(results, result)
		fmt.Printf("%2d of %d  %s\n", n+1, len(rows), result)
		if err != nil {
			failed++
			fmt.Printf("          UNEXPECTED: %v\n", err)
		}
		if !o.keep {
			if err := os.RemoveAll(w.dir); err != nil {
				return err
			}
		}
		if o.write { // a run that is interrupted has the rows so far
			if err := publish(o, results, kubernetes); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rows differ from the table in test/wild", failed, len(rows))
	}
	return nil
}

// selected returns the rows whose names match a pattern. All rows have to be valid.
func selected(rows []Row, only string) ([]Row, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	var found []Row
	names := map[string]bool{}
	for _, row := range rows {
		if mistake := row.validate(); mistake != nil {
			err = errors.Join(err, mistake)
		}
		if names[row.name()] {
			err = errors.Join(err, fmt.Errorf("two rows are called %s", row.name()))
		}
		names[row.name()] = true
		if pattern.MatchString(row.name()) {
			found = append(found, row)
		}
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no row matches %q", only)
	}
	return found, err
}

// publish writes the results of this run and of the rows that did not run.
func publish(o options, ran []Result, kubernetes string) error {
	file := filepath.Join(o.repo, "test", "wild", "results.json")
	old, err := readResults(file)
	if err != nil {
		return err
	}
	results := merge(old, ran, table())
	if err := writeResults(file, results); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.repo, "test", "wild", "results.txt"), []byte(listing(results, kubernetes)), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.repo, "test", "wild", "README.md"), []byte(document(results, kubernetes)), 0o644)
}
