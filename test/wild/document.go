package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// String is the line of a result in the progress of a run.
func (r Result) String() string {
	if r.Failure != "" {
		return fmt.Sprintf("%s %s: refused: %s", r.Name, r.Version, r.Failure)
	}
	return fmt.Sprintf("%s %s: %d kinds, %.1f s cold, %.2f s warm, %d differences", r.Name, r.Version, r.Kinds, r.Cold, r.Warm, r.count())
}

// count is the number of differences from the published clientset.
func (r Result) count() int {
	n := 0
	for _, difference := range r.Differences {
		n += difference.Count
	}
	return n
}

// document is all of test/wild/README.md.
func document(results []Result, kubernetes string) string {
	return "# API packages in the wild\n\n" + introduction(results, kubernetes)
}

// listing is all of test/wild/results.txt: a row for each result, and notes.
func listing(results []Result, kubernetes string) string {
	var text strings.Builder
	notes := &notes{}
	fmt.Fprintf(&text, `A row is one run of informer-gen, in a module of its own with the modules of k8s.io/* at %s. If the packages need a name besides that of
the module, it is in parentheses. "Cold" and "warm" are the seconds of one run on %d cores (%s/%s, %s), after all modules have been
downloaded: with an empty build cache, and the median of three runs with a full one. "Failing" is the number of used kinds that fail. The flags
are those besides --output-dir and --with-applyconfig. "3 changed [1]" means that three exported names differ from the published clientset, for the
reason in note 1.

`, kubernetes, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	text.WriteString("| module | version | kinds | failing | cold | warm | flags | differences from the published clientset |\n|---|---|---|---|---|---|---|---|\n")
	for _, result := range results {
		text.WriteString(result.markdown(notes))
	}
	text.WriteString(notes.markdown())
	text.WriteString(shapes(results))
	return text.String()
}

func introduction(results []Result, kubernetes string) string {
	generated, compared, kinds, used, failing := 0, 0, 0, 0, 0
	for _, result := range results {
		if result.Failure == "" {
			generated++
			kinds += result.Kinds
			failing += len(result.Failing)
			if result.NotRun == "" {
				used += result.Kinds
			}
		}
		if result.Failure == "" && result.Clientset != "" {
			compared++
		}
	}
	return fmt.Sprintf(`**%d of %d** sets of published API packages generate and type-check with Kubernetes %s, with %d kinds. A set is the packages of one run of informer-gen. %d of the sets are compared with a
published clientset. Of %d kinds that are used, %d fail. [The list](results.txt) has each set, with its version, times, flags and differences.

`+"`make test-wild`"+` writes this page and the list. It

- generates code, and type-checks all of it, including function bodies;
- compares every exported name of both clientsets, if the project publishes one. [test/compare](../compare) compares listers, informers and apply configurations;
- compiles the generated code, and uses each kind with the clientset of `+"`fake.NewClientset`"+`: it creates an object, gets it, lists it, and waits until an informer of the factory has it. A step for which the client has no method is left out.

A set is not run if a package that was not generated cannot be used: it does not compile with this version of Kubernetes, requires a module that cannot be had, or needs more than a test has.
`, generated, len(results), kubernetes, kinds, compared, used, failing)
}

// markdown is the row of a result in the table.
func (r Result) markdown(notes *notes) string {
	cells := []string{r.label(), short(r.Version)}
	if r.Failure != "" {
		return fmt.Sprintf("| %s | | | | | %s | refused %s |\n", strings.Join(cells, " | "), r.flags(), notes.add(fmt.Sprintf("`%s`: %s", r.Failure, r.Reason)))
	}
	return fmt.Sprintf("| %s | %d | %s | %.1f s | %.2f s | %s | %s |\n", strings.Join(cells, " | "), r.Kinds, r.failing(notes), r.Cold, r.Warm, r.flags(), r.differences(notes))
}

// label is the module, and which part of it if there is more than one row for it.
func (r Result) label() string {
	if r.Name == (Row{Module: r.Module}).name() {
		return "`" + r.Module + "`"
	}
	return "`" + r.Module + "` (" + r.Name + ")"
}

// short cuts the date and the hash of a pseudo version to the date.
func short(version string) string {
	parts := strings.Split(version, "-")
	if last := len(parts) - 1; last >= 1 && len(parts[last]) == 12 {
		digits := parts[last-1][max(0, len(parts[last-1])-14):]
		if len(digits) == 14 {
			return fmt.Sprintf("%s-%s-%s", digits[:4], digits[4:6], digits[6:8])
		}
	}
	return version
}

func (r Result) flags() string {
	var flags []string
	for _, flag := range r.Flags {
		flags = append(flags, "`"+strings.ReplaceAll(flag, "|", `\|`)+"`")
	}
	return strings.Join(flags, " ")
}

// failing is the number of kinds that failed when they were used, and which.
func (r Result) failing(notes *notes) string {
	if r.NotRun != "" {
		return "not run " + notes.add(fmt.Sprintf("A package that was not generated cannot be used: `%s`", r.NotRun))
	}
	if len(r.Failing) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d %s", len(r.Failing), notes.add("`"+strings.Join(r.Failing, "`, `")+"`"))
}

func (r Result) differences(notes *notes) string {
	switch {
	case r.Clientset == "":
		return "not published"
	case len(r.Differences) == 0:
		return "none"
	}
	var parts []string
	for _, difference := range r.Differences {
		parts = append(parts, fmt.Sprintf("%d %s %s", difference.Count, strings.Join(difference.Kinds, " or "), notes.add(difference.Reason)))
	}
	return strings.Join(parts, ", ")
}

// notes are the explanations below the table. Rows with one explanation share its number.
type notes struct{ texts []string }

// add returns the number of a note in brackets.
func (n *notes) add(text string) string {
	at := slices.Index(n.texts, text)
	if at < 0 {
		at = len(n.texts)
		n.texts = append(n.texts, text)
	}
	return fmt.Sprintf("[%d]", at+1)
}

func (n *notes) markdown() string {
	if len(n.texts) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n## Notes\n\n")
	for i, note := range n.texts {
		fmt.Fprintf(&text, "%d. %s\n", i+1, strings.ReplaceAll(note, "|", `\|`))
	}
	return text.String()
}

// shapes lists what is special about the source of rows.
func shapes(results []Result) string {
	var text strings.Builder
	for _, result := range results {
		if result.Shape != "" {
			fmt.Fprintf(&text, "- %s: %s\n", result.label(), result.Shape)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "\n## Special cases in these packages\n\n" + text.String()
}
