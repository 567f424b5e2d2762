package member

import (
	"strings"
	"time"
)

// Time is the time of the clocks of a process, as the time since any fixed moment.
type Time struct {
	// Steady never goes back, and no one sets it. It may stand still while the machine is suspended.
	Steady time.Duration
	// Wall may be set by anyone. It only ends sessions, so a wrong one is safe.
	Wall time.Duration
}

// Config configures a Member.
type Config struct {
	// Identity is a DNS name, without a slash.
	Identity string
	Slots    int
	// LeaseDuration, ClockMargin and RenewPeriod are from the options of a Coordinator.
	LeaseDuration, ClockMargin, RenewPeriod time.Duration
	// NewSession returns a different text each time, also in other processes.
	NewSession func() string
	// Jitter returns a random duration of up to its argument.
	Jitter func(time.Duration) time.Duration
}

// Lease is the Lease of a member.
type Lease struct {
	// Identity is the identity of the member, and the end of the name of the Lease.
	Identity string
	// Version changes with each update. It is empty for a Lease that is to be created.
	Version string
	// Session is the session of the holder.
	Session string
	// Duration is the LeaseDuration of the holder.
	Duration time.Duration
	// Leaving is set while the holder gives up its slots.
	Leaving bool
}

// Table says which session owns which slot.
type Table struct {
	// UID identifies the table. If someone deletes it, the next one has another UID.
	UID string
	// Version changes with each update. It is empty for a table that is to be created.
	Version string
	// Fresh is set until it is certain that no member acts by an earlier table.
	Fresh bool
	// Owners are the sessions that own the slots; empty for a free slot.
	Owners []string
}

// Snapshot is the response to a list. Both parts are of one moment.
type Snapshot struct {
	// Table is nil if there is none.
	Table  *Table
	Leases []Lease
}

// Kind is the kind of a Request.
type Kind uint8

// The kinds of requests.
const (
	// Wait is no request: there is nothing to do until Request.Until.
	Wait Kind = iota
	// List reads the table and all Leases at one moment.
	List
	// PutLease creates or updates the Lease of the member.
	PutLease
	// DeleteLease deletes a Lease at a version.
	DeleteLease
	// PutTable creates or updates the table.
	PutTable
	// Leave is no request: the member has left the group.
	Leave
)

// Request is the next request of a Member.
type Request struct {
	Kind  Kind
	Until time.Duration // by the steady clock
	Lease Lease
	Table Table
}

// Result says what is known of a request.
type Result uint8

// The results of requests.
const (
	// Done means that the server has done it.
	Done Result = iota
	// Refused means that the server has not done it now, because something is at another version or does not exist. It
	// may have done it before, if the request arrived twice.
	Refused
	// Unknown means that there is no answer, or an error. The server may do it later.
	Unknown
)

// Response is the response to a Request.
type Response struct {
	Result Result
	// Snapshot is the response to a List.
	Snapshot Snapshot
	// Version is the version of the Lease or the table after an update, and UID the UID of the table.
	Version, UID string
}

// identityOf returns the identity of the member that a session belongs to.
func identityOf(session string) string {
	identity, _, _ := strings.Cut(session, "/")
	return identity
}
