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

// options are the flags of the command.
type options struct {
	// floors is read. out and plot are written, unless they are empty.
	floors, out, plot string
	// section names the picture to plot: packing or fleet.
	section        string
	partial, check bool
}

func main() {
	var o options
	pflag.StringVar(&o.floors, "floors", "", "JSON `FILE` with the floors")
	pflag.BoolVar(&o.partial, "partial", false, "accept results without the rows of some floors")
	pflag.BoolVar(&o.check, "check", true, "exit with 1 if a row does not reach its floor")
	pflag.StringVar(&o.out, "out", "", "write the table to this `FILE` too")
	pflag.StringVar(&o.plot, "plot", "", "write a picture to this `FILE`")
	pflag.StringVar(&o.section, "section", "packing", "what the picture shows, packing or fleet")
	pflag.Parse()
	if err := o.run(os.Stdout, pflag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "floors:", err)
		os.Exit(1)
	}
}

func (o *options) run(stdout io.Writer, results []string) error {
	floors, err := readFloors(o.floors)
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
	if o.out != "" {
		if err := os.WriteFile(o.out, []byte(table), 0o644); err != nil {
			return err
		}
	}
	if o.plot != "" {
		picture, err := measured.plot(o.section)
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.plot, picture, 0o644); err != nil {
			return err
		}
	}
	if len(missing) > 0 && !o.partial {
		return fmt.Errorf("no result has the rows of these floors: %q; remove the floors, or use --partial", missing)
	}
	if below := below(rows); below != nil && o.check {
		return below
	}
	return nil
}
