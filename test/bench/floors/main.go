// Command floors reads results in the format of Go benchmarks, prints the medians of both sides, and exits with 1 if a row is
// worse than its floor:
//
//	floors --floors=bench/floors/memory.json build/bench/memory.txt
//
// A row is a benchmark and a unit. The element side=… of its name tells which side was measured: side=informer-gen is
// ours, and any other one a peer. So this compares the same files in the usual way:
//
//	benchstat -col /side build/bench/memory.txt
//
// All units count as better if they are lower. floors.go describes the file of floors.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

func main() {
	file := pflag.String("floors", "", "JSON `FILE` with the floors")
	partial := pflag.Bool("partial", false, "accept results without the rows of some floors")
	check := pflag.Bool("check", true, "exit with 1 if a row does not reach its floor")
	out := pflag.String("out", "", "write the table to this `FILE` too")
	plot := pflag.String("plot", "", "write a picture of first syncs, of the section packing, to this `FILE`")
	pflag.Parse()
	if err := run(os.Stdout, *file, pflag.Args(), *out, *plot, *partial, *check); err != nil {
		fmt.Fprintln(os.Stderr, "floors:", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer, file string, results []string, out, plot string, partial, check bool) error {
	floors, err := readFloors(file)
	if err != nil {
		return err
	}
	measured, err := readResults(results)
	if err != nil {
		return err
	}
	rows, missing := measured.compare(floors)
	table := strings.Join(measured.config, "\n") + "\n\n" + format(rows)
	fmt.Fprint(stdout, table)
	if out != "" {
		if err := os.WriteFile(out, []byte(table), 0o644); err != nil {
			return err
		}
	}
	if plot != "" {
		picture, err := measured.plot()
		if err != nil {
			return err
		}
		if err := os.WriteFile(plot, picture, 0o644); err != nil {
			return err
		}
	}
	if len(missing) > 0 && !partial {
		return fmt.Errorf("no result has the rows of these floors: %q; remove the floors, or use --partial", missing)
	}
	if below := below(rows); below != nil && check {
		return below
	}
	return nil
}
