package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/typedinformers/informer-gen/shard/internal/member"
)

const (
	domain = "informer-gen.typedinformers.github.io/"
	// groupLabel has the name of the group, on all of its Leases.
	groupLabel = domain + "shards"
	// These are annotations of the table.
	keyAnnotation    = domain + "shard-key"
	slotsAnnotation  = domain + "shard-slots"
	freshAnnotation  = domain + "shard-fresh"
	ownersAnnotation = domain + "shard-owners" // a JSON object: the slots of each session, as in "0-3,9"
	// leavingAnnotation is one of a member that gives up its slots.
	leavingAnnotation = domain + "shard-leaving"
)

// leaseName returns the name of the Lease of a member.
func leaseName(group, identity string) string { return group + "-" + identity }

// leases sends the requests of a member.
type leases struct {
	client coordinationv1client.LeaseInterface
	slots
	namespace, group, identity string
	timeout                    time.Duration
	// The objects as they were read last. Updates keep the fields that others have added to them.
	table, own *coordinationv1.Lease
	used       types.UID // of the last table that fitted
}

// do sends a request. The error is nil if another member was faster.
func (l *leases) do(ctx context.Context, q member.Request) (member.Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout, fmt.Errorf("no response within %v", l.timeout))
	defer cancel()
	r, err := l.send(ctx, q)
	switch {
	case err == nil:
		return r, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err) && q.Kind != member.List:
		return member.Response{Result: member.Refused}, nil
	case apierrors.IsForbidden(err):
		return member.Response{Result: member.Refused}, err
	case apierrors.IsAlreadyExists(err) && q.Kind == member.PutTable:
		return member.Response{Result: member.Refused}, l.find(ctx, l.group, isTable, "Options.Name")
	case apierrors.IsAlreadyExists(err):
		return member.Response{Result: member.Refused}, l.find(ctx, leaseName(l.group, l.identity), l.isMember, "Options.Name or Options.Identity")
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return member.Response{Result: member.Unknown}, err
}

func (l *leases) send(ctx context.Context, q member.Request) (r member.Response, err error) {
	switch q.Kind {
	case member.List:
		r.Snapshot, err = l.list(ctx)
		return r, l.wrap(err, "list", "cannot list the Leases of the group")
	case member.PutLease:
		now := metav1.NowMicro()
		lease := l.prepare(l.own, leaseName(l.group, q.Lease.Identity), q.Lease.Version)
		if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != q.Lease.Session {
			lease.Spec.AcquireTime = &now
		}
		lease.Spec.HolderIdentity = &q.Lease.Session
		seconds := int32(math.Ceil(q.Lease.Duration.Seconds()))
		lease.Spec.LeaseDurationSeconds = &seconds
		lease.Spec.RenewTime = &now
		set(lease, leavingAnnotation, "true", q.Lease.Leaving)
		if lease, err = l.put(ctx, lease); err != nil {
			return r, l.wrap(err, verbOf(q.Lease.Version), "cannot renew the Lease")
		}
		l.own = lease
		r.Version = lease.ResourceVersion
	case member.PutTable:
		table := l.prepare(l.table, l.group, q.Table.Version)
		set(table, keyAnnotation, string(l.key), true)
		set(table, slotsAnnotation, strconv.Itoa(l.count), true)
		set(table, freshAnnotation, "true", q.Table.Fresh)
		set(table, ownersAnnotation, formatOwners(q.Table.Owners), true)
		if table, err = l.put(ctx, table); err != nil {
			return r, l.wrap(err, verbOf(q.Table.Version), "cannot update the table of slots")
		}
		l.table = table
		r.Version, r.UID = table.ResourceVersion, string(table.UID)
	case member.DeleteLease:
		err = l.client.Delete(ctx, leaseName(l.group, q.Lease.Identity), metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{ResourceVersion: &q.Lease.Version},
		})
		return r, l.wrap(err, "delete", "cannot delete the Lease of "+q.Lease.Identity)
	}
	return r, nil
}

// prepare returns the object of a request: a copy of the last one, or a new one without a version.
func (l *leases) prepare(last *coordinationv1.Lease, name, version string) *coordinationv1.Lease {
	if version == "" || last == nil {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Namespace: l.namespace, Name: name, Labels: map[string]string{groupLabel: l.group},
		}}
	}
	lease := last.DeepCopy()
	lease.ResourceVersion = version
	return lease
}

func (l *leases) put(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if lease.ResourceVersion == "" {
		return l.client.Create(ctx, lease, metav1.CreateOptions{})
	}
	return l.client.Update(ctx, lease, metav1.UpdateOptions{})
}

// verbOf returns the verb of put for an object at a version.
func verbOf(version string) string {
	if version == "" {
		return "create"
	}
	return "update"
}

func set(lease *coordinationv1.Lease, annotation, value string, present bool) {
	if !present {
		delete(lease.Annotations, annotation)
		return
	}
	if lease.Annotations == nil {
		lease.Annotations = map[string]string{}
	}
	lease.Annotations[annotation] = value
}

// list reads all Leases of the group. It is one request, so the result is consistent.
func (l *leases) list(ctx context.Context) (snapshot member.Snapshot, err error) {
	list, err := l.client.List(ctx, metav1.ListOptions{LabelSelector: groupLabel + "=" + l.group})
	if err != nil {
		return snapshot, err
	}
	if list.Continue != "" {
		return snapshot, fmt.Errorf("the server returned only a part of %d Leases", len(list.Items))
	}
	l.table, l.own = nil, nil
	for i := range list.Items {
		lease := &list.Items[i]
		identity, isMember := strings.CutPrefix(lease.Name, leaseName(l.group, ""))
		switch {
		case lease.Name == l.group:
			l.table = lease.DeepCopy() // which does not hold the memory of the others
			if snapshot.Table, err = l.parseTable(lease); err != nil {
				return snapshot, l.remove(ctx, err)
			}
			l.used = lease.UID
		case isMember:
			if identity == l.identity {
				l.own = lease.DeepCopy()
			}
			m := member.Lease{Identity: identity, Version: lease.ResourceVersion, Leaving: lease.Annotations[leavingAnnotation] != ""}
			// Someone may have edited them. A session of another member would be seen as one that does not renew.
			if holder := lease.Spec.HolderIdentity; holder != nil && strings.HasPrefix(*holder, identity+"/") {
				m.Session = *holder
			}
			if lease.Spec.LeaseDurationSeconds != nil {
				m.Duration = min(time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second, maxLeaseDuration)
			}
			snapshot.Leases = append(snapshot.Leases, m)
		}
	}
	return snapshot, nil
}

// parseTable returns the table of a Lease. The error is an errMismatch if other members have other options. It is not
// one if someone has broken the table: then the table was right before, or no member could have written it.
func (l *leases) parseTable(lease *coordinationv1.Lease) (*member.Table, error) {
	a := lease.Annotations
	if a[keyAnnotation] != string(l.key) || a[slotsAnnotation] != strconv.Itoa(l.count) {
		err := fmt.Errorf("the Lease %s/%s divides %q into %q slots, but this process divides %q into %d",
			lease.Namespace, lease.Name, a[keyAnnotation], a[slotsAnnotation], l.key, l.count)
		if lease.UID == l.used || a[keyAnnotation] == "" || a[slotsAnnotation] == "" {
			return nil, err
		}
		return nil, errMismatch{fmt.Errorf("%w; use the same options, or another name for the group", err)}
	}
	owners, err := parseOwners(a[ownersAnnotation], l.count)
	if err != nil {
		return nil, fmt.Errorf("the Lease %s/%s has a wrong annotation %s: %w", lease.Namespace, lease.Name, ownersAnnotation, err)
	}
	return &member.Table{UID: string(lease.UID), Version: lease.ResourceVersion, Fresh: a[freshAnnotation] != "", Owners: owners}, nil
}

// formatOwners returns the slots of each session, as JSON.
func formatOwners(owners []string) string {
	ranges := map[string][]string{}
	for first := 0; first < len(owners); {
		last := first
		for last+1 < len(owners) && owners[last+1] == owners[first] {
			last++
		}
		text := strconv.Itoa(first)
		if last > first {
			text += "-" + strconv.Itoa(last)
		}
		if owner := owners[first]; owner != "" {
			ranges[owner] = append(ranges[owner], text)
		}
		first = last + 1
	}
	texts := map[string]string{}
	for owner, r := range ranges {
		texts[owner] = strings.Join(r, ",")
	}
	text, _ := json.Marshal(texts) // strings are always valid
	return string(text)
}

// parseOwners parses the result of formatOwners.
func parseOwners(text string, count int) ([]string, error) {
	var texts map[string]string
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		return nil, err
	}
	if texts == nil {
		return nil, fmt.Errorf("%q is not a JSON object", text)
	}
	owners := make([]string, count)
	for owner, ranges := range texts {
		if owner == "" {
			return nil, fmt.Errorf("an owner has no name")
		}
		for r := range strings.SplitSeq(ranges, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			first, err := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			if err != nil || err2 != nil || first < 0 || last < first || last >= count {
				return nil, fmt.Errorf("%q is not a range of the slots 0 to %d", r, count-1)
			}
			for slot := first; slot <= last; slot++ {
				if owners[slot] != "" {
					return nil, fmt.Errorf("slot %d has two owners, %q and %q", slot, owners[slot], owner)
				}
				owners[slot] = owner
			}
		}
	}
	return owners, nil
}
