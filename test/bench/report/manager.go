package report

// Scenarios of a manager of controller-runtime.
const (
	// Cache is the first sync of a cache, and what it leaves on the heap, and reads after it.
	Cache = "cache"
	// Reconcile is a controller that reads each object that has changed.
	Reconcile = "reconcile"
	// WithMetadata and AllForms are the first sync of typed readers, readers of metadata and,
	// in AllForms, readers of unstructured objects of one kind.
	WithMetadata = "metadata"
	AllForms     = "forms"
	// Live lists the objects without a cache. It has no figures, but what the caches should
	// have.
	Live = "live"
)

// SyncTime ends the name of the row with the time of a first sync.
const SyncTime = "first sync: time until the handler has all objects"
