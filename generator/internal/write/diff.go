package write

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff returns the plan as a unified diff that patch and git apply accept. It is empty if the plan
// changes nothing. Its paths are the ones in messages.
func (p *Plan) Diff() (string, error) {
	var b strings.Builder
	for _, c := range p.Changes {
		from, to := "a/"+c.DisplayPath, "b/"+c.DisplayPath
		if c.Old == nil {
			from = "/dev/null"
		}
		if c.New == nil {
			to = "/dev/null"
		}
		old := string(c.Old)
		text, err := udiff.ToUnified(from, to, old, udiff.Lines(old, string(c.New)), udiff.DefaultContextLines)
		if err != nil {
			return "", fmt.Errorf("cannot compare %s: %w", c.DisplayPath, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}
