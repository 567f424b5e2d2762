package fields

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// marker has the rules that the doc comments of a type or a field give by +structType, +mapType, +listType,
// +listMapKey and +default.
type marker struct {
	atomic   bool     // a struct, map or list that is one value
	granular bool     // a struct of an atomic type that is not one value in this field
	set      bool     // a list of different scalars
	keys     []string // a list that is merged by these fields of its elements
	initial  *string  // the default, which is known only for fields that are keys
}

//go:embed markers.txt
var markerTable string

var markers = sync.OnceValue(func() map[string]marker {
	found := map[string]marker{}
	for line := range strings.Lines(markerTable) {
		row := strings.Fields(line)
		if len(row) == 0 || row[0] == "#" {
			continue
		}
		var m marker
		switch row[2] {
		case "atomic":
			m.atomic = true
		case "granular":
			m.granular = true
		case "set":
			m.set = true
		case "by":
			m.keys = strings.Split(row[3], ",")
		case "default":
			initial := strings.Join(row[3:], " ")
			m.initial = &initial
		default:
			panic(fmt.Sprintf("fields: marker %q in %q", row[2], line))
		}
		found[row[0]+" "+row[1]] = m
	}
	return found
})

// markerOf returns the markers of a type, or of its field if that is not empty.
func markerOf(pkgPath, typeName, field string) marker {
	path, ok := strings.CutPrefix(pkgPath, "k8s.io/api/")
	if !ok {
		if path, ok = strings.CutPrefix(pkgPath, "k8s.io/apimachinery/pkg/apis/"); !ok {
			return marker{}
		}
	}
	name := typeName
	if field != "" {
		name += "." + field
	}
	if m, ok := markers()[path+" "+name]; ok {
		return m
	}
	group, _, _ := strings.Cut(path, "/")
	return markers()[group+" "+name]
}
