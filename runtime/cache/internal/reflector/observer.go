package reflector

// Observer counts the responses of a Reflector, and its failures. The goroutine of Run calls its methods.
type Observer interface {
	// AddList is called after each list that was read to its end, streamed or not. AddRelist is called with the cause of each list
	// after the first one, when it begins.
	AddList()
	AddRelist(cause string)
	// AddEvents is called with the numbers of events of a batch, before the Sink gets them. The initial events of a streaming list
	// do not count.
	AddEvents(added, updated, deleted, bookmarks int)
	// AddDropped is called with the number of objects and events of other shards in a page or in a batch.
	AddDropped(n int)
	// AddUndecodable is called for each state that cannot be decoded, and AddFailure for each failed request.
	AddUndecodable()
	AddFailure(verb, reason string)
}
