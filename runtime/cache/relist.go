package cache

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/internal/identity"
	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
)

// listing is a collection while it is compared with the cache.
type listing[T Object] struct {
	// kept are the cached objects that are in the collection, or outside of its namespace.
	kept store.Marks
	// refreshed are cached objects that stay, but were decoded from another text.
	refreshed []refreshed
	// repeats is set if the collection has several states of one object.
	repeats bool
	// next is the slot after that of the last item. If both were in the first list, the next
	// item is there: a server lists objects in the order of their names.
	next uint32
}

// refreshed is the content hash of the listed text of the object in a slot.
type refreshed struct {
	slot        uint32
	contentHash uint64
}

// replace makes the objects of a relist all of the objects, or all of a namespace, and notes exactly the
// difference. Where an object did not change, the cached one stays, and costs nothing. It
// also stays if an undecodable state of it is listed: a delete would be wrong.
func (x *Indexer[T]) replace(notes []processor.Notification[T], listed *Collection[T]) []processor.Notification[T] {
	items := listed.Items
	r := listing[T]{kept: x.store.NewMarks()}
	if listed.namespace != "" {
		r.kept = x.store.NewMarksOutside(listed.namespace)
	}
	var call calling[T]
	defer call.guard()
	defer x.endBatch()
	if x.store.Count() == 0 { // otherwise few objects will have changed
		notes = withRoom(notes, len(items))
		x.expectEntries(len(items))
	}
	for i := range items {
		x.list(&r, &call, &items[i])
	}
	x.store.Begin()
	defer x.store.End()
	for _, same := range r.refreshed {
		x.store.SetContentHash(same.slot, same.contentHash)
	}
	first := len(notes)
	// Deletes come first, so that a handler that counts never counts an object and its
	// successor at one time.
	x.store.RemoveUnmarked(&r.kept, func(old T) {
		notes = append(notes, processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true})
	})
	for i := range x.entries {
		e, before := &x.entries[i], x.store.Count()
		notes = x.put(notes, e)
		if e.Slot == store.NoSlot && x.store.Count() == before { // it was new, and is listed again
			r.repeats = true
		}
	}
	if r.repeats {
		notes = append(notes[:first], netOf(notes[first:])...)
	}
	return notes
}

// list compares an item of the collection with the cache. It adds an entry unless the
// cached object stays as it is, for all that is listed so far.
func (x *Indexer[T]) list(r *listing[T], call *calling[T], item *Item[T]) {
	// The decoder takes most objects of an unchanged collection from the cache.
	if at := r.next; x.store.IsAt(at, item.Object) && x.store.ContentHash(at) == item.ContentHash && !r.kept.Add(at) {
		r.next++
		return
	}
	name := nameOf(item)
	hash := store.HashOf(name.Namespace, name.Name)
	slot, old, known := x.store.Find(name.Namespace, name.Name, hash)
	if item.Err != nil {
		// Without a UID, it is taken for the same object.
		if uid, _ := listed.IdentityOf(item); known && (uid == "" || old.GetUID() == "" || uid == old.GetUID()) {
			r.kept.Add(slot)
		}
		return
	}
	obj, content := item.Object, item.ContentHash
	if known {
		r.next = slot + 1
		again := r.kept.Add(slot)
		r.repeats = r.repeats || again
		if held := x.store.ContentHash(slot); isSame(old, held, item) {
			switch {
			case content == 0:
				content = held
			case content != held:
				r.refreshed = append(r.refreshed, refreshed{slot, content})
			}
			if !again {
				return
			}
			obj = old // another state of it is listed before
		}
	}
	x.enter(call, store.Entry[T]{Namespace: name.Namespace, Name: name.Name, Hash: hash, Slot: slot, Object: obj, ContentHash: content})
}

// isSame reports whether item is the state that is cached, old with the content hash held:
// of the same version and the same content. Content is compared as it is now, even if the
// decoder took it from the cache: other deltas may have been applied since.
func isSame[T Object](old T, held uint64, item *Item[T]) bool {
	obj := item.Object
	switch {
	case identity.Same(old, obj):
		return true
	case old.GetUID() != obj.GetUID() || old.GetResourceVersion() != obj.GetResourceVersion():
		return false
	case item.ContentHash != 0 && item.ContentHash == held:
		return true
	}
	return equalContent(old, obj)
}

// netOf returns the difference from before a relist to after it: of an object with several
// states, the last one counts. notes are the steps. The objects keep the order in which they
// first occur.
func netOf[T Object](notes []processor.Notification[T]) []processor.Notification[T] {
	firsts := make([]processor.Notification[T], 0, len(notes))
	at := make(map[ObjectName]int, len(notes)) // of firsts
	for i := range notes {
		n := &notes[i]
		name := MetaObjectToName(n.Obj)
		if first, seen := at[name]; seen {
			firsts[first].Kind, firsts[first].Obj = n.Kind, n.Obj
			continue
		}
		at[name] = len(firsts)
		firsts = append(firsts, *n)
	}
	net := make([]processor.Notification[T], 0, len(firsts))
	for _, n := range firsts {
		switch {
		case n.Kind == processor.Delete: // it is not listed; the last step of a listed object is no delete
			net = append(net, n)
		case identity.IsNil(n.Old):
			net = append(net, processor.Notification[T]{Kind: processor.Add, Obj: n.Obj})
		case !identity.Same(n.Old, n.Obj):
			net = noteChange(net, n.Old, n.Obj)
		}
	}
	return net
}

// equalContent reports whether a and b are deeply equal, except for kind and apiVersion:
// client-go's typed clients leave them in the items of a list of custom resources, and
// remove them from the events of a watch. It changes neither object.
func equalContent[T Object](a, b T) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	if _, untyped := any(b).(runtime.Unstructured); untyped {
		return false
	}
	return reflect.DeepEqual(withoutKind(a), withoutKind(b))
}

// withoutKind returns a copy of obj without kind and apiVersion.
func withoutKind[T Object](obj T) T {
	of := reflect.ValueOf(obj).Elem()
	copied := reflect.New(of.Type())
	copied.Elem().Set(of)
	if dropKind(copied.Elem()) {
		return copied.Interface().(T)
	}
	if safemeta.KindOf(obj).Empty() {
		return obj
	}
	deep := obj.DeepCopyObject().(T) // its kind may be behind a pointer
	deep.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return deep
}

var objectKind = reflect.TypeFor[schema.ObjectKind]()

// dropKind sets the embedded field that has the kind, a TypeMeta or a pointer to one, to
// zero. It copies the structs that pointers lead to; v is a copy already. It reports whether
// there is such a field.
func dropKind(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return false
	}
	for f, field := range v.Fields() {
		pointer := f.Type
		if pointer.Kind() != reflect.Pointer {
			pointer = reflect.PointerTo(pointer)
		}
		if !f.Anonymous || !pointer.Implements(objectKind) {
			continue
		}
		inner := field
		if f.Type.Kind() == reflect.Pointer && !field.IsNil() && field.CanSet() {
			copied := reflect.New(f.Type.Elem())
			copied.Elem().Set(field.Elem())
			field.Set(copied)
			inner = copied.Elem()
		}
		if dropKind(inner) {
			return true
		}
		if field.CanSet() {
			field.SetZero()
		}
		return field.CanSet()
	}
	return false
}
