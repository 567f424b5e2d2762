package fields

import (
	"slices"
	"time"
)

// maxUpdaters is the number of Update entries that an object may have. Older ones are merged.
const maxUpdaters = 10

// stripped has the fields that no manager ever gets by its own writes.
var stripped = tree{
	"f:apiVersion": leaf,
	"f:kind":       leaf,
	"f:metadata": tree{
		self:                  leaf,
		"f:name":              leaf,
		"f:namespace":         leaf,
		"f:creationTimestamp": leaf,
		"f:selfLink":          leaf,
		"f:uid":               leaf,
		"f:clusterName":       leaf,
		"f:generation":        leaf,
		"f:managedFields":     leaf,
		"f:resourceVersion":   leaf,
	},
}

// update is Update for objects that fit the schema and whose managedFields are as this package
// writes them, in the version of the manager. It returns false for others.
func (m *Manager) update(live, obj map[string]any, manager string, now time.Time) (map[string]any, bool) {
	if m.schema == nil || obj["apiVersion"] != m.apiVersion {
		return nil, false
	}
	before, ok := m.before(live, obj)
	if !ok {
		return nil, false
	}
	if live == nil {
		live = m.empty()
	} else if live["apiVersion"] != m.apiVersion {
		return nil, false
	}
	entries, ok := parseAll(before)
	if !ok {
		return nil, false
	}
	if len(entries) == 0 && uidOf(live) != "" {
		return withFields(obj, nil), true // nothing is known of an object once it is reset
	}
	c := comparison{schema: m.schema}
	changed, removed := c.objects(m.root, live, obj, m.reset)
	if c.failed {
		return nil, false
	}

	moved := false // whether any entry is not as it was
	kept := entries[:0]
	for _, e := range entries {
		if e.apiVersion != m.apiVersion {
			return nil, false
		}
		rest := subtract(subtract(e.fields, changed), removed)
		if len(rest) == 0 {
			moved = true
			continue
		}
		if !same(rest, e.fields) {
			e.fields, e.raw, moved = rest, nil, true
		}
		kept = append(kept, e)
	}
	if own := subtract(changed, stripped); len(own) > 0 {
		kept, moved = m.give(kept, own, manager, now), true
	}
	if !moved {
		return withFields(obj, before), true
	}
	updaters := 0
	for _, e := range kept {
		if e.operation == update {
			updaters++
		}
	}
	if updaters > maxUpdaters {
		return nil, false
	}
	slices.SortFunc(kept, compareEntries)
	list := make([]any, len(kept))
	for i := range kept {
		list[i] = kept[i].encode()
	}
	return withFields(obj, list), true
}

// before returns the managedFields to start with. It returns false if the request has others than
// the live object.
func (m *Manager) before(live, obj map[string]any) ([]any, bool) {
	list, _ := stored(live)
	requested, found := stored(obj)
	if m.subresource != "" || !found {
		return list, true
	}
	return list, slices.EqualFunc(requested, list, equal)
}

// give adds fields to the Update entry of a manager.
func (m *Manager) give(entries []entry, fields tree, manager string, now time.Time) []entry {
	if manager == "" {
		manager = "unknown"
	}
	own := entry{
		manager: manager, operation: update, apiVersion: m.apiVersion, subresource: m.subresource,
		time: timestamp(now), fields: fields,
	}
	for i := range entries {
		if entries[i].isOf(&own) {
			own.fields = union(fields, entries[i].fields)
			entries[i] = own
			return entries
		}
	}
	return append(entries, own)
}

func uidOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	uid, _ := meta["uid"].(string)
	return uid
}
