// Package report is what a measured client tells the benchmark, as JSON on its
// standard output. It imports nothing: the benchmark itself has to stay smaller
// than what it measures, and client-go's scheme alone takes tens of megabytes.
package report

// Sides.
const (
	Ours   = "ours"
	Theirs = "theirs"
)

// Modes of a first list.
const (
	Streaming = "streaming"
	List      = "list"
)

// Scenarios.
const (
	// Sync is the first list, and what it leaves on the heap.
	Sync = "sync"
	// Changes is the first list, a relist of the same, a relist with some objects
	// changed, and a burst of updates.
	Changes = "changes"
)

// Fields that are kept of each object.
const (
	AllFields = "all"
	// Unmanaged is all but managedFields.
	Unmanaged = "unmanaged"
	// View is what a typical view has.
	View = "view"
)

// Client is the report of one client process.
type Client struct {
	Sync      Phase
	Unchanged Phase
	Changed   Phase
	Updates   Phase
	// HeapPerObject is the live heap with the cache less that without it, in bytes.
	HeapPerObject float64
	// State is a digest of the names and versions of all objects in the end.
	State string
	// Contents are digests of a sample of objects in the end, by what is kept of
	// them: of all fields, and of the smaller sets that these include.
	Contents map[string]string
	// Requests are what the server was asked for.
	Requests Requests
}

// Phase is one part of a scenario.
type Phase struct {
	// Seconds is until the one handler has heard the last event.
	Seconds float64
	// CPUSeconds is of the whole process.
	CPUSeconds float64
	// What the handler has heard.
	Adds, Updates, Deletes int
}

// Requests are counts.
type Requests struct{ Lists, Pages, Streams, Watches int }

// Marks are times of the server's clock, in nanoseconds since 1970.
type Marks struct {
	// Relisted is when the first request for a list came after watches expired.
	Relisted int64
	// Started is when the first of a burst of updates was written.
	Started  int64
	Requests Requests
}

// Memory is the report of one process that measured one side in memory.
type Memory struct {
	Figures []Figure
	// Contents are digests of what was read, by moment and query.
	Contents map[string]string
}

// Figure is one row of one side.
type Figure struct {
	Row, Unit string
	Value     float64
	// Peer is the row of the peer to compare with, if it has another name.
	Peer string `json:",omitempty"`
}

// Attacks is the report of the process that measures what hostile objects cost.
type Attacks struct{ Attacks []Attack }

// Attack is one way to be expensive. Ours and Theirs are seconds of processor time, one
// a round.
type Attack struct {
	Name         string
	Ours, Theirs []float64
}
