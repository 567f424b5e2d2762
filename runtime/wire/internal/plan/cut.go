package plan

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// Cut returns the text of an object without the members that mask leaves out. All other names and values stay as they are.
// A text that has none of these members is returned itself, as is one whose brackets do not match.
//
// It reports false if an object has several members of one name, of which parts are left out: decoding the text would merge
// them first.
func (p *Plan) Cut(text []byte, mask *fieldmask.Mask) (rest []byte, ok bool) {
	c := cutter{rest: make([]byte, 0, len(text))}
	c.value(text, mask)
	if c.isBroken || !c.isCut {
		return text, !c.isRepeated
	}
	return c.rest, !c.isRepeated
}

// cutter copies the parts of a text that are kept.
type cutter struct {
	rest                        []byte
	isCut, isBroken, isRepeated bool
}

// value appends the part of a value that mask keeps. It reports whether that is no key of a map.
func (c *cutter) value(text []byte, mask *fieldmask.Mask) (isGone bool) {
	at := SkipSpace(text, 0)
	switch peek(text, at) {
	case '{':
		return c.object(text, mask)
	case '[':
		c.array(text, at, mask)
	default:
		c.rest = append(c.rest, text...)
	}
	return false
}

func (c *cutter) object(text []byte, mask *fieldmask.Mask) (isGone bool) {
	c.rest = append(c.rest, '{')
	isEmpty, isCut := true, false
	var met []*fieldmask.Mask
	end := Members(text, func(m Member) bool {
		name, _ := Text(m.quoted)
		inner := mask.AtText(name)
		if inner.KeepsNothing() {
			isCut = true
			return true
		}
		before := len(c.rest)
		if !isEmpty {
			c.rest = append(c.rest, ',')
		}
		c.rest = append(append(c.rest, m.quoted...), ':')
		if inner == nil {
			c.rest = append(c.rest, m.Value...)
		} else {
			c.isRepeated = c.isRepeated || slices.Contains(met, inner)
			met = append(met, inner)
			if c.value(m.Value, inner) {
				c.rest, isCut = c.rest[:before], true
				return true
			}
		}
		isEmpty = false
		return true
	})
	c.rest = append(c.rest, '}')
	c.isCut, c.isBroken = c.isCut || isCut, c.isBroken || end < 0
	return mask.IsMap() && isCut && isEmpty
}

// array appends the part of each element that mask keeps. The other ones stay in their places.
func (c *cutter) array(text []byte, at int, mask *fieldmask.Mask) {
	c.rest = append(c.rest, '[')
	at, more := first(text, at, ']')
	for isFirst := true; more; isFirst = false {
		end := ValueEnd(text, at)
		if end < 0 {
			c.isBroken = true
			return
		}
		if !isFirst {
			c.rest = append(c.rest, ',')
		}
		before := len(c.rest)
		if c.value(text[at:end], mask) {
			c.rest = append(c.rest[:before], "null"...)
		}
		at, more = nextOrEnd(text, end, ']')
	}
	c.isBroken = c.isBroken || at == gaveUp
	c.rest = append(c.rest, ']')
}
