package cache

// initialList is a collection while it is being read, page by page or event by
// event.
type initialList[T Object] struct {
	objects []T
	// places are where objects stands by name. It is made only if a streaming list
	// has changes among its initial events, which is rare.
	places map[ObjectName]int
	// undecodable are the objects of which the last state cannot be decoded.
	undecodable undecodable
}

// addPage adds objects that are not in the list yet.
func (l *initialList[T]) addPage(page []T) {
	if l.objects == nil {
		l.objects = page
		return
	}
	l.objects = append(l.objects, page...)
}

// apply takes an initial event.
func (l *initialList[T]) apply(delta Delta[T]) {
	forgetUndecodable(l.undecodable, &delta)
	if delta.Type != Deleted && delta.Undecodable != nil {
		l.undecodable.add(delta.Undecodable) // an earlier state stays
		return
	}
	if delta.Type == Added && l.places == nil {
		l.objects = append(l.objects, delta.Object)
		return
	}
	if l.places == nil {
		l.places = make(map[ObjectName]int, len(l.objects))
		for i, obj := range l.objects {
			l.places[MetaObjectToName(obj)] = i
		}
	}
	name := delta.name()
	place, known := l.places[name]
	switch {
	case delta.Type != Deleted && known:
		l.objects[place] = delta.Object
	case delta.Type != Deleted:
		l.places[name] = len(l.objects)
		l.objects = append(l.objects, delta.Object)
	case known:
		last := len(l.objects) - 1
		moved := l.objects[last]
		l.objects[place] = moved
		l.places[MetaObjectToName(moved)] = place
		delete(l.places, name)
		clear(l.objects[last:])
		l.objects = l.objects[:last]
	}
}

// take returns what was read, and begins anew.
func (l *initialList[T]) take() (objects []T, undecodable undecodable) {
	objects, undecodable = l.objects, l.undecodable
	l.clear()
	return objects, undecodable
}

func (l *initialList[T]) clear() { *l = initialList[T]{} }
