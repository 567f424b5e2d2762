package selection

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// fill writes n widgets into namespaces whose order in etcd is not the alphabetical one.
func fill(h *history.History, n int) {
	for i := range n {
		h.Put(keyOf([]string{"a", "a-b", "b"}[i%3], fmt.Sprintf("w%02d", i)), object(fmt.Sprint(i%2), "red"))
	}
}

// Pages are of one version, whatever is written between them, and of any size.
func TestPagesAreOneSnapshot(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		h := history.New(0)
		fill(h, 20)
		namespace := []string{"", "a-b"}[random.IntN(2)]
		o := options(t, []string{"", "l=1"}[random.IntN(2)], "")
		whole, err := selects(t, namespace, o).Objects(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		version := fmt.Sprint(h.Version())
		var got []*history.State
		for {
			o.Limit = int64(1 + random.IntN(6))
			s := selects(t, namespace, o)
			meta, items, err := s.List(h, o)
			if err != nil {
				t.Fatal(err)
			}
			if meta.ResourceVersion != version {
				t.Fatalf("a page has version %s, the first one has %s", meta.ResourceVersion, version)
			}
			got = append(got, items...)
			if s.all() && meta.Continue != "" {
				if meta.RemainingItemCount == nil || int(*meta.RemainingItemCount) != len(whole)-len(got) {
					t.Fatalf("remainingItemCount is %v, and %d are left", meta.RemainingItemCount, len(whole)-len(got))
				}
			} else if meta.RemainingItemCount != nil {
				t.Fatalf("remainingItemCount is %d with a selector or on the last page", *meta.RemainingItemCount)
			}
			if meta.Continue == "" {
				break
			}
			o.Continue = meta.Continue
			fill(h, random.IntN(30))
			if key := keyOf("a-b", "w01"); h.Get(key) != nil {
				h.Delete(key)
			}
		}
		if !slices.Equal(got, whole) {
			t.Fatalf("pages have %s, the first version has %s", paths(got), paths(whole))
		}
	}
}

func TestListVersions(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 5) // versions 2 to 6
	h.Compact()
	fill(h, 6) // versions 8 to 13
	h.Delete(keyOf("a", "w00"))
	bad := func(err error) bool { return apierrors.IsBadRequest(err) }
	gone := func(err error) bool { return apierrors.IsResourceExpired(err) }
	early := func(retry int) func(error) bool {
		return func(err error) bool {
			status, ok := statusOf(err)
			return ok && apierrors.IsTimeout(err) && apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) &&
				status.ErrStatus.Code == 504 && status.ErrStatus.Details.RetryAfterSeconds == int32(retry)
		}
	}
	exact, notOlder := metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	for _, test := range []struct {
		version string
		match   metav1.ResourceVersionMatch
		limit   int64
		field   string
		// count and at are the number and the version of the list.
		count int
		at    string
		wrong func(error) bool
		text  string
	}{
		{count: 5, at: "14"},
		{limit: 2, count: 2, at: "14"},
		{limit: -1, count: 5, at: "14"},
		{version: "0", count: 5, at: "14"},
		{version: "0", limit: 2, count: 5, at: "14"}, // the limit is ignored
		{version: "3", count: 5, at: "14"},
		{version: "13", match: notOlder, limit: 2, count: 2, at: "14"},
		{version: "13", match: exact, count: 6, at: "13"},
		{version: "13", limit: 4, count: 4, at: "13"}, // exact, because it is limited
		{version: "7", match: exact, count: 5, at: "7"},
		{version: "6", match: exact, wrong: gone, text: "The resourceVersion for the provided list is too old."},
		{version: "6", limit: 1, wrong: gone, text: "The resourceVersion for the provided list is too old."},
		{version: "15", wrong: early(1), text: "Timeout: Too large resource version: 15, current: 14"},
		{version: "15", limit: 1, wrong: early(1)},
		{version: "15", match: exact, wrong: early(1)},
		{version: "15", match: notOlder, wrong: early(1)},
		{version: "x", wrong: bad, text: `invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`},
		{version: "-1", wrong: bad},
		{field: "metadata.name=w01", count: 1, at: "14"},
		{field: "metadata.name=w01", version: "13", match: exact, count: 1, at: "13"},
		{field: "metadata.name=w01", version: "13", limit: 1, count: 1, at: "14"},
		{field: "metadata.name=w01", version: "15", wrong: early(1)},
		{field: "metadata.name=w01", version: "15", match: exact, wrong: early(0)},
		{field: "metadata.name=w01", version: "15", limit: 1, wrong: early(0)},
	} {
		o := options(t, "", test.field)
		o.ResourceVersion, o.ResourceVersionMatch, o.Limit = test.version, test.match, test.limit
		namespace := ""
		if test.field != "" {
			namespace = "a-b"
		}
		meta, items, err := selects(t, namespace, o).List(h, o)
		if test.wrong != nil {
			if err == nil || !test.wrong(err) || test.text != "" && err.Error() != test.text {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if err != nil || len(items) != test.count || meta.ResourceVersion != test.at {
			t.Errorf("%+v: %d objects at %s, %v", test, len(items), meta.ResourceVersion, err)
		}
	}
}

func TestExpiredToken(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 6)
	o := options(t, "", "")
	o.Limit = 2
	meta, _, err := selects(t, "", o).List(h, o)
	if err != nil {
		t.Fatal(err)
	}
	h.Put(keyOf("a-c", "new"), nil) // before the position, where a-b/w04 is the last one
	h.Put(keyOf("b", "new"), nil)
	h.Compact()
	o.Continue = meta.Continue
	_, _, err = selects(t, "", o).List(h, o)
	status, ok := statusOf(err)
	if !ok || !apierrors.IsResourceExpired(err) || !strings.HasPrefix(err.Error(), "The provided continue parameter is too old") {
		t.Fatalf("an expired token: %v", err)
	}
	fresh := status.ErrStatus.ListMeta.Continue
	if got, want := decoded(t, fresh), `{"v":"meta.k8s.io/v1","rv":-1,"start":"a-b/w04\u0000"}`; got != want {
		t.Errorf("the token of the error is %s, want %s", got, want)
	}
	// The rest is that of now.
	o.Continue, o.Limit = fresh, 0
	meta, items, err := selects(t, "", o).List(h, o)
	if want := "a-c/new a/w00 a/w03 b/new b/w02 b/w05"; err != nil || paths(items) != want {
		t.Errorf("the rest is %s, %v, want %s", paths(items), err, want)
	}
	if meta.ResourceVersion != fmt.Sprint(h.Version()) {
		t.Errorf("the rest has version %s, want %d", meta.ResourceVersion, h.Version())
	}
}

func decoded(t *testing.T, text string) string {
	t.Helper()
	content, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestTokensAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 6)
	for namespace, want := range map[string]string{
		"":    `{"v":"meta.k8s.io/v1","rv":7,"start":"/a-b/w01\u0000"}`,
		"a-b": `{"v":"meta.k8s.io/v1","rv":7,"start":"/w01\u0000"}`,
	} {
		o := &internalversion.ListOptions{Limit: 1}
		meta, _, err := selects(t, namespace, o).List(h, o)
		if got := decoded(t, meta.Continue); err != nil || got != want {
			t.Errorf("in namespace %q the token is %s, %v, want %s", namespace, got, err, want)
		}
	}
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	raw := base64.RawURLEncoding.EncodeToString
	for text, want := range map[string]string{
		"***":           "continue key is not valid: illegal base64 data at input byte 0",
		raw([]byte("")): "continue key is not valid: unexpected end of JSON input",
		raw([]byte(`{"v":"meta.k8s.io/v2","rv":5,"start":"a"}`)):    "continue key is not valid: server does not recognize this encoded version meta.k8s.io/v2",
		raw([]byte(`{"v":"meta.k8s.io/v1","start":"a"}`)):           "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":5}`)):                "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}`)): "continue key is not valid: ../a",
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":5,"start":"a//b"}`)): "continue key is not valid: a//b",
	} {
		o := &internalversion.ListOptions{Continue: text}
		_, _, err := selects(t, "", o).List(history.New(0), o)
		if text == raw([]byte("")) {
			// An empty token is none.
			if err != nil {
				t.Errorf("no token: %v", err)
			}
			continue
		}
		if !apierrors.IsBadRequest(err) || err.Error() != "invalid continue token: "+want {
			t.Errorf("token %s: %v, want %s", text, err, want)
		}
	}
	o := &internalversion.ListOptions{Continue: token{Version: 1, Start: "a"}.encode(), ResourceVersion: "1"}
	if _, _, err := selects(t, "", o).List(history.New(0), o); !apierrors.IsBadRequest(err) || err.Error() != "specifying resource version is not allowed when using continue" {
		t.Errorf("a token with a version: %v", err)
	}
	o = &internalversion.ListOptions{Continue: token{Version: 99, Start: "a"}.encode()}
	if _, _, err := selects(t, "", o).List(history.New(0), o); !apierrors.IsTimeout(err) {
		t.Errorf("a token of the future: %v", err)
	}
}

// A token never makes a list panic, or return objects of another namespace.
func FuzzToken(f *testing.F) {
	f.Add([]byte(`{"v":"meta.k8s.io/v1","rv":7,"start":"/w01\u0000"}`))
	f.Add([]byte(`{"v":"meta.k8s.io/v1","rv":-1,"start":"/../b/w02"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		h := history.New(0)
		fill(h, 6)
		o := &internalversion.ListOptions{Continue: base64.RawURLEncoding.EncodeToString(content)}
		meta, items, err := selects(t, "a", o).List(h, o)
		if err != nil {
			return
		}
		for _, item := range items {
			if item.Namespace != "a" {
				t.Fatalf("%s is in a list of namespace a", item.Path())
			}
		}
		var read token
		if o.Continue != "" && json.Unmarshal(content, &read) != nil || meta.ResourceVersion == "0" {
			t.Fatalf("the list has version %s for a token %q", meta.ResourceVersion, content)
		}
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, test := range []struct {
		options internalversion.ListOptions
		want    string // of the error
	}{
		{internalversion.ListOptions{ResourceVersionMatch: "Exact"}, "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{internalversion.ListOptions{ResourceVersionMatch: "Exact", ResourceVersion: "0"}, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
		{internalversion.ListOptions{ResourceVersionMatch: "Some", ResourceVersion: "1"}, `Unsupported value: "Some"`},
		{internalversion.ListOptions{SendInitialEvents: &yes}, "sendInitialEvents is forbidden for list"},
		{internalversion.ListOptions{Watch: true, SendInitialEvents: &yes}, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
		{internalversion.ListOptions{Watch: true, ResourceVersionMatch: "NotOlderThan"}, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"},
		{internalversion.ListOptions{Watch: true, SendInitialEvents: &no, ResourceVersionMatch: "NotOlderThan"}, ""},
		{internalversion.ListOptions{ResourceVersionMatch: "Exact", ResourceVersion: "1"}, ""},
	} {
		err := Validate(&test.options)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%+v: %v", test.options, err)
		case test.want != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: %v, want %s", test.options, err, test.want)
		}
	}
	o := internalversion.ListOptions{Watch: true, ResourceVersion: "0"}
	if err := Validate(&o); err != nil || o.SendInitialEvents == nil || !*o.SendInitialEvents {
		t.Errorf("a watch from 0 sends initial events by default: %+v, %v", o, err)
	}
}

func TestCheckMinimum(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	for _, version := range []string{"", "0", "1"} {
		if err := CheckMinimum(h, version); err != nil {
			t.Errorf("version %q: %v", version, err)
		}
	}
	if err := CheckMinimum(h, "2"); !apierrors.IsTimeout(err) {
		t.Errorf("version 2 of a server at 1: %v", err)
	}
	status, ok := statusOf(CheckMinimum(h, "x"))
	if !ok || status.ErrStatus.Code != 500 || status.ErrStatus.Reason != "" || status.ErrStatus.Message != `resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax` {
		t.Errorf("a malformed version: %+v", status)
	}
}

func TestFullPageIsTheLast(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 6)
	for _, label := range []string{"", "l"} {
		o := options(t, label, "")
		o.Limit = 6
		meta, items, err := selects(t, "", o).List(h, o)
		if err != nil || len(items) != 6 || meta.Continue != "" || meta.RemainingItemCount != nil {
			t.Errorf("with label selector %q: %d objects, %+v, %v", label, len(items), meta, err)
		}
	}
}

// A token and version 0 go together. The limit is ignored then, as without a token.
func TestTokenWithAnyVersion(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 6)
	o := &internalversion.ListOptions{Limit: 2}
	meta, _, err := selects(t, "", o).List(h, o)
	if err != nil {
		t.Fatal(err)
	}
	o = &internalversion.ListOptions{Limit: 2, Continue: meta.Continue, ResourceVersion: "0"}
	if meta, items, err := selects(t, "", o).List(h, o); err != nil || len(items) != 4 || meta.Continue != "" {
		t.Errorf("the rest has %s, %+v, %v", paths(items), meta, err)
	}
}

// The first page of a list that selects a namespace by a field is that of the namespace, and so is
// its token. The second page is read as one of all namespaces. A kube-apiserver loses objects there
// too.
func TestTokenOfSelectedNamespace(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	fill(h, 6)
	o := options(t, "", "metadata.namespace=a")
	o.Limit = 1
	meta, items, err := selects(t, "", o).List(h, o)
	if got, want := decoded(t, meta.Continue), `{"v":"meta.k8s.io/v1","rv":7,"start":"/w00\u0000"}`; err != nil || paths(items) != "a/w00" || got != want {
		t.Fatalf("the first page has %s and the token %s, %v, want %s", paths(items), got, err, want)
	}
	o.Continue = meta.Continue
	if meta, items, err = selects(t, "", o).List(h, o); err != nil || len(items) != 0 || meta.Continue != "" {
		t.Errorf("the second page has %s, %+v, %v", paths(items), meta, err)
	}
}

// statusOf returns the StatusError that err wraps.
func statusOf(err error) (status *apierrors.StatusError, ok bool) {
	return status, errors.As(err, &status)
}
