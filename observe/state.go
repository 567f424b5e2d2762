package observe

// State is how an informer does, in one word.
type State string

// The states, from the worst to the best.
const (
	// Failing: the cache does not follow the server, or the informer never runs.
	Failing State = "failing"
	// Attention: the cache follows the server, but something is wrong or slow.
	Attention State = "attention"
	// Starting: the informer is not started, or reads its first list.
	Starting State = "starting"
	// Healthy: the cache follows the server.
	Healthy State = "healthy"
	// Stopped: the informer has ended.
	Stopped State = "stopped"
)

// States returns all states, from the worst to the best.
func States() []State { return []State{Failing, Attention, Starting, Healthy, Stopped} }
