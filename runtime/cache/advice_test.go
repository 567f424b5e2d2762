package cache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestAdvice looks at how many there are, at their order, and at their headings in the runbook.
func TestAdvice(t *testing.T) {
	scope := func(namespace string, reason Reason, verb string) ScopeStatus {
		s := ScopeStatus{Namespace: namespace, Status: Status{Phase: Watching}}
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
			status InformerStatus
			want   []string // the heading, the namespaces, and a part of the text
		}{
			"healthy":          {InformerStatus{Status: Status{Phase: Watching}}, nil},
			"pending":          {InformerStatus{Status: Status{Phase: Pending}}, []string{"pending [] Call Start"}},
			"listing":          {InformerStatus{Status: Status{Phase: Listing, Since: now}}, []string{"listing [] has sent nothing of the first list for 1m0s"}},
			"reading":          {InformerStatus{Status: Status{Phase: Listing, Since: now}, Stats: Stats{BytesRead: 5 << 20}}, []string{"listing [] and 5.0 MiB of it were read"}},
			"relisting":        {InformerStatus{Status: Status{Phase: Listing, Since: now}, Stats: Stats{Synced: true, BytesRead: 5}}, []string{"listing [] listing again for 1m0s"}},
			"began":            {InformerStatus{Status: Status{Phase: Listing, Since: time.Now()}}, nil},
			"by hand":          {InformerStatus{Status: Status{Phase: Listing}}, nil},
			"stopped":          {InformerStatus{Status: Status{Phase: Stopped}}, []string{"stopped [] does not run again"}},
			"forbidden":        {InformerStatus{Resource: widgets, Namespaces: []string{"a"}, Status: failed(Forbidden)}, []string{"forbidden [a] Role in that namespace"}},
			"panicked":         {InformerStatus{Namespaces: []string{"a"}, Status: failed(HandlerPanic)}, []string{"handlerpanic [] Fix the handler"}},
			"mistake":          {InformerStatus{Status: Status{Phase: Stopped, Reason: Misconfigured, Err: errForbidden}}, []string{"misconfigured [] Correct the option"}},
			"slow":             {InformerStatus{Status: Status{Phase: Watching}, Stats: slow}, []string{"handler [] Handler slow has not returned from a call for 1m0s"}},
			"failing and slow": {InformerStatus{Status: failed(Unauthorized), Stats: slow}, []string{"unauthorized [] Renew", "handler [] Handler slow"}},
			"namespaces": {InformerStatus{Resource: widgets, Namespaces: []string{"", "a", "b", "c", "d", "e"}, Status: Status{Phase: Degraded, Scopes: []ScopeStatus{
				scope("", Forbidden, "list"), scope("a", Forbidden, "list"), scope("b", "", ""), scope("c", Forbidden, "list"), scope("d", Forbidden, "watch"), scope("e", NotFound, "list"),
			}}}, []string{"forbidden [] in all namespaces. Add the rule to a ClusterRole", "forbidden [a c] to list widgets.test.example.com in 2 namespaces (a, c)", "forbidden [d] to watch", "notfound [e] CustomResourceDefinition widgets.test.example.com"}},
			"source": {InformerStatus{Resource: widgets, Namespaces: []string{"a"}, Status: Status{Phase: Degraded, Reason: Unreachable, Err: &ScopesError{errForbidden}, Scopes: []ScopeStatus{
				scope("a", Forbidden, "list"),
			}}}, []string{"scopes [] The scopes cannot be set", "forbidden [a] in namespace a"}},
			"source with a mistake": {InformerStatus{Resource: widgets, Status: Status{Phase: Degraded, Reason: Misconfigured, Err: &ScopesError{&OptionError{}}}},
				[]string{"scopes [] The scopes cannot be set"}},
			"informer as source": {InformerStatus{Resource: widgets, Status: Status{Phase: Degraded, Reason: Forbidden, Err: &ScopesError{
				&followedError{resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, verb: "list", err: errForbidden},
			}}}, []string{"scopes [] to list namespaces. Add the rule to a ClusterRole"}},
			"scopes of a namespace": {InformerStatus{Resource: widgets, Namespaces: []string{"", "a"}, Status: Status{Phase: Degraded, Scopes: []ScopeStatus{
				scope("", Forbidden, "list"), scope("", Forbidden, "list"), scope("a", "", ""), scope("a", Forbidden, "list"), scope("a", Forbidden, "list"),
			}}}, []string{"forbidden [] in all namespaces", "forbidden [a] in namespace a. Add the rule to a Role"}},
		} {
			advice := test.status.Advice()
			matches := slices.EqualFunc(advice, test.want, func(a Advice, want string) bool {
				heading, text, _ := strings.Cut(want, "] ")
				return fmt.Sprint(a.Runbook(), " ", a.Namespaces) == heading+"]" && strings.Contains(a.Text, text) && strings.HasPrefix(a.String(), a.Text)
			})
			if !matches {
				t.Errorf("%s: %q, want %q", name, advice, test.want)
			}
		}
	})
	if a := (Advice{Reason: Forbidden, Text: "by hand"}); a.Runbook() != "forbidden" || a.String() != "by hand" {
		t.Errorf("%q %q", a.Runbook(), a)
	}
}
