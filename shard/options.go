package shard

import (
	"time"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Options configure a Coordinator. Name, Namespace and Identity are required. All members of one group
// need the same Namespace, Name, Key and Slots.
type Options struct {
	// Namespace is that of the Leases.
	Namespace string
	// Name is that of the group: of the Lease with the table, and the beginning of the names of the
	// Leases of members.
	Name string
	// Identity names this process among the members, such as the name of its Pod. Two processes must
	// not have the same at one time. If they do, the second one waits until the Lease of the first has
	// expired.
	Identity string
	// Key is what of an object decides about its owner. The default is sharding.UID.
	Key sharding.Key
	// Slots is the number of parts that the hashes are divided into, a power of two up to 4096. The
	// default is 256.
	Slots int
	// LeaseDuration is the time after which the slots of a member that does not renew its Lease go to
	// others. The default is 15 seconds.
	LeaseDuration time.Duration
	// RenewPeriod is the time between two renewals. The default is a seventh of LeaseDuration.
	RenewPeriod time.Duration
	// ClockMargin is how much earlier than LeaseDuration a member stops, and how much later others take
	// its slots. The clocks of two processes may differ in speed by ClockMargin/LeaseDuration each. A
	// write that was sent before the end has twice this time to arrive. The default is a tenth of
	// LeaseDuration.
	ClockMargin time.Duration
	// DrainTimeout is how long work on a slot that goes to another member may go on, before its
	// context is canceled. The slot is kept until the work has ended. The default is 30 seconds.
	DrainTimeout time.Duration
}
