package status

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

// TestStatusOfNamespaces joins the states of two namespaces, in both orders.
func TestStatusOfNamespaces(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	for name, test := range map[string]struct{ a, b, want Status }{
		"the last one that is followed counts": {
			Status{Phase: Watching, Since: at(1), ResourceVersion: "10"},
			Status{Phase: Watching, Since: at(2), ResourceVersion: "9"},
			Status{Phase: Watching, Since: at(2), ResourceVersion: "9"},
		},
		"the first one that fails counts": {
			Status{Phase: Degraded, Since: at(1), ResourceVersion: "x", Err: errForbidden, Reason: Forbidden, NextAttempt: at(9)},
			Status{Phase: Degraded, Since: at(2), ResourceVersion: "x", Err: errForbidden, Reason: Forbidden, NextAttempt: at(8)},
			Status{Phase: Degraded, Since: at(1), ResourceVersion: "x", Err: errForbidden, Reason: Forbidden, NextAttempt: at(8)},
		},
		"a failure is worse than a list": {
			Status{Phase: Listing, Since: at(1)},
			Status{Phase: Degraded, Since: at(2), ResourceVersion: "9", Err: errForbidden, Reason: Forbidden},
			Status{Phase: Degraded, Since: at(2), Err: errForbidden, Reason: Forbidden},
		},
		"an error is kept after the end": {
			Status{Phase: Stopped, Since: at(3), ResourceVersion: "9"},
			Status{Phase: Degraded, Since: at(2), Err: errForbidden, Reason: Forbidden},
			Status{Phase: Stopped, Since: at(3), Err: errForbidden, Reason: Forbidden},
		},
		"the end of one is the end of all": {
			Status{Phase: Stopped, Since: at(3), ResourceVersion: "9"},
			Status{Phase: Watching, Since: at(2), ResourceVersion: "9"},
			Status{Phase: Stopped, Since: at(3), ResourceVersion: "9"},
		},
	} {
		for _, pair := range [][]Status{{test.a, test.b}, {test.b, test.a}} {
			got := Join([]Scope{{Name: "namespace a", Namespace: "a", Status: pair[0]}, {Name: "namespace b", Namespace: "b", Status: pair[1]}}, nil)
			if len(got.Scopes) != 2 || !errors.Is(got.Err, test.want.Err) {
				t.Errorf("%s: the status is %+v", name, got)
			}
			got.Err, got.Scopes = test.want.Err, nil
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, test.want)
			}
		}
	}
}

// TestVerbOfScopes wants the verb of the error, which may not be of the worst scope.
func TestVerbOfScopes(t *testing.T) {
	failed := Status{Phase: Stopped, Err: errForbidden, Reason: Forbidden, Verb: "list"}
	for _, scopes := range [][]Scope{
		{{Namespace: "a", Status: Status{Phase: Stopped}}, {Namespace: "b", Status: failed}},
		{{Namespace: "a", Status: failed}, {Namespace: "b", Status: Status{Phase: Stopped}}},
	} {
		if all := Join(scopes, nil); all.Verb != "list" || all.Reason != Forbidden {
			t.Errorf("the verb is %q, in %v", all.Verb, all)
		}
	}
	if all := Join([]Scope{{Namespace: "a", Status: Status{Phase: Watching}}, {Namespace: "b", Status: Status{Phase: Watching}}}, nil); all.Verb != "" {
		t.Errorf("the verb is %q, without an error", all.Verb)
	}
}
