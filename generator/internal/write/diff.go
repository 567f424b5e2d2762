package write

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff returns the plan as a unified diff that patch understands, empty if there
// is nothing to do. Its paths begin with what the output folder is called.
func (p *Plan) Diff() (string, error) {
	var b strings.Builder
	for _, c := range p.Changes {
		from, to := "a/"+p.Show(c.Path), "b/"+p.Show(c.Path)
		if c.Old == nil {
			from = "/dev/null"
		}
		if c.New == nil {
			to = "/dev/null"
		}
		text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A: lines(c.Old), FromFile: from,
			B: lines(c.New), ToFile: to,
			Context: 3,
		})
		if err != nil {
			return "", fmt.Errorf("cannot compare %s: %w", c.Path, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func lines(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	all := strings.SplitAfter(string(content), "\n")
	if all[len(all)-1] == "" {
		return all[:len(all)-1]
	}
	all[len(all)-1] += "\n\\ No newline at end of file\n"
	return all
}
