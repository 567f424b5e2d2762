package informer

// waits are the callers that wait for versions. The mutex of the informer guards them.
type waits map[*wait]struct{}

// wait is a caller that waits for a version. done is closed when the cache has it.
type wait struct {
	version uint64
	done    chan struct{}
}

// add adds a caller.
func (w *waits) add(version uint64) *wait {
	if *w == nil {
		*w = waits{}
	}
	added := &wait{version, make(chan struct{})}
	(*w)[added] = struct{}{}
	return added
}

// end ends the waits for versions that are reached.
func (w waits) end(reached uint64) {
	for next := range w {
		if next.version <= reached {
			close(next.done)
			delete(w, next)
		}
	}
}
