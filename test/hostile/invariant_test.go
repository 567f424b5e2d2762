package hostile

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

const (
	// maxFailed and maxSound are how many requests there may be in any minute. A server that keeps failing gets
	// about ten; but each answer ends the backoff, so one that fails now and then gets more. A list whose tokens lead
	// nowhere is ten times nine pages at most: its waits are random.
	maxFailed = 40
	maxSound  = 100
	// maxLive is how much memory a play may keep alive, with its server.
	maxLive = 32 << 20
	// grace is how long Status may be Watching after a watch has ended.
	grace = 2 * time.Second
)

// checkRates returns an error for the first minute that has too many requests. It
// looks at those from from on, and returns where to go on.
func checkRates(requests []*request, from int) (next int, err error) {
	for ; from < len(requests); from++ {
		end := requests[from].at
		var failed, sound int
		first := from
		for ; first >= 0 && end.Sub(requests[first].at) < time.Minute; first-- {
			switch r := requests[first]; {
			case !r.counted:
			case r.failed:
				failed++
			default:
				sound++
			}
		}
		if failed > maxFailed || sound > maxSound {
			return from + 1, fmt.Errorf("%d requests with an error and %d without in one minute, until %s", failed, sound, end.Format("15:04:05.000"))
		}
	}
	return from, nil
}

// rates checks the requests of s since the last call.
func (p *play) rates() error {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	var err error
	p.checked, err = checkRates(p.server.requests, p.checked)
	return err
}

// checkStatus returns an error if the informer does not say the truth of itself.
func (p *play) checkStatus() error {
	now := p.informer.Status()
	text := now.String()
	switch now.Phase {
	case status.Watching:
		if !p.server.following(grace) {
			return fmt.Errorf("status is Watching without an open watch: %+v", now)
		}
	case status.Degraded:
		switch {
		case now.Err == nil || now.Reason == "":
			return fmt.Errorf("status is Degraded without a cause: %+v", now)
		case !isTelling(now.Err.Error()):
			return fmt.Errorf("status is Degraded, and its error is %q", now.Err)
		}
	case status.Pending, status.Stopped:
		return fmt.Errorf("status is %s while the informer runs", now.Phase)
	}
	if now.Err != nil && !strings.Contains(text, now.Err.Error()) {
		return fmt.Errorf("status is %q, which does not have the error %q", text, now.Err)
	}
	reason := p.informer.NotSyncedReason()
	switch {
	case p.informer.HasSynced() != (reason == ""):
		return fmt.Errorf("HasSynced is %t, the reason is %q", p.informer.HasSynced(), reason)
	case reason != "" && !(strings.HasPrefix(reason, "databases.data.example.com: ") && strings.Contains(reason, string(now.Phase))):
		return fmt.Errorf("the reason of not being synced is %q", reason)
	case reason != "" && now.Err != nil && !strings.Contains(reason, now.Err.Error()):
		return fmt.Errorf("the reason of not being synced is %q without its cause, %q", reason, now.Err)
	}
	return nil
}

// isTelling reports whether an error has a text, also in its last part.
func isTelling(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, `""`)
}

// checkHistories returns what the handlers heard that no legal history has.
func (p *play) checkHistories() error {
	var errs []error
	for i, h := range p.handlers {
		if faults := h.recorder.Faults(); len(faults) > 0 {
			errs = append(errs, fmt.Errorf("handler %d: %s", i, strings.Join(faults, "\n")))
		}
	}
	return errors.Join(errs...)
}

// checkTruth returns how the informer differs from the server, nil if it does not.
func (p *play) checkTruth() error {
	now := p.informer.Status()
	truth := p.server.collection.truth()
	if now.Phase != status.Watching || now.Err != nil || now.Objects != len(truth) {
		return fmt.Errorf("%d objects are in the collection, and the status is %+v", len(truth), now)
	}
	if err := differ("the cache", p.informer.GetIndexer().List(), truth); err != nil {
		return err
	}
	if err := p.checkIndexes(truth); err != nil {
		return err
	}
	for i, h := range p.handlers {
		if !h.registration.HasSynced() || h.registration.Backlog() != 0 {
			return fmt.Errorf("handler %d: %d events wait: %s", i, h.registration.Backlog(), h.registration.NotSyncedReason())
		}
		if err := differ(fmt.Sprintf("handler %d", i), slices.Collect(maps.Values(h.recorder.Known())), truth); err != nil {
			return err
		}
	}
	return nil
}

// differ compares objects with the truth.
func differ(who string, objects []*datav1.Database, truth map[cache.ObjectName]datav1.Database) error {
	if len(objects) != len(truth) {
		return fmt.Errorf("%s has %d objects, the collection %d", who, len(objects), len(truth))
	}
	for _, obj := range objects {
		want, ok := truth[cache.MetaObjectToName(obj)]
		if !ok || obj.UID != want.UID || obj.ResourceVersion != want.ResourceVersion || obj.Spec != want.Spec {
			return fmt.Errorf("%s has %s/%s %s@%s %+v, the collection %s@%s %+v", who, obj.Namespace, obj.Name, obj.UID, obj.ResourceVersion, obj.Spec, want.UID, want.ResourceVersion, want.Spec)
		}
	}
	return nil
}

// checkIndexes compares the index of the generated lister, and that of namespaces.
func (p *play) checkIndexes(truth map[cache.ObjectName]datav1.Database) error {
	classes, namespaces := map[string]int{}, map[string]int{}
	for name, obj := range truth {
		classes[obj.Spec.ClassName]++
		namespaces[name.Namespace]++
	}
	for index, want := range map[string]map[string]int{"byClass": classes, cache.NamespaceIndex: namespaces} {
		values := p.informer.GetIndexer().ListIndexFuncValues(index)
		if slices.Sort(values); !slices.Equal(values, slices.Sorted(maps.Keys(want))) {
			return fmt.Errorf("index %s has the values %q, the collection %v", index, values, want)
		}
		for value, count := range want {
			found, err := p.informer.GetIndexer().ByIndex(index, value)
			if err != nil {
				return err
			}
			if len(found) != count {
				return fmt.Errorf("index %s has %d objects of %q, the collection %d", index, len(found), value, count)
			}
			for _, obj := range found {
				if index == "byClass" && obj.Spec.ClassName != value || index == cache.NamespaceIndex && obj.Namespace != value {
					return fmt.Errorf("index %s has %s/%s (%s) at %q", index, obj.Namespace, obj.Name, obj.Spec.ClassName, value)
				}
			}
		}
	}
	return nil
}

// liveBytes returns how much memory is reachable.
func liveBytes() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// leftover returns the stacks of goroutines that the runtime has started.
func leftover() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var found []string
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "informer-gen/runtime/") {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
