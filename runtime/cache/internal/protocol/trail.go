package protocol

import "fmt"

// maxRepeats is the number of pages of a list that may begin with the same object as an
// earlier page: a server may send an object twice.
const maxRepeats = 5

// PageTrail detects a list in pages that never ends: continue tokens repeat, or objects
// repeat with new tokens. The zero value is ready for use.
type PageTrail struct {
	tokens map[string]struct{}
	// mark is the first object of an earlier page: 1, 2, 4, … pages ago in turn, so that
	// a cycle of any length is found (Brent's algorithm).
	mark         string
	pages, until int
	repeats      int
}

// Begin forgets the pages of the last list.
func (p *PageTrail) Begin() { *p = PageTrail{} }

// Note records the token that a page ended with, and the name of its first object, which
// is empty for an empty page. isNew is false if the page is empty or seems to repeat an
// earlier one.
func (p *PageTrail) Note(token, first string) (isNew bool, err error) {
	if token == "" {
		p.Begin()
		return true, nil
	}
	if _, again := p.tokens[token]; again {
		return false, fmt.Errorf("list: %w", ErrTokenRepeated)
	}
	if p.tokens == nil {
		p.tokens = map[string]struct{}{}
	}
	p.tokens[token] = struct{}{}
	if first == "" {
		return false, nil
	}
	isNew = first != p.mark
	if !isNew {
		if p.repeats++; p.repeats > maxRepeats {
			return false, fmt.Errorf("list: %w, from %s on", ErrPagesRepeated, first)
		}
	}
	if p.pages++; p.pages > p.until {
		p.mark, p.pages, p.until = first, 0, 2*p.until+1
	}
	return isNew, nil
}
