package debugpage

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe"
)

// maxShown is the number of handlers, scopes or objects of an informer that the page has.
const maxShown = 20

// assets are the files that the page consists of. Each but page.html is served by ?asset=.
//
//go:embed assets
var assets embed.FS

var funcs = template.FuncMap{
	"icon": func(s observe.State) template.HTML {
		// The text is one of the constants.
		return template.HTML(`<svg class="icon" aria-hidden="true"><use href="#s-` + string(s) + `"/></svg>`)
	},
	"title":   titleOf,
	"where":   whereOf,
	"phase":   phaseOf,
	"retry":   retryOf,
	"number":  human.Number[int],
	"objects": func(n int) string { return human.Plural(n, "object") },
	"size":    human.Size,
}

// titleOf returns the name of a state in a sentence.
func titleOf(s observe.State) string {
	if s == "" {
		return "All"
	}
	return strings.ToUpper(string(s[:1])) + string(s[1:])
}

var pageTemplate = template.Must(template.New("page.html").Funcs(funcs).ParseFS(assets, "assets/page.html"))

// page is the data of the template.
type page struct {
	*observe.Report
	view    *view
	Rows    []row
	Runbook string
	Columns []column
	several bool // the program has informers of several servers
}

// row is an informer with what only the page shows.
type row struct {
	*observe.Informer
	Spark *spark
	// Details is nil if the script keeps the details that it has.
	Details *details
	page    *page
}

// writeHTML writes the page.
func writeHTML(to io.Writer, r *observe.Report, v *view, sparks map[string]*spark, runbook string) error {
	p := page{Report: r, view: v, Runbook: runbook}
	// The name comes first, and the state after it.
	p.Columns = append([]column{columns[1], columns[0]}, columns[2:]...)
	for n := range r.Informers {
		i := &r.Informers[n]
		p.several = p.several || i.Server != r.Informers[0].Server
		next := row{Informer: i, Spark: sparks[i.ID], page: &p}
		if v.details == nil || v.details[i.ID] {
			all := detailsOf(i, maxShown)
			next.Details = &all
		}
		p.Rows = append(p.Rows, next)
	}
	return pageTemplate.Execute(to, &p)
}

// Link is the address of the page with another value of a parameter.
func (p *page) Link(parameter string, value any) string {
	return p.view.link(parameter, fmt.Sprint(value))
}

// Heading is the title of the tab, which begins with the number of informers that fail.
func (p *page) Heading() string {
	switch worst := p.Summary.Worst(); worst {
	case observe.Failing, observe.Attention:
		return fmt.Sprintf("%s %s – %s", human.Number(p.Summary.Of(worst)), worst, p.Title)
	}
	return p.Title
}

// Icon is the icon of the tab.
func (p *page) Icon() string {
	switch worst := p.Summary.Worst(); worst {
	case observe.Failing, observe.Attention:
		return "icon-" + string(worst) + ".svg"
	}
	return "icon.svg"
}

// part is the share of the informers that are in a state, and the filter by it. Of all informers it has no state.
type part struct {
	State       observe.State
	From, Count int
}

// Bar has the states that informers are in, the worst one first, and the one by which the page is filtered.
func (p *page) Bar() (parts []part) {
	from := 0
	for _, state := range observe.States() {
		count := p.Summary.Of(state)
		if count > 0 || state == p.view.state {
			parts = append(parts, part{state, from, count})
		}
		from += count
	}
	return parts
}

// Chips are the filters by state.
func (p *page) Chips() []part {
	return append([]part{{Count: p.Summary.Informers}}, p.Bar()...)
}

func (p *page) Query() string        { return printable.Text(p.view.name) }
func (p *page) State() observe.State { return p.view.state }
func (p *page) Refresh() string      { return p.view.refresh }
func (p *page) Sort() string         { return p.view.sort.Sort }

// Orders are the columns in the order of the list of orders.
func (p *page) Orders() []column { return columns }

// Cell is the text of the informer in a column.
func (r row) Cell(c column) string { return c.text(r.Informer) }

// Changes is the number of events.
func (r row) Changes() string { return human.Number(r.Events.Changes()) }

// Below are the parts of the line below the resource.
func (r row) Below() []string {
	parts := []string{r.Kind, r.Version}
	if r.Name != r.page.Title {
		parts = append([]string{r.Name}, parts...)
	}
	if where := r.Where(); where != "" {
		parts = append(parts, "in "+where)
	}
	if r.page.several {
		parts = append(parts, r.Server)
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
