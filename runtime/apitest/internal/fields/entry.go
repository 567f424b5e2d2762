package fields

import (
	"cmp"
	"slices"
	"time"
)

const (
	apply  = "Apply"
	update = "Update"
)

// entry is an element of metadata.managedFields.
type entry struct {
	raw                                               map[string]any
	manager, operation, apiVersion, time, subresource string
	fields                                            tree
}

// parse reads an entry. It returns false if the entry is not as this package writes it.
func parse(v any) (entry, bool) {
	raw, ok := v.(map[string]any)
	if !ok {
		return entry{}, false
	}
	e := entry{raw: raw}
	for key, v := range raw {
		switch key {
		case "manager":
			e.manager, ok = v.(string)
		case "operation":
			e.operation, ok = v.(string)
			ok = ok && (e.operation == apply || e.operation == update)
		case "apiVersion":
			e.apiVersion, ok = v.(string)
		case "time":
			// These times are UTC, so that their order is that of the strings.
			e.time, ok = v.(string)
			ok = ok && len(e.time) == len("2006-01-02T15:04:05Z") && e.time[len(e.time)-1] == 'Z'
		case "subresource":
			e.subresource, ok = v.(string)
		case "fieldsV1":
			e.fields, ok = v.(tree)
		case "fieldsType":
			ok = v == "FieldsV1"
		default:
			ok = false
		}
		if !ok {
			return entry{}, false
		}
	}
	return e, e.fields != nil && e.operation != "" && e.apiVersion != "" && raw["fieldsType"] != nil
}

// encode returns the entry as it is stored.
func (e *entry) encode() map[string]any {
	if e.raw != nil {
		return e.raw
	}
	raw := make(map[string]any, 7)
	raw["operation"] = e.operation
	raw["apiVersion"] = e.apiVersion
	raw["fieldsType"] = "FieldsV1"
	raw["fieldsV1"] = e.fields
	if e.manager != "" {
		raw["manager"] = e.manager
	}
	if e.time != "" {
		raw["time"] = e.time
	}
	if e.subresource != "" {
		raw["subresource"] = e.subresource
	}
	return raw
}

// isOf reports whether two entries are of one manager. An Apply replaces one of another version.
func (e *entry) isOf(f *entry) bool {
	return e.manager == f.manager && e.operation == f.operation && e.subresource == f.subresource &&
		(e.apiVersion == f.apiVersion || e.operation == apply)
}

// compareEntries orders the entries of an object.
func compareEntries(a, b entry) int {
	return cmp.Or(
		cmp.Compare(a.operation, b.operation),
		cmp.Compare(a.time, b.time),
		cmp.Compare(a.manager, b.manager),
		cmp.Compare(a.apiVersion, b.apiVersion),
		cmp.Compare(a.subresource, b.subresource),
	)
}

// stored returns the managedFields of an object.
func stored(obj map[string]any) (list []any, found bool) {
	meta, _ := obj["metadata"].(map[string]any)
	list, found = meta["managedFields"].([]any)
	return list, found
}

// parseAll reads all entries of a list. It returns false if one is not as this package writes it,
// or if two are of one manager.
func parseAll(list []any) ([]entry, bool) {
	entries := make([]entry, 0, len(list)+1)
	for _, v := range list {
		e, ok := parse(v)
		if !ok {
			return nil, false
		}
		for i := range entries {
			if entries[i].isOf(&e) {
				return nil, false
			}
		}
		entries = append(entries, e)
	}
	return entries, true
}

// Canonical reports whether managedFields are as this package writes them, and valid, so that nobody
// has to check them or to encode them anew.
func Canonical(list []any) bool {
	entries, ok := parseAll(list)
	return ok && !slices.ContainsFunc(entries, func(e entry) bool {
		return e.time != "" && !IsTime(e.time) || len(e.manager) > maxManager || len(e.subresource) > maxManager || !isPrintable(e.manager)
	})
}

// IsTime reports whether text is as metav1.Time encodes a time.
func IsTime(text string) bool {
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && timestamp(t) == text
}

// maxManager is the length that the name of a manager may have, in bytes.
const maxManager = 128

// isPrintable reports whether a string has printable ASCII characters only.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// timestamp returns a time as metav1.Time encodes it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
