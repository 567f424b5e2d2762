package status

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
)

// TestAdvice looks at how many there are, at their order, and at their headings in the runbook.
func TestAdvice(t *testing.T) {
	scope := func(namespace string, reason Reason, verb string) Scope {
		s := Scope{Namespace: namespace, Status: Status{Phase: Watching}}
		if reason != "" {
			s.Status = Status{Phase: Degraded, Reason: reason, Verb: verb, Err: errForbidden}
		}
		return s
	}
	failed := func(reason Reason) Status { return Status{Phase: Degraded, Reason: reason, Err: errForbidden} }
	slow := Stats{Synced: true, Handlers: []HandlerStats{{Name: "quick", Synced: true, Running: time.Second}, {Name: "slow", Running: time.Minute, Backlog: 3}}}
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		time.Sleep(time.Minute)
		for name, test := range map[string]struct {
			status Informer
			want   []string // the heading, the namespaces, and a part of the text
		}{
			"healthy":          {Informer{Status: Status{Phase: Watching}}, nil},
			"pending":          {Informer{Status: Status{Phase: Pending}}, []string{"pending [] Call Start"}},
			"listing":          {Informer{Status: Status{Phase: Listing, Since: now}}, []string{"listing [] has sent nothing of the first list for 1m0s"}},
			"reading":          {Informer{Status: Status{Phase: Listing, Since: now}, Stats: Stats{BytesRead: 5 << 20}}, []string{"listing [] and 5.0 MiB of it were read"}},
			"relisting":        {Informer{Status: Status{Phase: Listing, Since: now}, Stats: Stats{Synced: true, BytesRead: 5}}, []string{"listing [] listing again for 1m0s"}},
			"began":            {Informer{Status: Status{Phase: Listing, Since: time.Now()}}, nil},
			"by hand":          {Informer{Status: Status{Phase: Listing}}, nil},
			"stopped":          {Informer{Status: Status{Phase: Stopped}}, []string{"stopped [] does not run again"}},
			"forbidden":        {Informer{Resource: widgets, Namespaces: []string{"a"}, Status: failed(Forbidden)}, []string{"forbidden [a] Role in that namespace"}},
			"panicked":         {Informer{Namespaces: []string{"a"}, Status: failed(HandlerPanic)}, []string{"handlerpanic [] Fix the handler"}},
			"mistake":          {Informer{Status: Status{Phase: Stopped, Reason: Misconfigured, Err: errForbidden}}, []string{"misconfigured [] Correct the option"}},
			"slow":             {Informer{Status: Status{Phase: Watching}, Stats: slow}, []string{"handler [] Handler slow has not returned from a call for 1m0s"}},
			"failing and slow": {Informer{Status: failed(Unauthorized), Stats: slow}, []string{"unauthorized [] Renew", "handler [] Handler slow"}},
			"namespaces": {Informer{Resource: widgets, Namespaces: []string{"", "a", "b", "c", "d", "e"}, Status: Status{Phase: Degraded, Scopes: []Scope{
				scope("", Forbidden, "list"), scope("a", Forbidden, "list"), scope("b", "", ""), scope("c", Forbidden, "list"), scope("d", Forbidden, "watch"), scope("e", NotFound, "list"),
			}}}, []string{"forbidden [] in all namespaces. Add the rule to a ClusterRole", "forbidden [a c] to list widgets.test.example.com in 2 namespaces (a, c)", "forbidden [d] to watch", "notfound [e] CustomResourceDefinition widgets.test.example.com"}},
			"source": {Informer{Resource: widgets, Namespaces: []string{"a"}, Status: Status{Phase: Degraded, Reason: Unreachable, Err: &ScopesError{errForbidden}, Scopes: []Scope{
				scope("a", Forbidden, "list"),
			}}}, []string{"scopes [] The scopes cannot be set", "forbidden [a] in namespace a"}},
			"source with a mistake": {Informer{Resource: widgets, Status: Status{Phase: Degraded, Reason: Misconfigured, Err: &ScopesError{errors.New("no")}}},
				[]string{"scopes [] The scopes cannot be set"}},
			"informer as source": {Informer{Resource: widgets, Status: Status{Phase: Degraded, Reason: Forbidden, Err: &ScopesError{
				&advice.SourceError{Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Verb: "list", Err: errForbidden},
			}}}, []string{"scopes [] to list namespaces. Add the rule to a ClusterRole"}},
			"scopes that are not set": {Informer{Status: Status{Phase: Listing, Awaits: &NotSynced{}}}, []string{"scopes [] Look at what calls SetScopes"}},
			"scopes of an informer": {Informer{Status: Status{Phase: Listing, Awaits: &NotSynced{Reason: "r", Status: Status{Phase: Pending, Resource: widgets}}}},
				[]string{"scopes [] the informer of widgets.test.example.com, which is not started"}},
			"scopes of a namespace": {Informer{Resource: widgets, Namespaces: []string{"", "a"}, Status: Status{Phase: Degraded, Scopes: []Scope{
				scope("", Forbidden, "list"), scope("", Forbidden, "list"), scope("a", "", ""), scope("a", Forbidden, "list"), scope("a", Forbidden, "list"),
			}}}, []string{"forbidden [] in all namespaces", "forbidden [a] in namespace a. Add the rule to a Role"}},
		} {
			all := test.status.Advice()
			matches := slices.EqualFunc(all, test.want, func(a Advice, want string) bool {
				heading, text, _ := strings.Cut(want, "] ")
				return fmt.Sprint(a.Runbook(), " ", a.Namespaces) == heading+"]" && strings.Contains(a.Text, text) && strings.HasPrefix(a.String(), a.Text)
			})
			if !matches {
				t.Errorf("%s: %q, want %q", name, all, test.want)
			}
		}
	})
	if a := (Advice{Reason: Forbidden, Text: "by hand"}); a.Runbook() != "forbidden" || a.String() != "by hand" {
		t.Errorf("%q %q", a.Runbook(), a)
	}
}
