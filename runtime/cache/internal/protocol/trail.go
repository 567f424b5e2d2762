package protocol

import "fmt"

const (
	// maxRepeats is the number of pages of a list that may begin with the same object as an
	// earlier page: a server may send an object twice.
	maxRepeats = 5
	// MaxEmptyPages is the number of pages in a row that may be empty. A kube-apiserver sends none before the last page,
	// but an aggregated API server may send those in which a selector matches no object.
	MaxEmptyPages = 100
)

// PageTrail detects a list in pages that never ends: continue tokens repeat, objects repeat
// with new tokens, or the pages are empty. The zero value is ready for use.
type PageTrail struct {
	tokens map[string]struct{}
	// mark is the first object of an earlier page: 1, 2, 4, … pages ago in turn, so that
	// a cycle of any length is found (Brent's algorithm).
	mark         string
	pages, until int
	repeats      int
	// empty is the number of empty pages since the last object.
	empty int
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
		return false, ErrTokenRepeated
	}
	if p.tokens == nil {
		p.tokens = map[string]struct{}{}
	}
	p.tokens[token] = struct{}{}
	if first == "" {
		if p.empty++; p.empty >= MaxEmptyPages {
			return false, fmt.Errorf("the server sent %d empty pages in a row, each with a new continue token: %w; fix the API server or the proxy that serves the resource", p.empty, ErrPagesEmpty)
		}
		return false, nil
	}
	p.empty = 0
	isNew = first != p.mark
	if !isNew {
		if p.repeats++; p.repeats > maxRepeats {
			return false, fmt.Errorf("%w, from %s on", ErrPagesRepeated, first)
		}
	}
	if p.pages++; p.pages > p.until {
		p.mark, p.pages, p.until = first, 0, 2*p.until+1
	}
	return isNew, nil
}
