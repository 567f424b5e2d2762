package cache

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestRelistComparesTheFieldsThatAreKept lists again while another field has changed, and then one that is kept, both at the same
// version.
func TestRelistComparesTheFieldsThatAreKept(t *testing.T) {
	t.Run("plain", func(t *testing.T) { testRelistOfFields(t, 1) })
	t.Run("with marks", func(t *testing.T) { testRelistOfFields(t, 2, WithFieldDetector()) })
}

// testRelistOfFields lists again, with an informer whose objects have a number of labels.
func testRelistOfFields(t *testing.T, labels int, options ...SharedInformerOption) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.Set("a", "x", map[string]string{"app": "web", "n": "1"})
		kind := kindOf(src, &asked)
		kind.Open = func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }
		s, err := kind.NewInformer(append(options, WithFields("metadata.labels[app]"))...)
		if err != nil {
			t.Fatal(err)
		}
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/x@101 initial=true")
		answer := func(changed map[string]string, want ...string) {
			t.Helper()
			lists := src.Count("list")
			src.AnswerWith("a", "x", changed)
			src.Forget()
			src.EndWatches(cachetest.ErrGone)
			time.Sleep(time.Minute)
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain(), want...)
			got, _ := s.GetStore().Get(ObjectName{"a", "x"})
			if src.Count("list") == lists || len(got.Labels) != labels || got.Labels["app"] != changed["app"] {
				t.Errorf("after %d lists instead of %d, the labels are %v", src.Count("list"), lists, got.Labels)
			}
		}
		answer(map[string]string{"app": "web", "n": "2"})
		answer(map[string]string{"app": "db", "n": "2"}, "update a/x@101->101")
	})
}

// TestFieldDetectorOfAClient has objects that a client has decoded, as those of a fake.
func TestFieldDetectorOfAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.Set("a", "x", map[string]string{"app": "web", "n": "1"})
		s, err := kindOf(src, &asked).NewInformer(WithFieldDetector(), WithoutFields("metadata.labels[n]", "metadata.annotations"))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		got, _ := s.GetStore().Get(ObjectName{"a", "x"})
		if want := "left out by WithFields: metadata."; got.Labels["app"] != "web" || got.Labels["n"] != want+"labels[n]" || got.Annotations[want+"annotations"] != want+"annotations" {
			t.Errorf("the object is %+v", got)
		}
	})
}

// TestOwnWritesHaveTheFieldsThatAreKept gets responses to writes. The label that selects objects is not kept.
func TestOwnWritesHaveTheFieldsThatAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }, WithFields("metadata.labels[app]"), WithLabelSelector("in=scope"))
		cachetest.Run(t, s.Run)
		synctest.Wait()
		src.SetSilent(true)
		src.EndWatches(io.EOF)
		synctest.Wait()
		for _, test := range []struct{ labels, want map[string]string }{
			{map[string]string{"in": "scope", "app": "web"}, map[string]string{"app": "web"}},
			{map[string]string{"in": "scope"}, nil},
			{map[string]string{"app": "web"}, nil},
		} {
			inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", test.labels)))
			got, found := s.GetStore().Get(ObjectName{"a", "one"})
			if found != (test.labels["in"] == "scope") || found && !maps.Equal(got.Labels, test.want) {
				t.Errorf("%v: %v, %v", test.labels, got, found)
			}
		}
	})
}

// TestFieldsNeedAGuard makes informers that leave fields out, with and without a guard, and sends an update.
func TestFieldsNeedAGuard(t *testing.T) {
	src := cachetest.NewSource()
	attached, detached := &writes.Observer{}, &writes.Observer{}
	client := attached.Transport(answering{func(*http.Request) writes.Write { return cachetest.ResponseTo(src.Set("a", "one", nil)) }})
	isRefused := func(server string) bool {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server+"/apis/test.example.com/v1/namespaces/a/widgets/one", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return errors.Is(err, writes.ErrFieldsLeftOut)
	}
	labels := WithFields("metadata.labels")
	for name, test := range map[string]struct {
		options []SharedInformerOption
		change  func(kind *Kind[*unstructured.Unstructured])
		mistake string // a part of it
		refuses bool
	}{
		"none":               {options: []SharedInformerOption{labels}, mistake: "cache.WithFields for *unstructured.Unstructured: an update of an object"},
		"managed-fields":     {options: []SharedInformerOption{WithoutFields("metadata.managedFields"), WithReadYourWrites(attached)}},
		"guard":              {options: []SharedInformerOption{labels, WithUpdateGuard(attached)}, refuses: true},
		"own-writes":         {options: []SharedInformerOption{WithoutFields("metadata.annotations[a]"), WithReadYourWrites(attached)}, refuses: true},
		"without":            {options: []SharedInformerOption{labels, WithoutUpdateGuard(), WithReadYourWrites(attached)}},
		"nil":                {options: []SharedInformerOption{WithUpdateGuard(nil)}, mistake: "the Observer is nil"},
		"detached":           {options: []SharedInformerOption{labels, WithUpdateGuard(detached)}, mistake: "no client has the transport"},
		"no-server":          {options: []SharedInformerOption{labels, WithUpdateGuard(attached)}, change: func(k *Kind[*unstructured.Unstructured]) { k.Server = nil }, mistake: "has no Server"},
		"twice":              {options: []SharedInformerOption{labels, WithUpdateGuard(attached), WithoutUpdateGuard()}, mistake: "set twice"},
		"several-namespaces": {options: []SharedInformerOption{labels, WithUpdateGuard(attached), WithNamespaces("a", "b")}, refuses: true},
		"scopes-later":       {options: []SharedInformerOption{labels, WithScopesLater()}, mistake: "cache.WithFields"},
	} {
		t.Run(name, func(t *testing.T) {
			kind := Kind[*unstructured.Unstructured]{Resource: widgets, Namespaced: true, Server: testServer("https://" + name), Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }}
			if test.change != nil {
				test.change(&kind)
			}
			_, err := kind.NewInformer(test.options...)
			if (err != nil) != (test.mistake != "") || err != nil && (!strings.Contains(err.Error(), test.mistake) || strings.Count(err.Error(), "\n") > 0) {
				t.Errorf("the error is %v, want one with %q", err, test.mistake)
			}
			if got := isRefused("https://" + name); got != test.refuses {
				t.Errorf("an update is refused: %t, want %t", got, test.refuses)
			}
		})
	}
}
