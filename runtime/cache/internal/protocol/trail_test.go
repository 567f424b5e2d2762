package protocol

import (
	"errors"
	"strconv"
	"strings"
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

// TestListOfEmptyPages has new tokens, and pages without objects.
func TestListOfEmptyPages(t *testing.T) {
	for name, objects := range map[string]func(page int) bool{
		"none":                 func(int) bool { return false },
		"one":                  func(page int) bool { return page == 1 },
		"pages of them":        func(page int) bool { return page < 3*MaxEmptyPages },
		"one in each 99 pages": func(page int) bool { return page%(MaxEmptyPages-1) == 0 && page < 1000 },
	} {
		var trail PageTrail
		var err error
		empty, page := 0, 0
		for ; err == nil && page < 10*MaxEmptyPages+1000; page++ {
			first := ""
			if empty++; objects(page) {
				first, empty = strconv.Itoa(page), 0
			}
			_, err = trail.Note(strconv.Itoa(page), first)
		}
		if !errors.Is(err, ErrPagesEmpty) || empty != MaxEmptyPages || !strings.Contains(err.Error(), strconv.Itoa(MaxEmptyPages)+" empty pages") {
			t.Errorf("%s: after %d pages, of which the last %d are empty: %v", name, page, empty, err)
		}
		if ReasonOf(err) != ServerError || !restartsList(err) || !isRefusal(err) {
			t.Errorf("%s: the reason is %s", name, ReasonOf(err))
		}
		trail.Begin()
		if _, err := trail.Note("t", ""); err != nil {
			t.Errorf("%s: the next list: %v", name, err)
		}
	}
}
