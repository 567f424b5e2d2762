package cache

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

// scripted is a kind whose objects come from a script.
func scripted(server *script) Kind[object] {
	return Kind[object]{Resource: widgets, Open: func(string) bodies.OpenFunc { return server.open }}
}

// TestFactoryOptionsForHandlers starts a handler that panics, and one that changes what
// it gets.
func TestFactoryOptionsForHandlers(t *testing.T) {
	needsGoValues(t)
	for what, test := range map[string]struct {
		options []SharedInformerOption
		handler func(object)
		want    string
	}{
		"a panic":    {[]SharedInformerOption{WithHandlerPanicRecovery()}, func(object) { panic("no such field") }, "panicked on a/w: no such field"},
		"a mutation": {[]SharedInformerOption{WithHandlerPanicRecovery(), WithMutationDetector()}, func(obj object) { obj.Labels["letters"] = "y" }, "has changed widgets.test.example.com a/w"},
	} {
		synctest.Test(t, func(t *testing.T) {
			src, asked := cachetest.NewSource(), []string{}
			src.Set("a", "w", map[string]string{"letters": "x"})
			f := NewSharedInformerFactory(0, test.options...)
			defer f.Shutdown()
			s := InformerFor(f, kindOf(src, &asked))
			if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(obj object, _ bool) { test.handler(obj) }}); err != nil {
				t.Fatal(err)
			}
			f.Start(t.Context())
			synctest.Wait()
			if err := s.Status().Err; err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("after %s the error is %v", what, err)
			}
			obj, _ := s.GetStore().Get(ObjectName{"a", "w"})
			obj.Labels["letters"] = "x" // or the end of the informer would find it again
		})
	}
}

// TestFactoryOptionsForDecoding limits the size of objects, and skips one.
func TestFactoryOptionsForDecoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &script{t: t, list: listOf(9, state("good", 1, `{}`), state("bad", 2, `{"x":1}`))}
		f := NewSharedInformerFactory(0, WithSkipUndecodable())
		s := InformerFor(f, scripted(server))
		_ = s.SetWatchErrorHandler(quiet)
		f.Start(t.Context())
		synctest.Wait()
		if status := s.Status(); !s.HasSynced() || status.Objects != 1 || len(status.Undecodable) != 1 {
			t.Errorf("with an object to skip the status is %v", status)
		}
		server.watch.Close()
		f.Shutdown()

		server = &script{t: t, list: listOf(9, state("small", 1, `{}`), state("large", 2, `{"x":"`+strings.Repeat("x", 1000)+`"}`))}
		f = NewSharedInformerFactory(0, WithMaxObjectBytes(500))
		s = InformerFor(f, scripted(server))
		_ = s.SetWatchErrorHandler(quiet)
		f.Start(t.Context())
		synctest.Wait()
		if now := s.Status(); s.HasSynced() || now.Phase != status.Degraded || !strings.Contains(now.Err.Error(), "500") {
			t.Errorf("with an object that is too large the status is %v", now)
		}
		f.Shutdown()
	})
}

// TestFactoryOmitsTextOfObjects looks for a label in what Status says of an object that
// cannot be decoded.
func TestFactoryOmitsTextOfObjects(t *testing.T) {
	for kind, options := range map[string][]SharedInformerOption{
		"":       {WithoutObjectTextInErrors()},
		"Secret": nil,
		"Widget": nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			server := &script{t: t, list: listOf(9, state("bad", 2, `{"hush":["hush"]}`))}
			f := NewSharedInformerFactory(0, options...)
			defer f.Shutdown()
			of := scripted(server)
			of.Kind = kind
			if kind == "Secret" {
				of.Resource.Group = ""
			}
			s := InformerFor(f, of)
			_ = s.SetWatchErrorHandler(quiet)
			f.Start(t.Context())
			synctest.Wait()
			text := s.Status().String()
			if strings.Contains(text, "hush") != (kind == "Widget") || !strings.Contains(text, "object a/bad cannot be decoded at /metadata/labels/") {
				t.Errorf("the Status of %q is %s", kind, text)
			}
		})
	}
}

// TestFactoryLimitsByFields sends both field selectors of a kind to the server.
func TestFactoryLimitsByFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		color := fieldselector.Field[object, string]("spec.color")
		f := NewSharedInformerFactory(0, WithFieldSelector(color.Is("blue")), WithFieldSelector(color.IsNot("red")))
		defer f.Shutdown()
		InformerFor(f, kindOf(src, &asked))
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, verb := range []string{"list", "watch"} {
			if got, want := src.Last(verb).FieldSelector, "spec.color=blue,spec.color!=red"; got != want {
				t.Errorf("%s selects %q, want %q", verb, got, want)
			}
		}
	})
}

func TestSharedInformerAddsAnIndexLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "before", map[string]string{"letters": "x"})
		s := start(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		if err := s.AddIndexers(Indexers[object]{"letters": cachetest.ByLetters}); err != nil {
			t.Fatal(err)
		}
		if err := s.AddIndexers(Indexers[object]{"letters": cachetest.ByLetters}); err == nil {
			t.Error("one index was added twice")
		}
		src.Set("a", "after", map[string]string{"letters": "x"})
		synctest.Wait()
		if objs, err := s.GetIndexer().ByIndex("letters", "x"); err != nil || len(objs) != 2 {
			t.Errorf("ByIndex = %v, %v", objs, err)
		}
	})
}

// TestInterfaceTypeNeedsObject: nothing else tells the Go type to decode to.
func TestInterfaceTypeNeedsObject(t *testing.T) {
	if _, err := (Kind[Object]{Resource: widgets, Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }}).NewInformer(); err == nil {
		t.Error("a kind without Object is accepted")
	}
}

// TestDefaultPacking: make test-packed packs the objects of all informers, except for those of a transform.
func TestDefaultPacking(t *testing.T) {
	defer func(before compression.Method) { packing.Default = before }(packing.Default)
	t.Setenv("INFORMER_TEST_PACKED", "")
	for _, want := range []bool{false, true} {
		packing.Default = packingtest.Compression()
		for _, transform := range []TransformFunc[object]{nil, func(obj object) (object, error) { return obj, nil }} {
			s := informerOf(Config[object]{Resource: widgets, Open: cachetest.OpenerOf(cachetest.NewSource()), Transform: transform})
			if got := packingOf(inside(s).config) != nil; got != (want && transform == nil) {
				t.Errorf("with %T, with a transform %v: the objects are packed: %v", packing.Default, transform != nil, got)
			}
		}
		t.Setenv("INFORMER_TEST_PACKED", "1")
	}
}
