package report

// Follower is what an informer of a shard, or of all objects, has cost so far.
type Follower struct {
	// Seconds and CPUSeconds are those of the first sync.
	Seconds    float64
	CPUSeconds float64
	// UsedSeconds is the processor time of the process.
	UsedSeconds float64
	// PeakBytes is the peak RSS, HeapBytes the live heap, and ReadBytes the size of the bodies.
	PeakBytes, HeapBytes, ReadBytes int64
	Objects                         int
	// Dropped is the number of objects and events of other shards that the server has sent. Updated is
	// the number of events of the own shard.
	Dropped, Updated uint64
}
