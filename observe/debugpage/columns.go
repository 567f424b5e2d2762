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
	// Sort is the value of ?sort=.
	Sort string
	// Title is the heading, and Order the order in a list of them.
	Title, Order string
	// Class is the CSS class of the heading in HTML, and Direction its sort direction.
	Class, Direction string
	// value returns the number by which the informers are sorted, the largest one first if Direction is descending. It is nil for
	// the column by which they are sorted as text.
	value func(*observe.Informer) int64
	// text is the cell.
	text func(*observe.Informer) string
}

// columns are in the order of the text. The first one is the default order.
var columns = []column{
	{"state", "State", "State", "state", "descending",
		func(i *observe.Informer) int64 { return -int64(slices.Index(observe.States(), i.State)) },
		func(i *observe.Informer) string { return strings.ToUpper(string(i.State)) }},
	{"name", "Informer", "Name", "informer-name", "ascending",
		nil,
		func(i *observe.Informer) string { return i.Label }},
	{"since", "For", "Newest state", "num", "ascending",
		func(i *observe.Informer) int64 { return int64(i.For) },
		// While the informer does not follow the server, its phase may have begun again.
		func(i *observe.Informer) string { return max(i.For, i.NotFollowing).String() }},
	{"objects", "Objects", "Objects", "num", "descending",
		func(i *observe.Informer) int64 { return int64(i.Objects) },
		func(i *observe.Informer) string { return human.Number(i.Objects) }},
	{"memory", "Memory", "Memory", "num", "descending",
		func(i *observe.Informer) int64 { return i.ObjectBytes },
		func(i *observe.Informer) string { return known(i.ObjectBytes > 0, human.Size(i.ObjectBytes)) }},
	{"staleness", "Staleness", "Staleness", "num", "descending",
		func(i *observe.Informer) int64 { return int64(i.Staleness) },
		func(i *observe.Informer) string { return known(i.Synced || i.Staleness > 0, i.Staleness.String()) }},
	{"backlog", "Backlog", "Backlog", "num", "descending",
		func(i *observe.Informer) int64 { return int64(i.Backlog()) },
		func(i *observe.Informer) string { return known(len(i.Handlers) > 0, human.Number(i.Backlog())) }},
	{"events", "Events", "Events", "num events", "descending",
		func(i *observe.Informer) int64 { return int64(i.Events.Changes()) },
		func(i *observe.Informer) string { return human.Number(i.Events.Changes()) }},
}

// compare orders two informers.
func (c *column) compare(a, b *observe.Informer) int {
	switch {
	case c.value == nil:
		return cmp.Compare(a.Label, b.Label)
	case c.Direction == "descending":
		return cmp.Compare(c.value(b), c.value(a))
	}
	return cmp.Compare(c.value(a), c.value(b))
}

// known returns – for a value that is not known.
func known(isKnown bool, text string) string {
	if !isKnown {
		return "–"
	}
	return text
}
