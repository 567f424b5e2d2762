package cache

import "slices"

// initialList is a collection while it is being read, page by page or event by
// event.
type initialList[T Object] struct {
	// items have no Err: undecodable objects are in undecodable only.
	items []Item[T]
	// slots are the indexes of items by name. It is made only if a streaming list
	// has changes among its initial events, which is rare.
	slots map[ObjectName]int
	// undecodable are the objects whose last state cannot be decoded.
	undecodable undecodable
}

// addPage adds the items of a page, and takes over the slice.
func (l *initialList[T]) addPage(page []Item[T]) {
	page = slices.DeleteFunc(page, func(item Item[T]) bool {
		note(&l.undecodable, &item, false)
		return item.Err != nil
	})
	if l.items == nil {
		l.items = page
		return
	}
	l.items = append(l.items, page...)
}

// apply adds an initial event.
func (l *initialList[T]) apply(change DeltaType, item *Item[T]) {
	gone := change == Deleted
	note(&l.undecodable, item, gone)
	if item.Err != nil && !gone {
		return // an earlier state stays
	}
	if change == Added && l.slots == nil {
		l.items = append(l.items, *item)
		return
	}
	if l.slots == nil {
		l.index()
	}
	name := nameOf(item)
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
		l.slots[nameOf(&moved)] = slot
		delete(l.slots, name)
		l.truncate(last)
	}
}

// index makes slots. Of an object that was added twice it keeps the last state.
func (l *initialList[T]) index() {
	l.slots = make(map[ObjectName]int, len(l.items))
	kept := 0
	for _, item := range l.items {
		name := nameOf(&item)
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
func (l *initialList[T]) truncate(n int) {
	clear(l.items[n:])
	l.items = l.items[:n]
}

// collection returns what was read. The caller calls clear then.
func (l *initialList[T]) collection() *Collection[T] {
	for _, state := range l.undecodable.sorted() {
		l.items = append(l.items, Item[T]{Err: state})
	}
	return &Collection[T]{Items: l.items}
}

func (l *initialList[T]) clear() { *l = initialList[T]{} }
