package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/test/compare"
)

// Result is what a row gave.
type Result struct {
	Name, Module, Version string
	Kinds                 int
	// Failing has a line for each kind that failed when its client or informer was used.
	Failing []string `json:",omitempty"`
	// NotRun is why the kinds were not used: a package that was not generated cannot be.
	NotRun string `json:",omitempty"`
	// Cold and Warm are wall seconds of one run of informer-gen.
	Cold, Warm float64
	// Flags are those that not all rows have.
	Flags []string `json:",omitempty"`
	Shape string   `json:",omitempty"`
	// Clientset is the published one, if there is one.
	Clientset string `json:",omitempty"`
	// Differences are those that are meant, by reason.
	Differences []Difference `json:",omitempty"`
	// Failure is the first line of what went wrong, and Reason says why that is expected.
	Failure string `json:",omitempty"`
	Reason  string `json:",omitempty"`
}

// Difference is how often ours differs from the published clientset for one reason.
type Difference struct {
	Count  int
	Reason string
	// Kinds are missing, changed and extra, as far as they occur.
	Kinds []string
}

// judge completes the result of a row, and returns an error if it is not what the row
// expects. failure is nil if the row was generated and compiles.
func (r Row) judge(result *Result, differences []compare.Difference, failure error) error {
	if failure != nil {
		result.Failure, result.Reason = firstLine(failure), r.Reason
		if r.Refused == "" || !regexp.MustCompile(r.Refused).MatchString(failure.Error()) {
			return failure
		}
		return nil
	}
	if r.Refused != "" {
		return fmt.Errorf("it is no longer refused; delete Refused and Reason (%s)", r.Reason)
	}
	common, _, err := compare.Sift(differences, Common)
	if err != nil {
		return err
	}
	left, unused, err := compare.Sift(common, r.Accepted)
	if err != nil {
		return err
	}
	for _, entry := range unused {
		err = errors.Join(err, fmt.Errorf("an entry of Accepted matches nothing; delete it: %s", entry.Pattern))
	}
	err = errors.Join(err, r.judgeFailing(result))
	for _, difference := range left {
		err = errors.Join(err, errors.New(difference.String()))
	}
	result.Differences = summarize(differences, slices.Concat(Common, r.Accepted))
	return err
}

// judgeFailing adds the reasons to the kinds that fail by a fault of the module. The error has the others.
func (r Row) judgeFailing(result *Result) (err error) {
	found := map[string]bool{}
	for i, line := range result.Failing {
		isMeant := false
		for begin, reason := range r.Failing {
			if strings.HasPrefix(line, begin) {
				isMeant, found[begin] = true, true
				result.Failing[i] = begin + ": " + reason
			}
		}
		if !isMeant {
			err = errors.Join(err, errors.New(line))
		}
	}
	for begin := range r.Failing {
		if !found[begin] {
			err = errors.Join(err, fmt.Errorf("no kind fails any more as Failing says; delete it: %s", begin))
		}
	}
	return err
}

// summarize counts the differences of each reason. A difference that several entries
// accept counts for the first of them.
func summarize(differences []compare.Difference, accepted []compare.Accepted) []Difference {
	found := map[string]*Difference{}
	var order []string
	for _, difference := range differences {
		reason := "not yet explained"
		for _, entry := range accepted {
			if left, _, err := compare.Sift([]compare.Difference{difference}, []compare.Accepted{entry}); err == nil && len(left) == 0 {
				reason = entry.Reason
				break
			}
		}
		if found[reason] == nil {
			found[reason] = &Difference{Reason: reason}
			order = append(order, reason)
		}
		found[reason].Count++
		if kind := string(difference.Kind); !slices.Contains(found[reason].Kinds, kind) {
			found[reason].Kinds = append(found[reason].Kinds, kind)
		}
	}
	var summary []Difference
	for _, reason := range order {
		slices.Sort(found[reason].Kinds)
		summary = append(summary, *found[reason])
	}
	return summary
}

// firstLine leaves out lines that only say which command failed, or in which package.
func firstLine(err error) string {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, "\n"); ok && strings.Contains(text, "exit status") {
		text = rest
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			return line
		}
	}
	return err.Error()
}

// readResults returns the results of the last run; none if there was no run.
func readResults(file string) ([]Result, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var results []Result
	return results, json.Unmarshal(text, &results)
}

// merge replaces the results of rows that ran, and drops those of rows that are no longer
// in the table.
func merge(old, ran []Result, rows []Row) []Result {
	names := map[string]bool{}
	for _, row := range rows {
		names[row.name()] = true
	}
	for _, result := range ran {
		old = slices.DeleteFunc(old, func(r Result) bool { return r.Name == result.Name })
	}
	merged := slices.DeleteFunc(slices.Concat(old, ran), func(r Result) bool { return !names[r.Name] })
	slices.SortFunc(merged, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Name, b.Name))
	})
	return merged
}

func writeResults(file string, results []Result) error {
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// run generates for a row, and returns its result and whether that is as expected.
func (w workspace) run(ctx context.Context, tool string) (Result, error) {
	result := Result{Name: w.row.name(), Module: w.row.Module, Version: w.row.Version, Flags: w.row.Flags, Shape: w.row.Shape, Clientset: w.row.Clientset}
	found, err := w.measure(ctx, tool, &result)
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	result.Kinds = found.kinds
	err = w.row.judge(&result, found.differences, err)
	result.Failure = w.portable(result.Failure)
	return result, err
}

// portable drops the folders of this machine from a message.
func (w workspace) portable(message string) string {
	for _, dir := range []string{w.dir, w.cache} {
		message = strings.ReplaceAll(message, dir+string(filepath.Separator), "")
	}
	return message
}

func (w workspace) measure(ctx context.Context, tool string, result *Result) (found inspection, err error) {
	if err := w.create(ctx); err != nil {
		return found, err
	}
	if result.Cold, err = w.generateCold(ctx, tool); err != nil {
		return found, err
	}
	if result.Warm, err = w.generateWarm(ctx, tool); err != nil {
		return found, err
	}
	if found, err = w.inspect(ctx); err != nil {
		return found, err
	}
	if result.NotRun = w.row.Unusable; result.NotRun != "" {
		return found, nil
	}
	outcome, err := w.exercise(ctx)
	if err != nil && blamesOthers(err) {
		result.NotRun = w.portable(firstLine(err))
		return found, nil
	}
	if err != nil {
		return found, err
	}
	result.Failing = outcome.Failures
	if outcome.Kinds != found.kinds {
		return found, fmt.Errorf("the methods of the clientset return clients for %d kinds, but it has packages for %d", outcome.Kinds, found.kinds)
	}
	return found, nil
}
