package crcache

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/observe/healthz"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestStatusOfSeveralForms reads one kind in three forms. The typed informer has the handlers and indexes of metadata too.
func TestStatusOfSeveralForms(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"b": {}, "a": {}}})
	start(t, c)
	for n, obj := range []client.Object{untypedWidget(), &widget{}, partialWidget(), partialWidget()} {
		if n == 3 { // the second informer of the form has the same names
			if err := c.RemoveInformer(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.IndexField(t.Context(), obj, "spec.color", func(client.Object) []string { return []string{"red"} }); err != nil {
			t.Fatal(err)
		}
		informer, err := c.GetInformer(timeout(t), obj)
		if err != nil {
			t.Fatal(err)
		}
		if err := informer.AddIndexers(toolscache.Indexers{"own": func(any) ([]string, error) { return nil, nil }}); err != nil {
			t.Fatal(err)
		}
		handler, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{})
		if err != nil {
			t.Fatal(err)
		}
		<-syncedOf(handler)
	}
	eventually(t, func() error { // the informer that was removed drops its indexes in a goroutine
		statuses := slices.Collect(c.Statuses())
		var got string
		for _, status := range statuses {
			var indexes []string
			for _, index := range status.Stats.Indexes {
				indexes = append(indexes, index.Name)
			}
			got += fmt.Sprintln(status.Name, status.Kind, status.Object, status.Namespaces, status.Server == s.URL, status.Stats.Synced, len(status.Stats.Handlers), indexes[0], sortedCopy(indexes[1:]))
		}
		const want = " Widget *crcache.widget [a b] true true 2 namespace [metadata field:spec.color metadata own typed field:spec.color typed own]\n" +
			"unstructured Widget *unstructured.Unstructured [a b] true true 1 namespace [unstructured field:spec.color unstructured own]\n"
		if got != want {
			return fmt.Errorf("the status is\n%s\nwant\n%s", got, want)
		}
		return nil
	})
}

func sortedCopy(names []string) []string { return slices.Sorted(slices.Values(names)) }

// TestStatusOfAFormThatCannotBeDecoded is Degraded, and that of another form is not.
func TestStatusOfAFormThatCannotBeDecoded(t *testing.T) {
	s := newServer(t)
	broken := newWidget("a", "one", "red")
	broken.Object["spec"] = "a text"
	s.put("widgets", broken)
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	if _, err := c.GetInformer(timeout(t), untypedWidget()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetInformer(timeout(t), &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		for kind := range c.Kinds() {
			if kind.Name == "unstructured" {
				if kind.NotSynced != "" || kind.Status.Phase != status.Watching || kind.Status.Err != nil {
					return fmt.Errorf("the other form is %v", kind.Status)
				}
				continue
			}
			if kind.Stats.Synced || kind.Stats.WasSynced || kind.NotSynced == "" {
				return fmt.Errorf("it is synced: %+v", kind.Informer)
			}
			now := kind.Status
			if now.Phase != status.Degraded || now.Reason != status.Decode || now.Since.IsZero() || !strings.Contains(fmt.Sprint(now.Err), "a/one") {
				return fmt.Errorf("the status is %v", now)
			}
		}
		return nil
	})
	if err := c.RemoveInformer(t.Context(), &widget{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		for now := range c.Statuses() {
			if !now.Stats.Synced || !now.Stats.WasSynced || now.Status.Phase != status.Watching || now.Status.Err != nil {
				return fmt.Errorf("without the form it is %v", now.Status)
			}
		}
		return nil
	})
}

// TestPageAndReadiness gives a cache to the page and to the check of the runtime.
func TestPageAndReadiness(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	mapper := &lateMapper{RESTMapper: testMapper()}
	c := newCache(t, s, ctrlcache.Options{Mapper: mapper})
	start(t, c)
	page, check := debugpage.New(c), healthz.Readiness(c)
	text := func() string {
		response := httptest.NewRecorder()
		page.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/debug/informers?format=text", nil))
		return response.Body.String()
	}
	if _, err := c.GetInformer(t.Context(), &widget{}); err == nil {
		t.Fatal("there is an informer of a kind without a CRD")
	}
	if err := check(nil); err == nil || !strings.Contains(err.Error(), "widgets.example.com") {
		t.Errorf("without the CRD the check returns %v", err)
	}
	if got := text(); !strings.Contains(got, "1 of 1 informer does not follow the server (NotFound): widgets.example.com.") || !strings.Contains(got, "#notfound") {
		t.Errorf("without the CRD the page is\n%s", got)
	}
	mapper.knows.Store(true)
	if _, err := c.GetInformer(timeout(t), &widget{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { // the watch opens after the list
		if err := check(nil); err != nil {
			return err
		}
		if got := text(); !strings.Contains(got, "HEALTHY") || !strings.Contains(got, "widgets.example.com") {
			return fmt.Errorf("the page is\n%s", got)
		}
		return nil
	})
}

// TestReasonsOfAbsentKinds has an error of GetInformer for each reason.
func TestReasonsOfAbsentKinds(t *testing.T) {
	resource := schema.GroupResource{Group: "example.com", Resource: "widgets"}
	for _, test := range []struct {
		err  error
		want cache.Reason
	}{
		{&meta.NoKindMatchError{}, status.NotFound},
		{apierrors.NewNotFound(resource, "one"), status.NotFound},
		{fmt.Errorf("discovery: %w", apierrors.NewForbidden(resource, "", nil)), status.Forbidden},
		{apierrors.NewUnauthorized("who?"), status.Unauthorized},
		{apierrors.NewTooManyRequests("later", 1), status.TooManyRequests},
		{apierrors.NewGenericServerResponse(http.StatusBadGateway, "get", resource, "", "", 0, true), status.ServerError},
		{apierrors.NewBadRequest("what?"), status.Refused},
		{&url.Error{Op: "Get", URL: "https://api.example.com", Err: errors.New("connection refused")}, status.Unreachable},
		{errors.New("no kind is registered for the type"), status.Misconfigured},
	} {
		if got := reasonOf(test.err); got != test.want {
			t.Errorf("the reason of %v is %s, want %s", test.err, got, test.want)
		}
	}
}

// TestNamesOfIndexes does not show the number of an informer.
func TestNamesOfIndexes(t *testing.T) {
	for name, want := range map[string]string{
		"namespace":                   "namespace",
		"field:typed#12:spec.color":   "typed field:spec.color",
		"metadata#3:/byOwner":         "metadata byOwner",
		"unstructured#1:/a:b#2":       "unstructured a:b#2",
		"field:unstructured#1:a#b:/c": "unstructured field:a#b:/c",
	} {
		if got := shownIndex(name); got != want {
			t.Errorf("the index %q is shown as %q, want %q", name, got, want)
		}
	}
}
