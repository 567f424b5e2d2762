package cache

import (
	"io"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestRelistComparesTheFieldsThatAreKept lists again while another field has changed, and then one that is kept, both at the same
// version.
func TestRelistComparesTheFieldsThatAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.Set("a", "x", map[string]string{"app": "web", "n": "1"})
		kind := kindOf(src, &asked)
		kind.Open = func(string) OpenFunc { return cachetest.OpenerOf(src) }
		s, err := kind.NewInformer(WithFields("metadata.labels[app]"))
		if err != nil {
			t.Fatal(err)
		}
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/x@101 initial=true")
		answer := func(labels map[string]string, want ...string) {
			t.Helper()
			lists := src.Count("list")
			src.AnswerWith("a", "x", labels)
			src.Forget()
			src.EndWatches(cachetest.ErrGone)
			time.Sleep(time.Minute)
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain(), want...)
			got, _ := s.GetStore().Get(ObjectName{"a", "x"})
			if src.Count("list") == lists || len(got.Labels) != 1 || got.Labels["app"] != labels["app"] {
				t.Errorf("after %d lists instead of %d, the labels are %v", src.Count("list"), lists, got.Labels)
			}
		}
		answer(map[string]string{"app": "web", "n": "2"})
		answer(map[string]string{"app": "db", "n": "2"}, "update a/x@101->101")
	})
}

// TestOwnWritesHaveTheFieldsThatAreKept gets responses to writes. The label that selects objects is not kept.
func TestOwnWritesHaveTheFieldsThatAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := newOwn(t, func(string) OpenFunc { return cachetest.OpenerOf(src) }, WithFields("metadata.labels[app]"), WithLabelSelector("in=scope"))
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
