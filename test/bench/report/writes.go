package report

// Programs of the section writes: a cache to read from, and a client to write with.
const (
	// Informers are ours as they are by default. InformersOwnWrites are the same with
	// cache.ReadYourWrites.
	Informers          = "informers"
	InformersOwnWrites = "informers, ReadYourWrites"
	// Manager is a manager of controller-runtime. ManagerOwnWrites is the same with
	// EnableReadYourWritesConsistency.
	Manager          = "controller-runtime"
	ManagerOwnWrites = "controller-runtime, EnableReadYourWritesConsistency"
	// Bridge is a manager of controller-runtime over our cache with ReadYourWrites.
	Bridge = "crcache, ReadYourWrites"
)

// Workloads of the section writes.
const (
	// Counters increments a number in the status of each object.
	Counters = "counters"
	// Children creates children of each object that it does not find.
	Children = "children"
)

// Count is the unit of what is counted.
const Count = "count"
