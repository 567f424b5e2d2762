package cache

import "fmt"

// maxRepeats is how many pages of a list may begin with the same object as an earlier
// one. A server may have an object twice; one that repeats its pages never ends.
const maxRepeats = 5

// pageTrail notices that a list in pages goes in circles: by a continue token that the
// server has sent before, or, where each token is a new one, by objects that return.
// The zero value is ready for use.
type pageTrail struct {
	tokens map[string]struct{}
	// mark is the first object of a page, pages ago 1, 2, 4, … pages in turn, so that it
	// is in a circle of any length at last (Brent's algorithm).
	mark         ObjectName
	pages, until int
	repeats      int
}

// begin forgets the pages of the list before.
func (p *pageTrail) begin() { *p = pageTrail{} }

// note takes the token that a page ended with, and its first object, which is empty if
// it has none. It reports whether the page brought something new, as far as it knows.
func (p *pageTrail) note(token string, first ObjectName) (isNew bool, err error) {
	if token == "" {
		p.begin()
		return true, nil
	}
	if _, again := p.tokens[token]; again {
		return false, fmt.Errorf("list: %w", errTokenRepeated)
	}
	if p.tokens == nil {
		p.tokens = map[string]struct{}{}
	}
	p.tokens[token] = struct{}{}
	if first == (ObjectName{}) {
		return false, nil
	}
	isNew = first != p.mark
	if !isNew {
		if p.repeats++; p.repeats > maxRepeats {
			return false, fmt.Errorf("list: %w, from %s on", errPagesRepeated, first)
		}
	}
	if p.pages++; p.pages > p.until {
		p.mark, p.pages, p.until = first, 0, 2*p.until+1
	}
	return isNew, nil
}
