package debugpage

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe"
)

// maxQuery is the number of bytes of a filter.
const maxQuery = 200

// view is the part of the informers that a reader asks for, and its order.
type view struct {
	// name is a part of the name, kind, resource or namespace of an informer, in lower case.
	name string
	// state is empty for all states.
	state observe.State
	// sort is the column by which the informers are sorted.
	sort column
	// details has the IDs of the informers whose details the HTML has. It is nil for all of them.
	details map[string]bool
	// refresh is the number of seconds after which a browser without script asks again, or empty.
	refresh string
}

// refreshes are the values of ?refresh=, in seconds.
var refreshes = []string{"", "5", "10", "30", "60"}

// viewOf reads the parameters of a request.
func viewOf(query url.Values) (v view, err error) {
	v = view{name: strings.ToLower(strings.TrimSpace(query.Get("q"))), state: observe.State(query.Get("state")), refresh: query.Get("refresh")}
	if query.Has("details") {
		v.details = map[string]bool{}
		for id := range strings.SplitSeq(query.Get("details"), ",") {
			v.details[id] = true
		}
	}
	order := cmp.Or(query.Get("sort"), columns[0].Sort)
	at := slices.IndexFunc(columns, func(c column) bool { return c.Sort == order })
	switch {
	case len(v.name) > maxQuery:
		return v, fmt.Errorf("the parameter q has more than %d bytes", maxQuery)
	case v.state != "" && !slices.Contains(observe.States(), v.state):
		return v, wrongParameter("state", string(v.state), "failing, attention, starting, healthy or stopped")
	case at < 0:
		return v, wrongParameter("sort", order, "state, name, since, objects, memory, staleness, backlog or events")
	case !slices.Contains(refreshes, v.refresh):
		return v, wrongParameter("refresh", v.refresh, "5, 10, 30 or 60")
	}
	v.sort = columns[at]
	return v, nil
}

func wrongParameter(name, value, want string) error {
	return fmt.Errorf("unknown %s %s; use %s", name, printable.Quote(printable.Cut(value, 40)), want)
}

// apply leaves the informers in the report that are in the view, in its order. Equal ones are in the order of their state, and of
// their label.
func (v *view) apply(r *observe.Report) {
	r.Informers = slices.DeleteFunc(r.Informers, func(i observe.Informer) bool {
		return v.state != "" && v.state != i.State || !strings.Contains(words(&i), v.name)
	})
	slices.SortStableFunc(r.Informers, func(a, b observe.Informer) int {
		return cmp.Or(v.sort.compare(&a, &b), columns[0].compare(&a, &b), cmp.Compare(a.Label, b.Label))
	})
}

// words is the text that the filter searches.
func words(i *observe.Informer) string {
	words := append([]string{i.Name + "/" + i.GroupResource(), i.Kind, i.Object}, i.Namespaces...)
	return strings.ToLower(strings.Join(words, " "))
}

// link returns the address of the page with another value of a parameter.
func (v *view) link(parameter, value string) string {
	values := map[string]string{"q": v.name, "state": string(v.state), "sort": v.sort.Sort, "refresh": v.refresh}
	values[parameter] = value
	query := url.Values{}
	for name, value := range values {
		if value != "" && (name != "sort" || value != columns[0].Sort) {
			query.Set(name, value)
		}
	}
	return "?" + query.Encode()
}
