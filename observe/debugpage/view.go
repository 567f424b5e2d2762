package debugpage

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
)

// maxQuery is the number of bytes of a filter.
const maxQuery = 200

// view is the part of the informers that a reader asks for, and its order.
type view struct {
	// name is a part of the name, kind, resource or namespace of an informer, in lower case.
	name string
	// state is empty for all states.
	state State
	sort  string
	// details has the IDs of the informers whose details the HTML has. It is nil for all of them.
	details map[string]bool
	// refresh is the number of seconds after which a browser without script asks again, or empty.
	refresh string
}

// orders are the values of ?sort=, with the order of each. The first one is the default.
var orders = []struct {
	name, title string
	compare     func(a, b *Informer) int
}{
	{"state", "State", func(a, b *Informer) int { return 0 }},
	{"name", "Name", func(a, b *Informer) int { return cmp.Compare(a.displayName(), b.displayName()) }},
	{"since", "Newest state", func(a, b *Informer) int { return cmp.Compare(a.For, b.For) }},
	{"objects", "Objects", func(a, b *Informer) int { return cmp.Compare(b.Objects, a.Objects) }},
	{"memory", "Memory", func(a, b *Informer) int { return cmp.Compare(b.ObjectBytes, a.ObjectBytes) }},
	{"staleness", "Staleness", func(a, b *Informer) int { return cmp.Compare(b.Staleness, a.Staleness) }},
	{"backlog", "Backlog", func(a, b *Informer) int { return cmp.Compare(b.backlog(), a.backlog()) }},
	{"events", "Events", func(a, b *Informer) int { return cmp.Compare(b.Events.Changes(), a.Events.Changes()) }},
}

// refreshes are the values of ?refresh=, in seconds.
var refreshes = []string{"", "5", "10", "30", "60"}

// viewOf reads the parameters of a request.
func viewOf(query url.Values) (v view, err error) {
	v = view{
		name: strings.ToLower(strings.TrimSpace(query.Get("q"))), state: State(query.Get("state")),
		sort: cmp.Or(query.Get("sort"), orders[0].name), refresh: query.Get("refresh"),
	}
	if query.Has("details") {
		v.details = map[string]bool{}
		for id := range strings.SplitSeq(query.Get("details"), ",") {
			v.details[id] = true
		}
	}
	if len(v.name) > maxQuery {
		return v, fmt.Errorf("the parameter q has more than %d bytes", maxQuery)
	}
	if v.state != "" && v.state.rank() < 0 {
		return v, wrongParameter("state", string(v.state), "failing, attention, starting, healthy or stopped")
	}
	if v.order() < 0 {
		return v, wrongParameter("sort", v.sort, "state, name, since, objects, memory, staleness, backlog or events")
	}
	if !slices.Contains(refreshes, v.refresh) {
		return v, wrongParameter("refresh", v.refresh, "5, 10, 30 or 60")
	}
	return v, nil
}

func wrongParameter(name, value, want string) error {
	return errors.New("unknown " + name + " " + printable.Quote(printable.Cut(value, 40)) + "; use " + want)
}

func (v *view) order() int {
	for i := range orders {
		if orders[i].name == v.sort {
			return i
		}
	}
	return -1
}

// has reports whether the view has the informer.
func (v *view) has(i *Informer) bool {
	return (v.state == "" || v.state == i.State) && strings.Contains(i.words(), v.name)
}

// compare orders informers. Equal ones are in the order of their state, and of their name.
func (v *view) compare(a, b Informer) int {
	return cmp.Or(orders[v.order()].compare(&a, &b), cmp.Compare(a.State.rank(), b.State.rank()),
		cmp.Compare(a.displayName(), b.displayName()), cmp.Compare(a.ID, b.ID))
}

// words is the text that the filter searches.
func (i *Informer) words() string {
	words := append([]string{i.Name + "/" + i.groupResource(), i.Kind, i.Object}, i.Namespaces...)
	return strings.ToLower(strings.Join(words, " "))
}

// backlog is the number of events that wait for any handler.
func (i *Informer) backlog() (n int) {
	for h := range i.Handlers {
		n += i.Handlers[h].Backlog
	}
	return n
}

// link returns the address of the page with another value of a parameter.
func (v view) link(parameter, value string) string {
	switch parameter {
	case "state":
		v.state = State(value)
	case "sort":
		v.sort = value
	case "refresh":
		v.refresh = value
	}
	query := url.Values{}
	for _, p := range [][2]string{{"q", v.name}, {"state", string(v.state)}, {"sort", v.sort}, {"refresh", v.refresh}} {
		if p[1] != "" && p != [2]string{"sort", orders[0].name} {
			query.Set(p[0], p[1])
		}
	}
	return "?" + query.Encode()
}
