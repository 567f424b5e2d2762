package cache

// initialList is a collection while it is being read, page by page or event by
// event.
type initialList[T Object] struct {
	objects []T
	// hashes are the content hashes of objects. It is shorter if the last ones are not
	// known.
	hashes []uint64
	// places are where objects stands by name. It is made only if a streaming list
	// has changes among its initial events, which is rare.
	places map[ObjectName]int
	// undecodable are the objects of which the last state cannot be decoded.
	undecodable undecodable
}

// addPage adds the objects of a page and their content hashes.
func (l *initialList[T]) addPage(page []T, hashes []uint64) {
	if len(l.undecodable.states) > 0 { // the last state counts
		for _, obj := range page {
			l.undecodable.forget(MetaObjectToName(obj))
		}
	}
	hashes = hashes[:min(len(hashes), len(page))]
	if l.objects == nil {
		l.objects, l.hashes = page, hashes
		return
	}
	first := len(l.objects)
	l.objects = append(l.objects, page...)
	for i, hash := range hashes {
		l.setHash(first+i, hash)
	}
}

// apply takes an initial event.
func (l *initialList[T]) apply(delta Delta[T]) {
	forgetUndecodable(&l.undecodable, &delta)
	if delta.Type != Deleted && delta.Undecodable != nil {
		l.undecodable.add(delta.Undecodable) // an earlier state stays
		return
	}
	if delta.Type == Added && l.places == nil {
		l.push(delta.Object, delta.ContentHash)
		return
	}
	if l.places == nil {
		l.index()
	}
	name := delta.name()
	place, known := l.places[name]
	switch {
	case delta.Type != Deleted && known:
		l.objects[place] = delta.Object
		l.setHash(place, delta.ContentHash)
	case delta.Type != Deleted:
		l.places[name] = len(l.objects)
		l.push(delta.Object, delta.ContentHash)
	case known:
		last := len(l.objects) - 1
		moved := l.objects[last]
		l.objects[place] = moved
		l.setHash(place, l.hash(last))
		l.places[MetaObjectToName(moved)] = place
		delete(l.places, name)
		l.truncate(last)
	}
}

// index makes places. Of an object that was added twice it keeps the last state.
func (l *initialList[T]) index() {
	l.places = make(map[ObjectName]int, len(l.objects))
	kept := 0
	for i, obj := range l.objects {
		name := MetaObjectToName(obj)
		place, known := l.places[name]
		if !known {
			place = kept
			l.places[name] = place
			kept++
		}
		l.objects[place] = obj
		l.setHash(place, l.hash(i))
	}
	l.truncate(kept)
}

func (l *initialList[T]) push(obj T, hash uint64) {
	l.objects = append(l.objects, obj)
	l.setHash(len(l.objects)-1, hash)
}

// truncate drops the objects from n on.
func (l *initialList[T]) truncate(n int) {
	clear(l.objects[n:])
	l.objects = l.objects[:n]
	l.hashes = l.hashes[:min(n, len(l.hashes))]
}

// hash returns the content hash of objects[i], 0 if it is not known.
func (l *initialList[T]) hash(i int) uint64 {
	if i < len(l.hashes) {
		return l.hashes[i]
	}
	return 0
}

func (l *initialList[T]) setHash(i int, hash uint64) {
	if missing := i + 1 - len(l.hashes); missing > 0 {
		if hash == 0 {
			return
		}
		l.hashes = append(l.hashes, make([]uint64, missing)...)
	}
	l.hashes[i] = hash
}

// take returns what was read, and begins anew.
func (l *initialList[T]) take() (all *Collection[T], states undecodable) {
	states = l.undecodable
	all = &Collection[T]{Objects: l.objects, ContentHashes: l.hashes, Undecodable: states.sorted()}
	l.clear()
	return all, states
}

func (l *initialList[T]) clear() { *l = initialList[T]{} }
