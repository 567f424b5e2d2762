package memory

// Habit knows whether the values of a field come again, as images do and UIDs do not. Looking for a value costs as much as a
// small allocation. The zero Habit looks.
type Habit struct{ looks, hits, rest uint16 }

const (
	// habitLooks is after how many looks a Habit decides, and habitHits how many of them have to find the value.
	habitLooks, habitHits = 64, 4
	// habitRest is how many values are not looked for then.
	habitRest = 4096
)

// Looks reports whether to look for a value.
func (h *Habit) Looks() bool {
	if h.rest == 0 {
		return true
	}
	h.rest--
	return false
}

// Note is called after a look.
func (h *Habit) Note(found bool) {
	h.looks++
	if found {
		h.hits++
	}
	if h.looks < habitLooks {
		return
	}
	if h.hits < habitHits {
		h.rest = habitRest
	}
	h.looks, h.hits = 0, 0
}
