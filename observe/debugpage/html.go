package debugpage

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// maxShown is the number of handlers, namespaces or objects of an informer that the page has.
const maxShown = 20

var funcs = template.FuncMap{
	"icon": func(s State) template.HTML {
		// The text is one of the constants.
		return template.HTML(`<svg class="icon" aria-hidden="true"><use href="#s-` + string(s) + `"/></svg>`)
	},
	"title":  titleOf,
	"where":  whereOf,
	"busy":   busy,
	"p99":    percentile99,
	"number": func(n any) string { return numberOf(n) },
	"size":   size,
}

// numberOf returns a number with commas.
func numberOf(n any) string {
	switch n := n.(type) {
	case int:
		return number(n)
	case int64:
		return number(n)
	case uint64:
		return number(n)
	}
	return fmt.Sprint(n)
}

// titleOf returns the name of a state in a sentence.
func titleOf(s State) string { return strings.ToUpper(string(s[:1])) + string(s[1:]) }

var pageTemplate = template.Must(template.New("page.html").Funcs(funcs).ParseFS(assets, "assets/page.html"))

// page is the data of the template.
type page struct {
	*Report
	Informers []row
	Runbook   string
}

// row is an informer with what only the page shows.
type row struct {
	*Informer
	limits  *limits
	Several bool // the program has informers of several servers
	// HasDetails is not set if the script keeps the details that it has.
	HasDetails bool
}

// writeHTML writes the page.
func (h *Handler) writeHTML(to *bytes.Buffer, r *Report) error {
	p := page{Report: r, Runbook: h.runbook}
	servers := map[string]bool{}
	for i := range r.Informers {
		servers[r.Informers[i].Server] = true
	}
	for i := range r.Informers {
		p.Informers = append(p.Informers, row{
			Informer: &r.Informers[i], limits: &h.limits, Several: len(servers) > 1,
			HasDetails: r.view.details == nil || r.view.details[r.Informers[i].ID],
		})
	}
	return pageTemplate.Execute(to, p)
}

// Link is the address of the page with another value of a parameter.
func (p page) Link(parameter string, value any) string {
	return p.view.link(parameter, fmt.Sprint(value))
}

// Heading is the title of the tab, which begins with the number of informers that fail.
func (p page) Heading() string {
	switch s := p.Summary; {
	case s.Failing > 0:
		return fmt.Sprintf("%s failing – %s", number(s.Failing), p.Title)
	case s.Attention > 0:
		return fmt.Sprintf("%s to look at – %s", number(s.Attention), p.Title)
	}
	return p.Title
}

// Worst is the worst state of an informer.
func (p page) Worst() State {
	for _, part := range p.Bar() {
		if part.Count > 0 {
			return part.State
		}
	}
	return Starting
}

// Icon is the icon of the tab.
func (p page) Icon() string {
	switch worst := p.Worst(); worst {
	case Failing, Attention:
		return "icon-" + string(worst) + ".svg"
	}
	return "icon.svg"
}

// part is the share of the informers that are in a state.
type part struct {
	State       State
	Title       string
	From, Count int
	Current     bool
}

// Bar has the states that informers are in, the worst one first.
func (p page) Bar() (parts []part) {
	s, from := p.Summary, 0
	for i, count := range []int{s.Failing, s.Attention, s.Starting, s.Healthy, s.Stopped} {
		if count > 0 {
			parts = append(parts, part{State: states[i], Title: titleOf(states[i]), From: from, Count: count, Current: p.view.state == states[i]})
		}
		from += count
	}
	return parts
}

// Chips are the filters by state: those that informers are in, and the one that is set.
func (p page) Chips() []part {
	chips := append([]part{{Title: "All", Count: p.Summary.Informers, Current: p.view.state == ""}}, p.Bar()...)
	for _, chip := range chips {
		if chip.Current {
			return chips
		}
	}
	return append(chips, part{State: p.view.state, Title: titleOf(p.view.state), Current: true})
}

func (p page) Query() string   { return clean(p.view.name, maxQuery) }
func (p page) State() State    { return p.view.state }
func (p page) Refresh() string { return p.view.refresh }

// order is a value of ?sort=.
type order struct {
	Name, Title string
	Current     bool
}

func (p page) Orders() (all []order) {
	for _, o := range orders {
		all = append(all, order{o.name, o.title, o.name == p.view.sort})
	}
	return all
}

// column is a heading of the table, which sorts it.
type column struct {
	Title, Sort, Class, Direction string
	Current                       bool
}

func (p page) Columns() []column {
	columns := []column{
		{Title: "Informer", Sort: "name", Class: "informer-name", Direction: "ascending"},
		{Title: "State", Sort: "state", Class: "state", Direction: "descending"},
		{Title: "For", Sort: "since", Class: "num", Direction: "ascending"},
		{Title: "Objects", Sort: "objects", Class: "num", Direction: "descending"}, {Title: "Memory", Sort: "memory", Class: "num", Direction: "descending"},
		{Title: "Staleness", Sort: "staleness", Class: "num", Direction: "descending"}, {Title: "Backlog", Sort: "backlog", Class: "num", Direction: "descending"},
		{Title: "Events", Sort: "events", Class: "num events", Direction: "descending"},
	}
	for i := range columns {
		columns[i].Current = columns[i].Sort == p.view.sort
	}
	return columns
}

func (r row) IsStale() bool {
	return r.limits.stale > 0 && time.Duration(r.Staleness) >= r.limits.stale && r.Phase != cache.Stopped
}

func (r row) HasBacklog() bool { return r.backlog() >= r.limits.backlog }

func (r row) DisplayName() string   { return r.displayName() }
func (r row) GroupResource() string { return r.groupResource() }
func (r row) Words() string         { return r.words() }
func (r row) Lasting() Seconds      { return r.lasting() }
func (r row) Memory() string        { return r.memory() }
func (r row) Stale() string         { return r.stale() }
func (r row) Waiting() string       { return r.waiting() }
func (r row) NeedsAction() bool     { return r.needsAction() }

// InNamespaces names the namespaces of the informer in a few words. It is empty for all of them.
func (r row) InNamespaces() string {
	switch {
	case r.Namespaces == nil:
		return ""
	case len(r.Namespaces) == 0:
		return "in no namespace"
	}
	return "in " + r.where()
}

// AllNamespaces has the namespaces of the informer.
func (r row) AllNamespaces() string {
	if len(r.Namespaces) == 0 {
		return r.where()
	}
	var names []string
	for _, n := range r.Namespaces[:min(len(r.Namespaces), maxShown)] {
		names = append(names, cmp.Or(n, "other namespaces"))
	}
	text := strings.Join(names, ", ")
	if more := len(r.Namespaces) - maxShown; more > 0 {
		text += fmt.Sprintf(" and %s more", number(more))
	}
	return text
}

func first[E any](all []E) []E { return all[:min(len(all), maxShown)] }

func (r row) ShownScopes() []Scope            { return first(r.Scopes) }
func (r row) MoreScopes() int                 { return max(0, len(r.Scopes)-maxShown) }
func (r row) ShownHandlers() []EventHandler   { return first(r.Handlers) }
func (r row) MoreHandlers() int               { return max(0, len(r.Handlers)-maxShown) }
func (r row) ShownUndecodable() []Undecodable { return first(r.Undecodable) }
func (r row) MoreUndecodable() int            { return r.UndecodableCount - len(r.ShownUndecodable()) }

// Spark is the drawing of the events.
func (r row) Spark() *spark { return &r.spark }

// Rate is the mean number of events per second.
func (s *spark) Rate() string { return rate(s.Mean) }
