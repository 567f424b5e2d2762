package table

import (
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// The paths of all kinds are compared with those of the API server in test/apiclients.
func TestTable(t *testing.T) {
	var object map[string]any
	if err := utiljson.Unmarshal([]byte(`{"metadata": {"name": "one", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"replicas": 3},
		"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Old", "status": "False"}]}}`), &object); err != nil {
		t.Fatal(err)
	}
	printer, err := New([]Column{
		{Name: "Replicas", Type: "integer", JSONPath: ".spec.replicas"},
		{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`},
		{Name: "Wrong type", Type: "boolean", JSONPath: ".spec.replicas"},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Version: "v1", Now: time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		include metav1.IncludeObjectPolicy
		bare    bool
		want    string
	}{
		{"", false, `{"cells":["one",3,"True",null,"120m"],"object":{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":"one"}}}`},
		{metav1.IncludeNone, true, `{"cells":["one",3,"True",null,"120m"],"object":null}`},
	} {
		options.Include, options.WithoutHeaders = test.include, test.bare
		table := printer.Table([]map[string]any{object}, options)
		row, err := json.Marshal(table.Rows[0])
		if err != nil {
			t.Fatal(err)
		}
		if string(row) != test.want {
			t.Errorf("row %s, want %s", row, test.want)
		}
		if columns := len(table.ColumnDefinitions); (columns == 0) != test.bare {
			t.Errorf("%d columns, want some: %t", columns, !test.bare)
		}
	}
}

func TestNewRefusesPaths(t *testing.T) {
	for _, path := range []string{".spec[", ".spec.list[a]", `.a[?(@.b=="c")`, "#", "...a..b["} {
		if _, err := New([]Column{{Name: "Bad", Type: "string", JSONPath: path}}); err == nil {
			t.Errorf("path %q is accepted", path)
		}
	}
}
