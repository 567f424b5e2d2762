package debugpage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
)

// column is a column of the table of informers, and an order of them.
type column struct {
	// Title is the heading, and Order the order in a list of them.
	Title, Order string
	// Sort is the value of ?sort=.
	Sort string
	// Class and Direction are those of the heading in HTML.
	Class, Direction string
	compare          func(a, b *observe.Informer) int
	// text is the cell.
	text func(*observe.Informer) string
}

// columns are in the order of the text. The first one is the default order.
var columns = []column{
	{"State", "State", "state", "state", "descending", compareBy(func(i *observe.Informer) int { return slices.Index(observe.States(), i.State) }), func(i *observe.Informer) string { return strings.ToUpper(string(i.State)) }},
	{"Informer", "Name", "name", "informer-name", "ascending", compareBy(func(i *observe.Informer) string { return i.Label }), func(i *observe.Informer) string { return i.Label }},
	{"For", "Newest state", "since", "num", "ascending", compareBy(func(i *observe.Informer) observe.Seconds { return i.For }), lasting},
	{"Objects", "Objects", "objects", "num", "descending", largest(func(i *observe.Informer) int { return i.Objects }), func(i *observe.Informer) string { return human.Number(i.Objects) }},
	{"Memory", "Memory", "memory", "num", "descending", largest(func(i *observe.Informer) int64 { return i.ObjectBytes }), memory},
	{"Staleness", "Staleness", "staleness", "num", "descending", largest(func(i *observe.Informer) observe.Seconds { return i.Staleness }), staleness},
	{"Backlog", "Backlog", "backlog", "num", "descending", largest((*observe.Informer).Backlog), func(i *observe.Informer) string { return human.Number(i.Backlog()) }},
	{"Events", "Events", "events", "num events", "descending", largest(func(i *observe.Informer) uint64 { return i.Events.Changes() }), func(i *observe.Informer) string { return human.Number(i.Events.Changes()) }},
}

func compareBy[V cmp.Ordered](value func(*observe.Informer) V) func(a, b *observe.Informer) int {
	return func(a, b *observe.Informer) int { return cmp.Compare(value(a), value(b)) }
}

func largest[V cmp.Ordered](value func(*observe.Informer) V) func(a, b *observe.Informer) int {
	return func(a, b *observe.Informer) int { return cmp.Compare(value(b), value(a)) }
}

// lasting is how long the informer has not followed the server. While it does, it is the time since
// its phase began.
func lasting(i *observe.Informer) string { return max(i.For, i.NotFollowing).String() }

// memory is the estimate of the memory, or – if there is none.
func memory(i *observe.Informer) string {
	if i.ObjectBytes <= 0 {
		return "–"
	}
	return human.Size(i.ObjectBytes)
}

// staleness is – before the first list.
func staleness(i *observe.Informer) string {
	if !i.Synced && i.Staleness == 0 {
		return "–"
	}
	return i.Staleness.String()
}
