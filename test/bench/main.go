// Command bench measures this repository's work side by side with that of
// code-generator and client-go, on this machine, and prints the medians as a table. make
// bench runs it.
//
//	section    how its rows are measured
//	generator  generator.go
//	default    informers/client.go, over HTTP from podserver: pods as clients ask for them by default
//	custom     the same with custom resources
//	conditions the same with TLS, compression, fewer processors, or a slow handler
//	idle       the same with many informers that wait
//	runtime    the same with pods as JSON
//	memory     memory/memory.go
//	attacks    attacks/attack.go
//	recovery   recovery.go, outages in virtual time
//	compile    compile.go, packages that use informers
//	kube       kube.go, against a whole kube-apiserver; only make bench-kube runs it
//	manager    manager.go, managers of controller-runtime; only make bench-manager runs it
//	writes     writes.go, controllers that read what they have written; only make bench-writes runs it
//	shards     shards.go, informers of a shard of a kube-apiserver; only make bench-shards runs it
//
// Except for the generator, processes of both sides measure, and report their figures
// (report), which comparison.go checks and compares. floors.json is what each row has to
// reach. results.json has the rows of the last run, and tables has them to read, with the date, the
// machine and the command. overview.go names the rows that docs/benchmarks.md shows.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// options are those of the command line.
type options struct {
	repo string
	only string
	// prefix is that of the rows over HTTP that are measured.
	prefix string
	// rounds are for inputs that take peers many seconds, smallRounds for others,
	// runtimeRounds for informers over HTTP and memoryRounds for those without.
	rounds, smallRounds, runtimeRounds, memoryRounds int
	// sizes are how many objects an informer caches.
	sizes []int
	// kubeRounds and kubeSizes are those of the section kube, whose updates take
	// kubeSeconds.
	kubeRounds, kubeSeconds int
	kubeSizes               []int
	// managerRounds, managerObjects and managerPods are those of the section manager.
	managerRounds, managerObjects, managerPods int
	// writesRounds are those of the section writes.
	writesRounds int
	// shardsRounds, shardsObjects and shardsSeconds are those of the section shards.
	shardsRounds, shardsObjects, shardsSeconds int
	// server is the file of a kube-apiserver that is built already; empty to build it.
	server      string
	full, quick bool
	check       bool
	write       bool
	// command is printed as how to run the same again.
	command  string
	progress io.Writer
}

// section is a part of the benchmark.
type section struct {
	name    string
	measure func(context.Context, options) ([]Row, error)
	// apart is set if the section runs only with --only, and has floors of its own.
	apart bool
}

var sections = []section{
	{name: "generator", measure: benchmarkGenerator},
	overHTTP("default"),
	overHTTP("custom"),
	overHTTP("conditions"),
	overHTTP("idle"),
	overHTTP("runtime"),
	{name: "memory", measure: benchmarkMemory},
	{name: "attacks", measure: benchmarkAttacks},
	{name: "recovery", measure: benchmarkRecovery},
	{name: "compile", measure: benchmarkCompile},
	{name: "kube", measure: benchmarkKube, apart: true},
	{name: "manager", measure: benchmarkManager, apart: true},
	{name: "writes", measure: benchmarkWrites, apart: true},
	{name: "shards", measure: benchmarkShards, apart: true},
}

const (
	// largest is the largest collection that is measured several times, and over HTTP
	// without --full: at 1,000,000 objects one round of client-go takes 15 minutes.
	largest = 100_000
	// minObjects make a client larger than the benchmark, and 1 % of them at least ten.
	minObjects = 1000
)

func main() {
	o := options{progress: os.Stderr}
	pflag.StringVar(&o.repo, "repo", "..", "root `FOLDER` of the repository")
	pflag.StringVar(&o.only, "only", "", "measure one `SECTION` only: "+strings.Join(names(), ", "))
	pflag.StringVar(&o.prefix, "rows", "", "measure only those rows over HTTP whose names begin with `PREFIX`, such as \"20 KB\", and write only to build/bench")
	pflag.IntVar(&o.rounds, "rounds", 3, "rounds for generating all of k8s.io/api")
	pflag.IntVar(&o.smallRounds, "small-rounds", 3, "rounds for generating one small package")
	pflag.IntVar(&o.runtimeRounds, "runtime-rounds", 3, "rounds for informers over HTTP")
	pflag.IntVar(&o.memoryRounds, "memory-rounds", 3, "rounds for informers without a network")
	pflag.IntSliceVar(&o.sizes, "sizes", []int{10_000, 100_000, 1_000_000}, "how many objects an informer caches")
	pflag.IntVar(&o.kubeRounds, "kube-rounds", 3, "rounds for informers of a kube-apiserver")
	pflag.IntSliceVar(&o.kubeSizes, "kube-sizes", []int{20_000, 100_000}, "how many objects a kube-apiserver has")
	pflag.IntVar(&o.kubeSeconds, "kube-seconds", 60, "how many seconds a kube-apiserver gets 1,000 updates")
	pflag.IntVar(&o.managerRounds, "manager-rounds", 3, "rounds for managers of controller-runtime")
	pflag.IntVar(&o.managerObjects, "manager-objects", 100_000, "how many custom resources a manager reads; 0 for none")
	pflag.IntVar(&o.managerPods, "manager-pods", 20_000, "how many pods a manager reads; 0 for none")
	pflag.IntVar(&o.writesRounds, "writes-rounds", 3, "rounds for controllers that read what they have written")
	pflag.IntVar(&o.shardsRounds, "shards-rounds", 3, "rounds for informers of a shard")
	pflag.IntVar(&o.shardsObjects, "shards-objects", 100_000, "how many objects the shards have together")
	pflag.IntVar(&o.shardsSeconds, "shards-seconds", 20, "how many seconds shards get 1,000 updates")
	pflag.StringVar(&o.server, "server", "", "`FILE` of the command server of test/kube, if it is built already")
	pflag.BoolVar(&o.full, "full", false, "measure informers of 1,000,000 objects over HTTP as well, which takes half an hour more")
	pflag.BoolVar(&o.quick, "quick", false, "measure one round of 10,000 objects, and one small package, in four minutes")
	pflag.BoolVar(&o.check, "check", true, "exit with 1 if a row is worse than its floor in test/bench/floors.json")
	pflag.BoolVar(&o.write, "write", false, "write test/bench/results.json, test/bench/tables, docs/benchmarks.md and docs/plots")
	pflag.StringVar(&o.command, "command", commandLine(os.Args[1:]), "how to run the same again, as printed")
	if err := pflag.CommandLine.MarkHidden("command"); err != nil {
		panic(err) // it is defined
	}
	pflag.Parse()
	if o.quick {
		o.rounds, o.smallRounds, o.runtimeRounds, o.memoryRounds, o.sizes = 0, 1, 1, 1, []int{10_000}
		o.kubeRounds, o.kubeSizes, o.kubeSeconds = 1, []int{20_000}, 5
		o.managerRounds, o.managerObjects, o.managerPods = 1, min(o.managerObjects, 5000), min(o.managerPods, 5000)
		o.writesRounds = 1
		o.shardsRounds, o.shardsObjects, o.shardsSeconds = 1, min(o.shardsObjects, 10_000), 2
		o.write = false // one round is not worth keeping
	}
	o.write = o.write && o.prefix == ""
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	release()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// names are those of the sections.
func names() (all []string) {
	for _, section := range sections {
		all = append(all, section.name)
	}
	return all
}

func (o options) validate() error {
	if !o.quick && o.rounds < 1 || o.smallRounds < 1 || o.runtimeRounds < 1 || o.memoryRounds < 1 || o.kubeRounds < 1 || o.kubeSeconds < 1 || o.managerRounds < 1 || o.writesRounds < 1 || o.shardsRounds < 1 || o.shardsSeconds < 1 {
		return errors.New("at least one round, and one second, is needed")
	}
	if len(o.sizes) == 0 || len(o.kubeSizes) == 0 || slices.Min(slices.Concat(o.sizes, o.kubeSizes)) < minObjects || o.shardsObjects < minObjects {
		return fmt.Errorf("at least %d objects are needed", minObjects)
	}
	for _, objects := range []int{o.managerObjects, o.managerPods} {
		if objects != 0 && objects < minObjects {
			return fmt.Errorf("at least %d objects are needed, or none for a manager", minObjects)
		}
	}
	if o.only != "" && sectionAt(o.only) < 0 {
		return fmt.Errorf("there is no section %q", o.only)
	}
	return nil
}

func run(ctx context.Context, o options) error {
	if err := o.validate(); err != nil {
		return err
	}
	repo, err := filepath.Abs(o.repo) // commands run in other folders
	if err != nil {
		return err
	}
	o.repo = repo
	only := max(0, sectionAt(o.only))
	file := "floors.json"
	if sections[only].apart {
		file = "floors-" + sections[only].name + ".json"
	}
	floors, err := readFloors(filepath.Join(o.repo, "test", "bench", file))
	if err != nil {
		return err
	}
	if o.only != "" {
		return o.runSection(ctx, sections[only], floors)
	}
	for _, section := range sections {
		if section.apart {
			continue
		}
		if failed := o.start(ctx, section.name); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", section.name, failed))
		}
		if ctx.Err() != nil {
			return err
		}
	}
	all, failed := mergeResults(o.results(), nil)
	if names := floors.without(all); len(names) > 0 && !o.quick {
		failed = errors.Join(failed, fmt.Errorf("no row has the floors of %q", names))
	}
	return errors.Join(err, failed)
}

// start runs one section in a process of its own: memory that one has used would count
// for the peaks that the next one measures; see peakOf.
func (o options) start(ctx context.Context, section string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, self, append(os.Args[1:], "--only="+section, "--command="+o.command)...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

func (o options) runSection(ctx context.Context, section section, floors floors) (missed error) {
	rows, err := section.measure(ctx, o)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Section = section.name
	}
	floors.apply(rows)
	if err := o.publish(ctx, section.name, rows); err != nil {
		return err
	}
	for _, row := range rows {
		if o.check && !row.OK() {
			missed = errors.Join(missed, fmt.Errorf("a row does not reach its floor: %s", row.title()))
		}
	}
	return missed
}

// results is the file that keeps rows.
func (o options) results() string {
	if o.write {
		return filepath.Join(o.repo, "test", "bench", "results.json")
	}
	return filepath.Join(o.repo, "build", "bench", "results.json")
}

// publish prints the rows of a section and keeps them.
func (o options) publish(ctx context.Context, name string, rows []Row) error {
	if err := printRows(os.Stdout, rows); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.repo, "build", "bench", name+".txt"), samples(rows), 0o644); err != nil {
		return err
	}
	all, err := mergeResults(o.results(), rows)
	if err != nil || !o.write {
		return err
	}
	if err := writeTable(o, name, ofSection(all, name)); err != nil {
		return err
	}
	if err := writeOverviews(o, all); err != nil {
		return err
	}
	return drawPlots(ctx, o, o.results())
}
