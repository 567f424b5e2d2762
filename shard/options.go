package shard

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Options configure a Coordinator. Namespace, Name and Identity are required. All members of a group
// need the same Namespace, Name, Key and Slots.
type Options struct {
	// Namespace is the namespace of the Leases.
	Namespace string
	// Name names the group: it is the name of the Lease with the table, and the beginning of the names of the
	// Leases of members.
	Name string
	// Identity names this process among the members, such as the name of its Pod. It is a DNS
	// subdomain. If two processes have the same one, the second waits until the Lease of the first
	// has expired. So does a container that was restarted in its Pod.
	Identity string
	// Key is the value of an object that decides who owns it. The default is sharding.UID. With
	// sharding.Owner, the member that owns an object also owns its direct children.
	Key sharding.Key
	// Slots is the number of parts that the hashes are divided into, a power of two up to 4096. The
	// default is 256. Each member owns about Slots divided by the number of members.
	Slots int
	// LeaseDuration is the time after which the slots of a member that does not renew its Lease go to
	// others. The default is 15 seconds. A member that starts before the table exists also waits this
	// long. Less than a second and more than 10 minutes are refused. Less than 10 seconds is for tests
	// only: a request to renew the Lease, or to move a slot, times out after (LeaseDuration-ClockMargin)/4.
	LeaseDuration time.Duration
	// RenewPeriod is the time between two renewals, at most a quarter of LeaseDuration. The default is
	// a seventh of it. Each period costs two requests: an update and a list of the Leases of the group.
	RenewPeriod time.Duration
	// ClockMargin is how much earlier than LeaseDuration a member stops, and how much later others take
	// its slots. Each clock may run faster or slower than real time by ClockMargin/LeaseDuration. A write that was
	// sent before the end has about twice this time to arrive. The default is a tenth of LeaseDuration.
	ClockMargin time.Duration
	// DrainTimeout is how long work on an object that goes to another member may continue before its
	// context is canceled. The member keeps the object until the work has ended. The default is 30 seconds.
	DrainTimeout time.Duration
}

// maxLeaseDuration is the longest LeaseDuration. If someone edits that of a Lease, the slots of its member do not wait
// for longer than that.
const maxLeaseDuration = 10 * time.Minute

// complete returns the options with defaults.
func (o Options) complete() (Options, error) {
	if o.Key == "" {
		o.Key = sharding.UID
	}
	if o.Slots == 0 {
		o.Slots = 256
	}
	if o.LeaseDuration == 0 {
		o.LeaseDuration = 15 * time.Second
	}
	if o.RenewPeriod == 0 {
		o.RenewPeriod = o.LeaseDuration / 7
	}
	if o.ClockMargin == 0 {
		o.ClockMargin = o.LeaseDuration / 10
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = 30 * time.Second
	}
	return o, o.validate()
}

func (o Options) validate() error {
	var errs []error
	refuse := func(option, format string, args ...any) {
		errs = append(errs, fmt.Errorf("shard.Options.%s: "+format, append([]any{option}, args...)...))
	}
	if problems := validation.IsDNS1123Label(o.Namespace); len(problems) > 0 {
		refuse("Namespace", "%q cannot be the name of a namespace: %s", o.Namespace, strings.Join(problems, "; "))
	}
	// The name is also the value of a label.
	if problems := append(validation.IsDNS1123Subdomain(o.Name), validation.IsValidLabelValue(o.Name)...); len(problems) > 0 {
		refuse("Name", "%q cannot be the name of a Lease and of a group: %s", o.Name, strings.Join(problems, "; "))
	}
	if o.Identity == "" {
		refuse("Identity", "it is empty; use the name of the Pod: set the environment variable POD_NAME from metadata.name in the Pod's manifest, and pass os.Getenv(\"POD_NAME\")")
	} else if problems := validation.IsDNS1123Subdomain(leaseName(o.Name, o.Identity)); len(problems) > 0 {
		refuse("Identity", "%q cannot be the end of the name of a Lease: %s; use the name of the Pod", o.Identity,
			strings.Join(append(problems, validation.IsDNS1123Subdomain(o.Identity)...), "; "))
	}
	if _, err := sharding.New(o.Key, sharding.Range{Last: 1}); err != nil {
		refuse("Key", "%w", err)
	}
	if o.Slots < 1 || o.Slots > 4096 || bits.OnesCount(uint(o.Slots)) != 1 {
		refuse("Slots", "%d is not a power of two from 1 to 4096; use 256, or more for more than 50 members", o.Slots)
	}
	if o.LeaseDuration < time.Second {
		refuse("LeaseDuration", "%v is less than a second, the unit of a Lease; use at least 10s, because a request to renew it fails after (LeaseDuration-ClockMargin)/4", o.LeaseDuration)
	}
	if o.LeaseDuration > maxLeaseDuration {
		refuse("LeaseDuration", "%v is more than %v; the slots of a process that crashes would have no owner for that long", o.LeaseDuration, maxLeaseDuration)
	}
	if o.RenewPeriod <= 0 || o.RenewPeriod > o.LeaseDuration/4 {
		refuse("RenewPeriod", "%v is not between 0 and a quarter of LeaseDuration (%v)", o.RenewPeriod, o.LeaseDuration)
	}
	if o.ClockMargin <= 0 || o.ClockMargin > o.LeaseDuration/4 {
		refuse("ClockMargin", "%v is not between 0 and a quarter of LeaseDuration (%v)", o.ClockMargin, o.LeaseDuration)
	}
	if o.DrainTimeout < 0 {
		refuse("DrainTimeout", "%v is negative", o.DrainTimeout)
	}
	return errors.Join(errs...)
}
