package main

import (
	"strconv"
	"strings"
	"unicode"
)

// slugger makes the anchors of the headings of one page as GitHub does. The values are how often a name was used.
type slugger map[string]int

// next returns the anchor of the next heading. The second heading of a name gets the suffix -1, the third one -2.
func (s slugger) next(heading string) string {
	name := slug(heading)
	anchor := name
	for _, used := s[anchor]; used; _, used = s[anchor] {
		s[name]++
		anchor = name + "-" + strconv.Itoa(s[name])
	}
	s[anchor] = 0
	return anchor
}

// slug returns a heading in lower case, with hyphens in place of spaces, and without all other characters
// that are not part of a word.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Pc, r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
