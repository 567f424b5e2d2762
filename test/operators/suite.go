package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// suiteResult is what became of the tests of a package.
type suiteResult struct {
	// passed has each test by its name, and whether it passed. Skipped tests are left out.
	passed map[string]bool
	wall   time.Duration
	cpu    time.Duration
	peak   int64 // the peak of the memory of the process, in bytes
	// retried are the tests that passed in a later run than the first.
	retried int
}

// failed returns the names of the tests that failed.
func (r suiteResult) failed() []string {
	var names []string
	for name, passed := range r.passed {
		if !passed {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r suiteResult) count(passed bool) (n int) {
	for _, p := range r.passed {
		if p == passed {
			n++
		}
	}
	return n
}

// add adds the tests of another package.
func (r *suiteResult) add(suite string, more suiteResult) {
	if r.passed == nil {
		r.passed = map[string]bool{}
	}
	for name, passed := range more.passed {
		r.passed[suite+": "+name] = passed
	}
	r.wall += more.wall
	r.cpu += more.cpu
	r.peak = max(r.peak, more.peak)
	r.retried += more.retried
}

// suiteFile returns the name of the program with the tests of a package.
func suiteFile(dir, suite string) string {
	return filepath.Join(dir, strings.ReplaceAll(suite, "/", "_")+".test")
}

func (r runner) buildSuites(ctx context.Context, o managed, source, dir string) error {
	for _, suite := range o.suites {
		if err := r.command(ctx, source, "go", "test", "-c", "-ldflags=-s -w", "-o", suiteFile(dir, suite), "./"+suite); err != nil {
			return err
		}
	}
	return nil
}

// maxRuns is how often the tests of a package run while one of them fails.
const maxRuns = 3

// runSuite runs the tests of a package. If some fail, it runs all of them again, because some fail now and then on both sides. The time
// is that of the last run.
func (r runner) runSuite(ctx context.Context, o managed, dir, program string) (got suiteResult, err error) {
	for run := range maxRuns {
		last := got
		if got, err = r.runSuiteOnce(ctx, o, dir, program); err != nil {
			return got, err
		}
		got.retried = last.retried
		for name, passed := range last.passed {
			switch {
			case passed:
				got.passed[name] = true
			case got.passed[name]:
				got.retried++
			}
		}
		failed := got.failed()
		if len(failed) == 0 {
			break
		}
		fmt.Fprintf(os.Stderr, "%s: run %d: failed: %s\n", filepath.Base(program), run+1, strings.Join(failed, ", "))
	}
	return got, nil
}

// runSuiteOnce runs the tests of a package on a server of its own.
func (r runner) runSuiteOnce(ctx context.Context, o managed, dir, program string) (got suiteResult, err error) {
	kubeconfig, stop, err := r.startServer(ctx)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	arguments := []string{"-test.v=test2json", "-test.timeout=20m"}
	report := program + ".json"
	if err := os.RemoveAll(report); err != nil {
		return got, err
	}
	if o.ginkgo {
		arguments = append(arguments, "-ginkgo.json-report="+report)
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+kubeconfig)
	log, err := os.Create(program + ".log")
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	command.Stdout, command.Stderr = log, log
	start := time.Now()
	runErr := command.Run() // which fails if a test does
	got.wall = time.Since(start)
	if command.ProcessState == nil {
		return got, runErr
	}
	got.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if got.peak, err = peakOf(command.ProcessState.SysUsage()); err != nil {
		return got, err
	}
	if o.ginkgo {
		got.passed, err = specs(report)
	} else {
		got.passed, err = goTests(ctx, program+".log")
	}
	if err != nil || len(got.passed) == 0 {
		return got, errors.Join(fmt.Errorf("no test ran, see %s", program+".log"), runErr, err)
	}
	if runErr != nil && got.count(false) == 0 {
		return got, fmt.Errorf("no test failed, but the program did, see %s: %w", program+".log", runErr)
	}
	return got, nil
}

// peakOf returns the peak of the memory of a process in bytes, and 0 if the system does not report it. The process shares the memory of
// this one until it executes its program, and the kernel counts that. So a peak that is not larger is unknown too.
func peakOf(sysUsage any) (int64, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	if usage, ok := sysUsage.(*syscall.Rusage); ok && usage.Maxrss > own.Maxrss {
		return usage.Maxrss << 10, nil // Linux has kilobytes
	}
	return 0, nil
}

// specs reads the report of Ginkgo. Specs that were skipped are left out. A node that failed, such as BeforeSuite, counts as a test.
func specs(path string) (map[string]bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var reports []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeType, LeafNodeText, State string
		}
	}
	if err := json.Unmarshal(content, &reports); err != nil {
		return nil, err
	}
	passed := map[string]bool{}
	for _, report := range reports {
		for _, spec := range report.SpecReports {
			name := strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			switch {
			case spec.LeafNodeType != "It" && spec.State != "passed":
				passed[spec.LeafNodeType] = false
			case spec.LeafNodeType != "It" || spec.State == "pending" || spec.State == "skipped":
			default:
				passed[name] = spec.State == "passed"
			}
		}
	}
	return passed, nil
}

// goTests reads the output of a program of tests. A test that passed with subtests is left out.
func goTests(ctx context.Context, path string) (map[string]bool, error) {
	log, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	command := exec.CommandContext(ctx, "go", "tool", "test2json")
	command.Stdin = log
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	passed := map[string]bool{}
	// The output of large suites is not kept, because a peak of the memory of this process would hide those of the suites.
	for decoder := json.NewDecoder(output); ; {
		var event struct{ Action, Test string }
		if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(err, output.Close(), command.Wait())
		}
		if event.Test != "" && (event.Action == "pass" || event.Action == "fail") {
			passed[event.Test] = event.Action == "pass"
		}
	}
	if err := command.Wait(); err != nil {
		return nil, err
	}
	for name := range passed {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			if passed[name[:i]] {
				delete(passed, name[:i])
			}
		}
	}
	return withoutSeeds(passed), nil
}

// seed is a number in the name of a test that differs in each run.
var seed = regexp.MustCompile(`\d{10,}`)

// withoutSeeds replaces the seeds in the names of tests by numbers from 1 on.
func withoutSeeds(passed map[string]bool) map[string]bool {
	renamed, used := make(map[string]bool, len(passed)), map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(passed)) {
		result := passed[name]
		if seed.MatchString(name) {
			name = seed.ReplaceAllString(name, "seed")
			used[name]++
			name = fmt.Sprintf("%s#%d", name, used[name])
		}
		renamed[name] = result
	}
	return renamed
}

// differing returns the names of the tests that did not run on both sides with the same result.
func differing(before, after map[string]bool) []string {
	var names []string
	for name, passed := range before {
		if got, ok := after[name]; !ok || got != passed {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
