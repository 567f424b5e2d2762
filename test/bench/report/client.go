package report

// Sides.
const (
	Ours   = "ours"
	Theirs = "theirs"
)

// Modes of a first list.
const (
	Streaming = "streaming"
	List      = "LIST"
)

// Scenarios.
const (
	// Sync is the first list, and what it leaves on the heap.
	Sync = "sync"
	// Changes is the first list, a relist of the same objects, a relist with some
	// objects changed, and a burst of updates.
	Changes = "changes"
	// Slow is the first list, and updates while a handler does not return. SlowLimited is
	// the same with a limit for the events that wait, which only our handlers have.
	Slow        = "slow"
	SlowLimited = "slow, limited"
	// Idle is as many informers as IdleInformers, each with an open watch.
	Idle = "idle"
)

// Fields that an informer keeps of each object.
const (
	AllFields = "all"
	// Unmanaged is all fields but managedFields.
	Unmanaged = "unmanaged"
	// View is the fields of a typical view.
	View = "view"
)

// Kinds of objects.
const (
	Pods = "pods"
	// Small and Large are custom resources with 2 KB and 20 KB of JSON.
	Small = "2 KB"
	Large = "20 KB"
)

// IdleInformers is how many informers a process of the scenario Idle has.
const IdleInformers = 1000

// Client is an informer over HTTP, which one process measures.
type Client struct{ Side, Mode, Scenario, Fields string }

// Setting is what the clients of several rows have in common.
type Setting struct {
	// Prefix is what the names of the rows begin with.
	Prefix string
	Kind   string
	// JSON makes both sides ask for JSON. By default they ask for what their generated
	// clients ask for.
	JSON bool
	// TLS is HTTP/2 as well. Gzip compresses lists.
	TLS, Gzip bool
	// Processors is the GOMAXPROCS of a client. The default is that of the machine.
	Processors int
	// Objects is how many objects there are; 0 for as many as the benchmark is asked for,
	// divided by Divisor, and at most Most of them, if these are not 0.
	Objects, Divisor, Most int
	// Brief leaves out rows that do not depend on the setting, or that say the same.
	Brief   bool
	Clients []Client
}

// Sections of the benchmark over HTTP, with their settings.
var Sections = map[string][]Setting{
	"default": {{Prefix: "pods, ", Kind: Pods, Clients: join(sync, views, changes)}},
	"custom": {
		{Prefix: "2 KB, ", Kind: Small, Clients: join(sync, streamingChanges)},
		{Prefix: "20 KB, ", Kind: Large, Divisor: 10, Clients: join(sync, streamingChanges)},
	},
	"conditions": {
		{Prefix: "TLS and HTTP/2, ", Kind: Pods, Brief: true, TLS: true, Clients: join(sync, streamingChanges)},
		{Prefix: "gzip, ", Kind: Pods, Brief: true, TLS: true, Gzip: true, Clients: sync},
		{Prefix: "GOMAXPROCS=1, ", Kind: Pods, Brief: true, Processors: 1, Clients: join(sync, streamingChanges)},
		{Prefix: "GOMAXPROCS=2, ", Kind: Pods, Brief: true, Processors: 2, Clients: join(sync, streamingChanges)},
		{Kind: Pods, Most: 10_000, Clients: slow},
	},
	"idle":    {{Kind: Pods, TLS: true, Objects: 1, Clients: both(Streaming, Idle, AllFields)}},
	"runtime": {{Kind: Pods, JSON: true, Clients: join(sync, unmanaged, views, changes)}},
}

// The clients of settings. Each row has both sides.
var (
	sync      = join(both(Streaming, Sync, AllFields), both(List, Sync, AllFields))
	unmanaged = []Client{{Ours, Streaming, Sync, Unmanaged}, {Theirs, List, Sync, Unmanaged}}
	views     = []Client{{Ours, Streaming, Sync, View}, {Theirs, List, Sync, View}}

	streamingChanges = both(Streaming, Changes, AllFields)
	changes          = join(streamingChanges, both(List, Changes, AllFields))
	slow             = append(both(Streaming, Slow, AllFields), Client{Ours, Streaming, SlowLimited, AllFields})
)

// both is a client of each side.
func both(mode, scenario, fields string) []Client {
	return []Client{{Ours, mode, scenario, fields}, {Theirs, mode, scenario, fields}}
}

func join(parts ...[]Client) (all []Client) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
