package plan

// Cut returns the text of an object without the members that omit leaves out. All other names and values stay as they are. A text
// that has none of these members is returned itself, as is one whose brackets do not match.
func (p *Plan) Cut(text []byte, omit Omission) (rest []byte, ok bool) { return omit.cut(text), true }

func (o Omission) cut(text []byte) []byte {
	rest := make([]byte, 0, len(text))
	rest = append(rest, '{')
	isWhole := true
	end := Members(text, func(m Member) bool {
		value := m.Value
		if within, omitted := o.of(m); omitted {
			isWhole = isWhole && within != nil
			if within == nil {
				return true
			}
			value = within.cut(value)
			isWhole = isWhole && len(value) == len(m.Value)
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(rest, m.quoted...)
		rest = append(append(rest, ':'), value...)
		return true
	})
	if end < 0 || isWhole {
		return text
	}
	return append(rest, '}')
}

// of returns the omission of the members of a member, and whether the member is one to leave out, as a whole if that is nil.
func (o Omission) of(m Member) (within Omission, omitted bool) {
	for name, within := range o {
		if m.Is(name) {
			return within, true
		}
	}
	return nil, false
}
