package cache

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// cacheReads has the reads of an Indexer for cachetest.Compare.
type cacheReads struct{ *Indexer[object] }

func (r cacheReads) Get(name cachetest.Name) (object, bool) { return r.Indexer.Get(name) }

func (r cacheReads) Names(namespace, index, value string) (names []cachetest.Name, err error) {
	if namespace != "" {
		objs, err := NewLister(r.Indexer, schema.GroupResource{}).Namespace(namespace).ByIndex(index, value)
		for _, obj := range objs {
			names = append(names, cachetest.NameOf(obj))
		}
		return names, err
	}
	keys, err := r.IndexKeys(index, value)
	for _, key := range keys {
		names = append(names, key)
	}
	return names, err
}

func (r cacheReads) Values(index string) []string { return r.ListIndexFuncValues(index) }

func TestIndexerErrorNamesItsIndexes(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": cachetest.ByLetters})
	_, err := x.ByIndex("leters", "x")
	if !errors.Is(err, ErrNoIndex) || !strings.Contains(err.Error(), `"leters"; there are ["letters" "namespace"]`) {
		t.Errorf("error is %v", err)
	}
	if _, inNamespace := NewLister(x, schema.GroupResource{}).Namespace("a").ByIndex("leters", "x"); !errors.Is(inNamespace, ErrNoIndex) || inNamespace.Error() != err.Error() {
		t.Errorf("error of a namespace is %v", inNamespace)
	}
	if err := x.AddIndexers(Indexers[object]{"other": cachetest.ByLetters, "letters": cachetest.ByLetters}); err == nil {
		t.Error("an index was added twice")
	}
	if _, err := x.ByIndex("other", "x"); err == nil {
		t.Error("of two indexes, one of them there already, the other was added")
	}
}

func TestIndexerByKey(t *testing.T) {
	x := NewIndexer[object](nil)
	x.Add(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "w"}})
	if obj, ok, err := x.GetByKey("a/w"); err != nil || !ok || obj.Name != "w" {
		t.Errorf("GetByKey = %v, %v, %v", obj, ok, err)
	}
	if _, ok, err := x.GetByKey("w"); err != nil || ok {
		t.Errorf("GetByKey of what is not there = %v, %v", ok, err)
	}
	for _, key := range []string{"", "/", "a/", "/w", "a/b/c"} {
		if _, _, err := x.GetByKey(key); err == nil {
			t.Errorf("GetByKey(%q) has no error", key)
		}
	}
}

// TestContentHashesTakeNoMemoryUnlessNeeded compares caches over typed clients and over
// bodies.
func TestContentHashesTakeNoMemoryUnlessNeeded(t *testing.T) {
	needsGoValues(t)
	src := cachetest.NewSource()
	for what, test := range map[string]struct {
		config Config[object]
		keeps  bool
	}{
		"typed":  {Config[object]{ListerWatcher: src}, false},
		"bodies": {Config[object]{Open: cachetest.OpenerOf(src)}, true},
	} {
		x, obj := machineOf(informerOf(test.config).GetIndexer()), cachetest.Many(1, 1, "")
		x.Apply([]deltafifo.Delta{{Type: deltafifo.Added, Item: wire.Item{Object: obj, ContentHash: 2}}})
		if err := x.Check(); err != nil { // there is no memory for hashes unless they are kept
			t.Errorf("%s: %v", what, err)
		}
		if _, hash, _ := x.Held(obj.Namespace, obj.Name); (hash == 2) != test.keeps || !test.keeps && hash != 0 {
			t.Errorf("%s: the hash %d is kept", what, hash)
		}
	}
}
