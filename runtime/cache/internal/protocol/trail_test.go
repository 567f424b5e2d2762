package protocol

import (
	"errors"
	"strconv"
	"testing"
)

// TestListThatRepeatsItsPages has new tokens, and pages that are not new.
func TestListThatRepeatsItsPages(t *testing.T) {
	for _, circle := range []int{1, 2, 3, 10, 100} {
		for _, before := range []int{0, 1, 7} {
			pages := 0
			var trail PageTrail
			for ; pages < 1000+100*circle; pages++ {
				n := pages
				if n >= before {
					n = before + (n-before)%circle
				}
				if _, err := trail.Note(strconv.Itoa(pages), strconv.Itoa(n)); err != nil {
					if !errors.Is(err, ErrPagesRepeated) || ReasonOf(err) != ServerError || !restartsList(err) {
						t.Error(err)
					}
					break
				}
			}
			if limit := 2*before + (maxRepeats+4)*circle; pages > limit {
				t.Errorf("a circle of %d pages after %d is noticed after %d, want %d", circle, before, pages, limit)
			}
		}
	}
	var trail PageTrail
	for n := range 100_000 {
		if isNew, err := trail.Note(strconv.Itoa(n), strconv.Itoa(n)); err != nil || !isNew {
			t.Fatal(isNew, err)
		}
	}
}
