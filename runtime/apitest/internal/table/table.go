// Package table prints objects as rows of a Table of meta.k8s.io, and reduces them to their metadata.
// Its functions are pure. They share the parts of objects, and change none.
package table

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Column is a column besides the name.
type Column struct {
	Name, Type, Format, Description, JSONPath string
	Priority                                  int32
}

// ageColumn is the column of kinds that have none of their own.
var ageColumn = Column{Name: "Age", Type: "date", Description: fieldDoc["creationTimestamp"], JSONPath: ".metadata.creationTimestamp"}

var fieldDoc = metav1.ObjectMeta{}.SwaggerDoc()

// Printer prints the objects of a kind.
type Printer struct {
	headers []metav1.TableColumnDefinition // with that of the name
	paths   []path
}

// New returns a Printer for columns. Without columns, it prints the name and the age. The error names
// a column whose path cannot be read.
func New(columns []Column) (*Printer, error) {
	if len(columns) == 0 {
		columns = []Column{ageColumn}
	}
	p := &Printer{headers: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: fieldDoc["name"]},
	}}
	for _, column := range columns {
		parsed, err := parse(column.JSONPath)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", column.Name, err)
		}
		description := column.Description
		if description == "" {
			description = "Custom resource definition column (in JSONPath format): " + column.JSONPath
		}
		p.paths = append(p.paths, parsed)
		p.headers = append(p.headers, metav1.TableColumnDefinition{
			Name: column.Name, Type: column.Type, Format: column.Format, Description: description, Priority: column.Priority,
		})
	}
	return p, nil
}

// Options are those of a request for a Table.
type Options struct {
	// Version of meta.k8s.io: v1 or v1beta1.
	Version string
	// Include is what each row has of its object. Empty means the metadata.
	Include metav1.IncludeObjectPolicy
	// WithoutHeaders leaves the column definitions out, as all events of a watch do after the first.
	WithoutHeaders bool
	// Now is the time from which ages are counted.
	Now time.Time
}

// Table prints objects. It leaves the metadata of the list to the caller.
func (p *Printer) Table(objects []map[string]any, options Options) *metav1.Table {
	table := &metav1.Table{
		TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/" + options.Version},
		Rows:     make([]metav1.TableRow, 0, len(objects)),
	}
	if !options.WithoutHeaders {
		table.ColumnDefinitions = p.headers
	}
	for _, object := range objects {
		row := metav1.TableRow{Cells: p.cells(object, options.Now)}
		switch {
		case options.Include == metav1.IncludeObject:
			row.Object = extension(object)
		case options.Include != metav1.IncludeNone || endsInitialEvents(object):
			row.Object = extension(Metadata(object, options.Version))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// endsInitialEvents reports whether an object is the bookmark that ends a streaming list. A client needs
// its metadata to see that.
func endsInitialEvents(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	return annotations[metav1.InitialEventsAnnotationKey] == "true"
}

func extension(object map[string]any) runtime.RawExtension {
	return runtime.RawExtension{Object: &unstructured.Unstructured{Object: object}}
}

// Metadata returns the PartialObjectMetadata of an object, in a version of meta.k8s.io. It shares the
// metadata.
func Metadata(object map[string]any, version string) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/" + version, "metadata": metadata}
}

func (p *Printer) cells(object map[string]any, now time.Time) []any {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	cells := make([]any, 1, 1+len(p.paths))
	cells[0] = name
	for i, path := range p.paths {
		found, err := path.find(object)
		if err != nil || len(found) == 0 {
			cells = append(cells, nil)
			continue
		}
		cells = append(cells, cell(p.headers[i+1].Type, found[0], now))
	}
	return cells
}

// cell converts a value to the type of its column, or to nil if it has another type. Columns of type
// string show any value.
func cell(columnType string, value any, now time.Time) any {
	switch columnType {
	case "string":
		return text(value)
	case "integer":
		switch value := value.(type) {
		case int64:
			return value
		case float64:
			return int64(value)
		}
	case "number":
		switch value := value.(type) {
		case int64:
			return float64(value)
		case float64:
			return value
		}
	case "boolean":
		if value, ok := value.(bool); ok {
			return value
		}
	case "date":
		if value, ok := value.(string); ok {
			return age(value, now)
		}
	}
	return nil
}

// text prints a value as kubectl prints a JSONPath.
func text(value any) any {
	switch value := value.(type) {
	case nil:
		return "<no value>"
	case string:
		return value
	case map[string]any, []any:
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		return string(encoded)
	}
	return fmt.Sprint(value)
}

// age is the time since a timestamp, as kubectl prints it.
func age(timestamp string, now time.Time) string {
	if timestamp == "" || timestamp == "null" {
		return "<unknown>"
	}
	t, err := time.Parse(time.RFC3339, timestamp)
	switch {
	case err != nil:
		return "<invalid>"
	case t.IsZero():
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t))
}
