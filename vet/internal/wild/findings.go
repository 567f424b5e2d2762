package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// folder has judged.txt, results.json and findings.txt.
const folder = "vet/internal/wild"

type finding struct {
	Analyzer, File string
	Line           int
	Message        string
}

// result is what a run found in a project.
type result struct {
	Name, Version string
	Packages      int
	// Skipped is the number of packages with mistakes of types, because a dependency cannot be had.
	Skipped  int
	Findings []finding `json:",omitempty"`
	Error    string    `json:",omitempty"`
}

// comparison is what became of a public report: the findings before the fix and after it.
type comparison struct{ Issue, Analyzer, Before, After string }

// results has the results of all runs. A run of some projects replaces theirs.
type results struct {
	Projects []result
	Reports  []comparison
}

// verdict is what a reader says of a finding.
type verdict struct {
	// is is right, wrong, or unread.
	is, reason string
}

func (r runner) read() (all results, err error) {
	text, err := os.ReadFile(filepath.Join(r.repo, folder, "results.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

// merge replaces the results of projects and reports that ran, in the order of the tables.
func (all results) merge(ran results) (merged results) {
	for _, p := range projects {
		same := func(r result) bool { return r.Name == p.name && r.Version == p.version }
		for _, from := range []results{ran, all} {
			if n := slices.IndexFunc(from.Projects, same); n >= 0 {
				merged.Projects = append(merged.Projects, from.Projects[n])
				break
			}
		}
	}
	for _, t := range threads {
		same := func(c comparison) bool { return c.Issue == t.issue }
		for _, from := range []results{ran, all} {
			if n := slices.IndexFunc(from.Reports, same); n >= 0 {
				merged.Reports = append(merged.Reports, from.Reports[n])
				break
			}
		}
	}
	return merged
}

func (r *result) sort() {
	slices.SortFunc(r.Findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Analyzer, b.Analyzer))
	})
}

func (f finding) key(project string) string {
	return fmt.Sprintf("%s %s:%d %s", project, f.File, f.Line, f.Analyzer)
}

// judged reads the verdicts: PROJECT FILE:LINE ANALYZER right|wrong REASON.
func (r runner) judged() (map[string]verdict, error) {
	file, err := os.Open(filepath.Join(r.repo, folder, "judged.txt"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	verdicts := map[string]verdict{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 5)
		if len(words) < 5 || words[3] != "right" && words[3] != "wrong" {
			return nil, fmt.Errorf("judged.txt: %q is no PROJECT FILE:LINE ANALYZER right|wrong REASON", lines.Text())
		}
		verdicts[strings.Join(words[:3], " ")] = verdict{words[3], words[4]}
	}
	return verdicts, lines.Err()
}

// count returns how many findings have a verdict.
func count(findings []finding, project string, verdicts map[string]verdict) (right, wrong, unread int) {
	for _, f := range findings {
		switch verdicts[f.key(project)].is {
		case "right":
			right++
		case "wrong":
			wrong++
		default:
			unread++
		}
	}
	return right, wrong, unread
}

func (r result) print(w io.Writer, verdicts map[string]verdict) {
	fmt.Fprintf(w, "\n%s %s\n", r.Name, r.Version)
	if r.Error != "" {
		fmt.Fprintf(w, "  %s\n", r.Error)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  %s:%d %s: %s\n", f.File, f.Line, f.Analyzer, f.Message)
		if v, is := verdicts[f.key(r.Name)]; is {
			fmt.Fprintf(w, "    %s: %s\n", v.is, v.reason)
		}
	}
}

// write writes results.json and findings.txt.
func (r runner) write(all results, verdicts map[string]verdict) error {
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.repo, folder, "results.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	var listing bytes.Buffer
	all.list(&listing, verdicts)
	return os.WriteFile(filepath.Join(r.repo, folder, "findings.txt"), listing.Bytes(), 0o644)
}

func (all results) list(w io.Writer, verdicts map[string]verdict) {
	fmt.Fprint(w, "What informer-vet finds in published programs, written by make vet-wild. A reader has judged those that are not unread.\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "project\tversion\tpackages\tskipped\tfindings\tright\twrong\tunread")
	type sum struct{ findings, right, wrong, unread int }
	classes := map[string]*sum{}
	for _, project := range all.Projects {
		right, wrong, unread := count(project.Findings, project.Name, verdicts)
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", project.Name, project.Version, project.Packages, project.Skipped, len(project.Findings), right, wrong, unread)
		for _, f := range project.Findings {
			right, wrong, unread := count([]finding{f}, project.Name, verdicts)
			for _, name := range []string{f.Analyzer, "total"} {
				if classes[name] == nil {
					classes[name] = &sum{}
				}
				c := classes[name]
				*c = sum{c.findings + 1, c.right + right, c.wrong + wrong, c.unread + unread}
			}
		}
	}
	fmt.Fprintln(table, "\t\t\t\t\t\t\t\nanalyzer\t\t\t\tfindings\tright\twrong\tunread")
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		c := classes[name]
		fmt.Fprintf(table, "%s\t\t\t\t%d\t%d\t%d\t%d\n", name, c.findings, c.right, c.wrong, c.unread)
	}
	table.Flush()
	fmt.Fprint(w, "\nFindings of the mistakes of public reports, before the fix and after it:\n\n")
	fmt.Fprintln(table, "report\tanalyzer\tbefore\tafter")
	for _, c := range all.Reports {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Issue, c.Analyzer, c.Before, c.After)
	}
	table.Flush()
	for _, project := range all.Projects {
		if len(project.Findings) > 0 || project.Error != "" {
			project.print(w, verdicts)
		}
	}
}

// check returns what is not as judged.txt and the table of reports say, of what ran.
func check(ran results, verdicts map[string]verdict) error {
	var errs []error
	found := map[string]bool{}
	for _, project := range ran.Projects {
		if project.Error != "" {
			errs = append(errs, fmt.Errorf("%s: %s", project.Name, project.Error))
		}
		for _, f := range project.Findings {
			found[f.key(project.Name)] = true
		}
		for _, key := range slices.Sorted(maps.Keys(verdicts)) {
			if strings.HasPrefix(key, project.Name+" ") && !found[key] {
				errs = append(errs, fmt.Errorf("judged.txt: no finding %s", key))
			}
		}
	}
	for _, c := range ran.Reports {
		if c.Before == "0" || c.After != "0" && c.After != noFix {
			errs = append(errs, fmt.Errorf("%s: %s findings before the fix, %s after it", c.Issue, c.Before, c.After))
		}
	}
	return errors.Join(errs...)
}

// draw prints findings for a reader to judge.
func (all results) draw(w io.Writer, number int) {
	var findings []string
	for _, project := range all.Projects {
		for _, f := range project.Findings {
			findings = append(findings, fmt.Sprintf("%s: %s", f.key(project.Name), f.Message))
		}
	}
	rand.Shuffle(len(findings), func(a, b int) { findings[a], findings[b] = findings[b], findings[a] })
	fmt.Fprintln(w, strings.Join(findings[:min(number, len(findings))], "\n"))
}
