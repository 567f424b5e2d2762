package observe

import (
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestSummary has the sentence on top for each mix of states.
func TestSummary(t *testing.T) {
	of := func(states ...State) (all []Informer) {
		for i, s := range states {
			all = append(all, Informer{State: s, Label: string(rune('a' + i))})
		}
		return all
	}
	reasons := func(all []Informer, reasons ...status.Reason) []Informer {
		for i, reason := range reasons {
			all[i].Reason = reason
		}
		return all
	}
	for want, all := range map[string][]Informer{
		"There are no informers yet.":                                    nil,
		"1 of 1 informer follows the server.":                            of(Healthy),
		"1 of 1 informer does not follow the server: a.":                 of(Failing),
		"2 of 2 informers follow the server.":                            of(Healthy, Healthy),
		"2 of 2 informers have stopped.":                                 of(Stopped, Stopped),
		"1 of 3 informers does not follow the server: b.":                of(Healthy, Failing, Attention),
		"2 of 3 informers need attention: a, b.":                         of(Attention, Attention, Starting),
		"4 of 5 informers do not follow the server.":                     of(Failing, Failing, Failing, Failing, Healthy),
		"1 of 2 informers is starting.":                                  of(Starting, Healthy),
		"2 of 2 informers do not follow the server (Unreachable): a, b.": reasons(of(Failing, Failing), status.Unreachable, status.Unreachable),
		"3 of 4 informers do not follow the server (2 Unreachable, 1 Forbidden): a, b, c.": reasons(of(Failing, Failing, Failing, Attention),
			status.Unreachable, status.Forbidden, status.Unreachable, status.HandlerPanic),
	} {
		if got := summaryOf(all).Text; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestLabels has informers of one factory and of two. The name of the only factory is the title, and
// not in the labels, because a name that all informers have does not say which one fails.
func TestLabels(t *testing.T) {
	with := func(name, resource string, namespaces ...string) status.Informer {
		s := following(resource)
		s.Name, s.Namespaces = name, namespaces
		return s
	}
	other := with("", "pods")
	other.Server = "https://other"
	for _, test := range []struct {
		of     []status.Informer
		set    string
		title  string
		labels []string
	}{
		{nil, "", "Informers", nil},
		{source{with("shop", "orders"), with("shop", "items")}, "", "shop", []string{"orders", "items"}},
		{source{with("shop", "orders"), with("shop", "items")}, "mine", "mine", []string{"orders", "items"}},
		{source{with("shop", "orders"), with("", "pods")}, "", "Informers", []string{"shop/orders", "pods"}},
		{source{with("", "pods", "a"), with("", "pods", "a", "b"), with("", "pods", "", "b"), with("", "pods", []string{}...)}, "", "Informers",
			[]string{"pods in namespace a", "pods in namespaces a, b", "pods", "pods in no namespace"}},
		{source{with("", "pods"), other}, "", "Informers", []string{"pods (v1, *v1.Object)", "pods (v1, *v1.Object, https://other)"}},
		{source{with("", "pods", "a", "b", "c", "d"), with("a\n[-] b", "pods")}, "", "Informers", []string{"pods in 4 namespaces", `a\n[-] b/pods`}},
	} {
		r := read(Reader{Title: test.set}, test.of...)
		var labels []string
		for _, i := range r.Informers {
			labels = append(labels, i.Label)
		}
		if r.Title != test.title || !slices.Equal(labels, test.labels) {
			t.Errorf("%q, %q, want %q, %q", r.Title, labels, test.title, test.labels)
		}
	}
}
