package listed

import (
	"slices"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// List is a collection while it is being read, page by page or event by event. Only one
// goroutine may use it. The zero value is empty.
type List struct {
	// items have no Err: undecodable objects are in Undecodable only.
	items []wire.Item
	// slots are the indexes of items by name. It is made only if a streaming list
	// has changes among its initial events, which is rare.
	slots map[Name]int
	// Undecodable are the objects whose last state cannot be decoded.
	Undecodable Undecodable
}

// AddPage adds the items of a page, and takes over the slice.
func (l *List) AddPage(page []wire.Item) {
	page = slices.DeleteFunc(page, func(item wire.Item) bool {
		Note(&l.Undecodable, &item, false)
		return item.Err != nil
	})
	if l.items == nil {
		l.items = page
		return
	}
	l.items = append(l.items, page...)
}

// Apply adds an initial event, which is not a bookmark.
func (l *List) Apply(event watch.EventType, item *wire.Item) {
	gone := event == watch.Deleted || event == wire.NoLongerKept
	Note(&l.Undecodable, item, gone)
	if item.Err != nil && !gone {
		return // an earlier state stays
	}
	if event == watch.Added && l.slots == nil {
		l.items = append(l.items, *item)
		return
	}
	if l.slots == nil {
		l.index()
	}
	name := NameOf(item)
	slot, known := l.slots[name]
	switch {
	case !gone && known:
		l.items[slot] = *item
	case !gone:
		l.slots[name] = len(l.items)
		l.items = append(l.items, *item)
	case known:
		last := len(l.items) - 1
		moved := l.items[last]
		l.items[slot] = moved
		l.slots[NameOf(&moved)] = slot
		delete(l.slots, name)
		l.truncate(last)
	}
}

// index makes slots. Of an object that was added twice it keeps the last state.
func (l *List) index() {
	l.slots = make(map[Name]int, len(l.items))
	kept := 0
	for _, item := range l.items {
		name := NameOf(&item)
		slot, known := l.slots[name]
		if !known {
			slot = kept
			l.slots[name] = slot
			kept++
		}
		l.items[slot] = item
	}
	l.truncate(kept)
}

// truncate drops the items from n on.
func (l *List) truncate(n int) {
	clear(l.items[n:])
	l.items = l.items[:n]
}

// Items returns the items that were read, with one for each undecodable object. The caller owns
// the slice, and calls Clear then.
func (l *List) Items() []wire.Item {
	for _, state := range l.Undecodable.Sorted() {
		l.items = append(l.items, wire.Item{Err: state})
	}
	return l.items
}

// Clear makes the list empty.
func (l *List) Clear() { *l = List{} }
