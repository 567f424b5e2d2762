package faithful

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// headers are those of an answer that a client may depend on.
var headers = []string{"Content-Type", "Location", "Allow", "Retry-After", "Warning", "Deprecation", "Etag", "Vary", "Accept-Patch", "X-Content-Type-Options"}

// usual are values of headers that most answers have, and which are not printed.
var usual = map[string]string{"Content-Type": "application/json"}

// mask replaces what differs between two runs of a case.
type mask struct {
	namespace string
	sent      string
	versions  []uint64          // of objects, ascending
	uids      map[string]string // to uid-1, uid-2, …
	made      []*regexp.Regexp  // names from generateName, whose prefix is the first group
	anyOrder  bool              // causes have no order
}

// maxPrefix is how much of generateName is used.
const maxPrefix = 58

var generateName = regexp.MustCompile(`"generateName": ?"([^"]*)"`)

func newMask(p *player) *mask {
	m := &mask{namespace: p.namespace, sent: p.sent.String(), uids: map[string]string{}}
	for _, match := range generateName.FindAllStringSubmatch(m.sent, -1) {
		prefix := match[1][:min(len(match[1]), maxPrefix)]
		m.made = append(m.made, regexp.MustCompile(`(`+regexp.QuoteMeta(prefix)+`)[bcdfghjklmnpqrstvwxz2456789]{5}\b`))
	}
	for _, e := range p.exchanges {
		m.collect(e.tree, "")
		for _, event := range e.events {
			if event.Type != "BOOKMARK" {
				m.collect(event.Object, "")
			}
		}
	}
	slices.Sort(m.versions)
	m.versions = slices.Compact(m.versions)
	return m
}

// collect finds the versions, UIDs and generated names of an answer.
func (m *mask) collect(tree any, key string) {
	switch value := tree.(type) {
	case []any:
		for _, item := range value {
			m.collect(item, "")
		}
	case map[string]any:
		if key == "metadata" {
			m.collectMetadata(value)
		}
		for _, key := range sorted(value) {
			m.collect(value[key], key)
		}
	}
}

func (m *mask) collectMetadata(meta map[string]any) {
	name, _ := meta["name"].(string)
	version, _ := meta["resourceVersion"].(string)
	if number, err := strconv.ParseUint(version, 10, 64); err == nil && name != "" {
		m.versions = append(m.versions, number)
	}
	if uid, ok := meta["uid"].(string); ok && !strings.Contains(m.sent, uid) && m.uids[uid] == "" {
		m.uids[uid] = fmt.Sprintf("uid-%d", len(m.uids)+1)
	}
}

func sorted(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// answer returns an exchange as a script has it.
func (m *mask) answer(e *exchange) string {
	if e.note == "events" {
		return m.eventLines(e)
	}
	if e.note != "" {
		return e.note
	}
	lines := []string{strconv.Itoa(e.code)}
	for _, name := range headers {
		values := slices.Clone(e.header[http.CanonicalHeaderKey(name)])
		slices.Sort(values) // the server has warnings in any order
		for _, value := range values {
			if usual[name] != value {
				if name == "Etag" {
					value = "ETAG"
				}
				lines = append(lines, name+": "+m.text(value))
			}
		}
	}
	switch {
	case e.watch != nil, len(e.body) == 0:
	case e.tree != nil:
		lines = append(lines, indent(m.print(brief(e.tree, e.code))))
	default:
		lines = append(lines, indent(m.text(string(e.body))))
	}
	return strings.Join(lines, "\n")
}

// brief leaves out the fields of a Status that are the same in each.
func brief(tree any, code int) any {
	status, ok := tree.(map[string]any)
	if !ok || status["kind"] != "Status" || status["apiVersion"] != "v1" || status["status"] != "Failure" ||
		status["code"] != json.Number(strconv.Itoa(code)) {
		return tree
	}
	if meta, ok := status["metadata"].(map[string]any); !ok || len(meta) > 0 {
		return tree
	}
	rest := map[string]any{}
	for key, value := range status {
		if !slices.Contains([]string{"kind", "apiVersion", "status", "code", "metadata"}, key) {
			rest[key] = value
		}
	}
	return map[string]any{"Failure": rest}
}

func (m *mask) eventLines(e *exchange) string {
	lines := []string{"events"}
	for _, event := range e.events {
		lines = append(lines, indent(m.print([]any{map[string]any{event.Type: event.Object}})))
	}
	if e.ended {
		lines = append(lines, "\t- END")
	}
	return strings.Join(lines, "\n")
}

func indent(text string) string {
	text = strings.TrimRight(text, "\n")
	return "\t" + strings.ReplaceAll(text, "\n", "\n\t")
}

func (m *mask) print(tree any) string {
	out, err := yaml.Marshal(m.tree(tree, ""))
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// tree returns a masked copy.
func (m *mask) tree(tree any, key string) any {
	switch value := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, field := range value {
			out[m.text(key)] = m.tree(field, key)
		}
		if meta, ok := out["metadata"].(map[string]any); ok && meta["name"] == nil {
			m.collection(value, meta)
		}
		m.sort(out)
		return out
	case []any:
		if key == "managedFields" {
			return m.managedFields(value)
		}
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = m.tree(item, key)
		}
		return out
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		float, _ := value.Float64()
		return float
	case string:
		return m.leaf(value, key)
	}
	return tree
}

func (m *mask) leaf(value, key string) string {
	switch {
	case strings.Contains(m.sent, `"`+value+`"`):
		return m.text(value)
	case key == "resourceVersion":
		return m.version(value)
	case key == "serverAddress":
		return "ADDRESS"
	case key == "cells" && regexp.MustCompile(`^\d+s$`).MatchString(value):
		return "AGE"
	}
	return m.text(value)
}

// collection masks the metadata of a list or a bookmark, whose version is that of no object.
func (m *mask) collection(original, meta map[string]any) {
	from, _ := original["metadata"].(map[string]any)
	if version, ok := from["resourceVersion"].(string); ok {
		meta["resourceVersion"] = m.since(version)
	}
	if token, ok := from["continue"].(string); ok && token != "" {
		meta["continue"] = m.token(token)
	}
}

// sort sorts what has no order.
func (m *mask) sort(object map[string]any) {
	by := func(list any, field string) {
		items, _ := list.([]any)
		slices.SortStableFunc(items, func(a, b any) int {
			return strings.Compare(fmt.Sprint(a.(map[string]any)[field]), fmt.Sprint(b.(map[string]any)[field]))
		})
	}
	switch object["kind"] {
	case "APIResourceList":
		by(object["resources"], "name")
	case "APIGroupList":
		object["groups"] = only(object["groups"], func(item map[string]any) bool { return item["name"] == group })
	case "APIGroupDiscoveryList":
		object["items"] = only(object["items"], func(item map[string]any) bool {
			meta, _ := item["metadata"].(map[string]any)
			return meta["name"] == group
		})
	}
	if resources, ok := object["resources"]; ok && object["freshness"] != nil {
		by(resources, "resource")
	}
	by(object["subresources"], "subresource")
	if !m.anyOrder {
		return
	}
	by(object["causes"], "field")
	if message, ok := object["message"].(string); ok {
		parts := strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune("\n,[]", r) })
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		slices.Sort(parts)
		object["message"] = strings.Join(parts, " | ")
	}
}

// only returns the items that are kept.
func only(list any, keep func(map[string]any) bool) []any {
	items, _ := list.([]any)
	return slices.DeleteFunc(items, func(item any) bool {
		object, ok := item.(map[string]any)
		return !ok || !keep(object)
	})
}

// managedFields prints the entries of managedFields.
func (m *mask) managedFields(entries []any) []any {
	out := make([]string, len(entries))
	for i, entry := range entries {
		fields, ok := entry.(map[string]any)
		if !ok {
			out[i] = fmt.Sprint(entry)
			continue
		}
		encoded, _ := json.Marshal(fields["fieldsV1"])
		line := fmt.Sprintf("%v %v %v", fields["manager"], fields["operation"], fields["apiVersion"])
		if sub, ok := fields["subresource"]; ok {
			line += fmt.Sprintf(" subresource %v", sub)
		}
		if kind := fields["fieldsType"]; kind != "FieldsV1" {
			line += fmt.Sprintf(" fieldsType %v", kind)
		}
		if _, ok := fields["time"]; !ok {
			line += " without time"
		}
		out[i] = line + ": " + m.text(string(encoded))
	}
	slices.Sort(out) // they are ordered by time, among others
	lines := make([]any, len(out))
	for i, line := range out {
		lines[i] = line
	}
	return lines
}

// version names the version of an object.
func (m *mask) version(value string) string {
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number == 0 {
		return value
	}
	if i, ok := slices.BinarySearch(m.versions, number); ok {
		return fmt.Sprintf("v%d", i+1)
	}
	return m.since(value)
}

// since names a version by the newest of an object that is not newer.
func (m *mask) since(value string) string {
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number == 0 {
		return value
	}
	i, found := slices.BinarySearch(m.versions, number)
	if found {
		i++
	}
	return fmt.Sprintf("v%d+", i)
}

func (m *mask) token(value string) string {
	decoded, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return "TOKEN " + value
	}
	var token struct {
		APIVersion string `json:"v"`
		Version    int64  `json:"rv"`
		Start      string `json:"start"`
	}
	if err := json.Unmarshal(decoded, &token); err != nil || token.APIVersion != "meta.k8s.io/v1" {
		return "TOKEN " + value
	}
	version := m.since(strconv.FormatInt(token.Version, 10))
	if token.Version < 0 {
		version = strconv.FormatInt(token.Version, 10)
	}
	return fmt.Sprintf("TOKEN %s start=%s", version, strings.ReplaceAll(m.text(token.Start), "\x00", `\0`))
}

// versionInText finds the versions in messages. The words before each are the first group.
var versionInText = regexp.MustCompile(`("resourceVersion\\*":\\*"|resourceVersion: "|resource version: \d+ \(|resource version: |current: |ResourceVersion in record \(|ResourceVersion in precondition: |ResourceVersion in object meta: )(\d+)`)

// long finds candidates for $repeat.
var long = regexp.MustCompile(`a{50,}|x{50,}`)

// timeInText finds times in messages.
var timeInText = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// text masks what is part of a longer text.
func (m *mask) text(value string) string {
	value = strings.ReplaceAll(value, m.namespace, "NS")
	for uid, masked := range m.uids {
		value = strings.ReplaceAll(value, uid, masked)
	}
	for _, name := range m.made {
		value = name.ReplaceAllString(value, "${1}RANDOM")
	}
	value = long.ReplaceAllStringFunc(value, func(match string) string {
		return fmt.Sprintf("$repeat(%s,%d)", match[:1], len(match))
	})
	value = timeInText.ReplaceAllStringFunc(value, func(match string) string {
		if strings.Contains(m.sent, match) {
			return match
		}
		return "TIME"
	})
	return versionInText.ReplaceAllStringFunc(value, func(match string) string {
		parts := versionInText.FindStringSubmatch(match)
		if len(parts[2]) > 6 && strings.Contains(m.sent, "="+parts[2]) { // made up, to be in the future
			return match
		}
		if parts[1] == "current: " {
			return parts[1] + m.since(parts[2])
		}
		return parts[1] + m.version(parts[2])
	})
}
