package store

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// box is an object of boxes.
type box struct{ *metav1.PartialObjectMetadata }

// boxes is a Keeper that puts each object into a box. It has the number of slots of each.
type boxes map[*box]int

func (b boxes) TypeOf(obj wire.Object) reflect.Type {
	if boxed, is := obj.(*box); is {
		obj = boxed.PartialObjectMetadata
	}
	return reflect.TypeOf(obj)
}

func (b boxes) Word(obj wire.Object) unsafe.Pointer {
	if boxed, is := obj.(*box); is {
		return unsafe.Pointer(boxed)
	}
	return unsafe.Pointer(&box{obj.(object)})
}

func (b boxes) Object(word unsafe.Pointer) wire.Object { return (*box)(word) }

func (b boxes) Open(word unsafe.Pointer) wire.Object { return (*box)(word).PartialObjectMetadata }

func (b boxes) Count(word unsafe.Pointer, n int) {
	if b[(*box)(word)] += n; b[(*box)(word)] == 0 {
		delete(b, (*box)(word))
	}
}

func (b boxes) Clear() { clear(b) }

// TestKeptObjects changes objects of a Keeper. Readers get Go values, and the writer gets objects of the Keeper, which knows those
// that the store has.
func TestKeptObjects(t *testing.T) {
	for name, of := range map[string]Form{"typed": FormOf[object](), "interface": FormOf[wire.Object]()} {
		t.Run(name, func(t *testing.T) {
			keeper, model, random := boxes{}, map[string]object{}, rand.New(rand.NewPCG(1, 2))
			testedForm = KeptForm(of, keeper)
			defer func() { testedForm = FormOf[object]() }()
			x := newIndexed(map[string]func(object) []string{"node": func(obj object) []string { return []string{obj.ResourceVersion} }})
			for step := range 3000 {
				obj := many(random.IntN(2 * chunkSize))
				if obj.ResourceVersion = fmt.Sprint(random.IntN(5)); random.IntN(3) > 0 {
					x.put(obj)
					model[obj.Name] = obj
				} else if model[obj.Name] != nil {
					x.remove(obj)
					delete(model, obj.Name)
				}
				if step%100 == 99 {
					x.checkKept(t, keeper, model)
				}
			}
			x.Begin()
			x.Clear()
			x.End()
			x.checkKept(t, keeper, nil)
		})
	}
	form := KeptForm(FormOf[*otherObject](), boxes{})
	if obj := many(1); form.Accepts(obj) || form.Accepts(&box{obj}) {
		t.Error("an object of another Go type is accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("an object of another Go type was stored")
		}
	}()
	x := &indexed{Store: New("namespace", form)}
	x.put(many(1))
}

// checkKept reads all objects in each way.
func (x *indexed) checkKept(t *testing.T, keeper boxes, model map[string]object) {
	t.Helper()
	if len(keeper) != len(model) || x.Len() != len(model) {
		t.Fatalf("the keeper counts %d objects, and the store %d, want %d", len(keeper), x.Len(), len(model))
	}
	for boxed, n := range keeper {
		if n != 1 || model[boxed.Name] != boxed.PartialObjectMetadata {
			t.Fatalf("%s at version %s is counted %d times, and should be %v", boxed.Name, boxed.ResourceVersion, n, model[boxed.Name])
		}
	}
	opened := func(way string, objs iter.Seq[wire.Object], want int) {
		t.Helper()
		all := slices.Collect(objs)
		if len(all) != want {
			t.Errorf("%s: %d objects, want %d", way, len(all), want)
		}
		for _, obj := range all {
			if obj != wire.Object(model[obj.GetName()]) {
				t.Errorf("%s: got a %T, want the Go value", way, obj)
			}
		}
	}
	kept := func(way string, objs iter.Seq[wire.Object], want int) {
		t.Helper()
		all := slices.Collect(objs)
		if len(all) != want {
			t.Errorf("%s: %d objects, want %d", way, len(all), want)
		}
		for _, obj := range all {
			if boxed, is := obj.(*box); !is || keeper[boxed] != 1 {
				t.Errorf("%s: got a %T, want an object of the Keeper", way, obj)
			}
		}
	}
	nodes := 0
	for _, obj := range model {
		if obj.ResourceVersion == "1" {
			nodes++
		}
		got, _ := x.Get(obj.Namespace, obj.Name)
		opened("Get", slices.Values([]wire.Object{got}), 1)
		found, _, _ := x.Held(obj.Namespace, obj.Name)
		kept("Held", slices.Values([]wire.Object{found}), 1)
		_, found, _ = x.Find(obj.Namespace, obj.Name, HashOf(obj.Namespace, obj.Name))
		kept("Find", slices.Values([]wire.Object{found}), 1)
	}
	if _, exists := x.Get("ns-0", "no such object"); exists {
		t.Error("Get finds an object that is not there")
	}
	all, byNode := x.All(), x.AllByIndex("node", "1")
	opened("List", slices.Values(Typed[wire.Object](x.List())), len(model))
	ofNode, _ := x.Store.ByIndex("node", "1")
	opened("ByIndex", slices.Values(Typed[wire.Object](ofNode)), nodes)
	opened("Part", func(yield func(wire.Object) bool) {
		for i := range all.Parts() {
			if !Each(all.Part(i), yield) {
				return
			}
		}
	}, len(model))
	opened("At", func(yield func(wire.Object) bool) {
		for i := range byNode.Slots() {
			if !yield(byNode.At(i)) {
				return
			}
		}
	}, nodes)
	kept("Each", all.Each(), len(model))
	kept("EachSlot", byNode.EachSlot(), nodes)
	kept("Sample", slices.Values(x.Sample(10)), min(10, len(model)))
}
