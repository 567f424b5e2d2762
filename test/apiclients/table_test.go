package apiclients

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// paths are JSONPaths of columns, good and bad.
var paths = []string{
	".metadata.name", ".metadata.creationTimestamp", ".spec.replicas", ".spec.ratio", ".spec.big", ".spec.on", ".spec.missing.deeper", ".spec",
	".spec.name", ".spec.empty", ".spec.nothing", ".spec.list", ".spec.list[0]", ".spec.list[-1]", ".spec.list[7]", ".spec.list[-7]", ".spec.list[1:]",
	".spec.list[1:1]", ".spec.list[2:1]", ".spec.list[:2]", ".spec.list[*]", ".spec.list[::2]", ".spec.list[::-1]", ".spec.list[::0]", ".spec.list[0,2]",
	".spec.list[0, 2]", ".spec.list[-3:-1]", ".spec.list[0:0]", ".spec.list[:]", ".spec.list[1:9]", ".spec.replicas[0]", ".spec.nothing[0]", ".spec.none[0]",
	`.metadata.annotations.example\.com/a`, `.metadata.annotations['example.com/a']`, `.metadata.annotations['example\.com/a']`, ".metadata.labels['a-b']",
	`.metadata.labels["a-b"]`, ".spec.objects[*].name", ".spec.objects[0].name", ".spec.objects.name", ".spec.map.*", ".spec.map.a", ".spec.one.*", ".spec.name.*",
	`.status.conditions[?(@.type=="Ready")].status`, `.status.conditions[?(@.type=='Ready')].status`, `.status.conditions[?(@.type == "Ready")].status`,
	`.status.conditions[?(@.type!="Ready")].status`, `.status.conditions[?(@.generation>1)].type`, `.status.conditions[?(@.generation>=2)].type`,
	`.status.conditions[?(@.generation<2)].type`, `.status.conditions[?(@.generation<=2)].type`, `.status.conditions[?(@.generation==1)].type`,
	`.status.conditions[?(@.generation==1.0)].type`, `.status.conditions[?(@.generation=="1")].type`, `.status.conditions[?(@.missing=="x")].type`,
	`.status.conditions[?(@.last==true)].type`, `.status.conditions[?(@.last!=true)].type`, `.status.conditions[?(@.last<true)].type`, `.status.conditions[?(@.last)].type`,
	`.status.conditions[?(@.type=~"R.*")].type`, `.status.conditions[?(@.type=="a)b")].status`, `.status.conditions[?(@.type=="Ready")]`, `.status.conditions[?(@.type)].type`,
	`.status.conditions[?(@.ratio>0.5)].type`, `.status.conditions[?(@.type==@.type)].type`, `.status.conditions[?(@.type==Ready)].type`, `.spec[?(@.type=="Ready")]`,
	`.spec.nothing[?(@.a=="b")]`, `.spec.list[?(@=="b")]`, `.spec.list[?(@.a)]`, "..name", "..replicas", ".spec..name", "..", ".spec..", "...name", ".", ".*", ".spec.*", "",
	"spec.replicas", "$.spec.replicas", "@.spec.replicas", ".spec.replicas ", ".spec .replicas", ".spec['replicas']", ".['spec'].replicas", "['spec']['replicas']",
	".spec[", ".spec]", ".spec.list[a]", ".spec.list[1.5]", ".spec.list['0']", ".spec.list[", ".spec.list[]", `.status.conditions[?(@.type=="Ready")`, `.status.conditions[?(`,
	"true", "false", "word", "12", "-1.5", `"quoted"`, `'quoted'`, `"un`, "+", "#", ".a#b", ".spec.replicas}", "}", "{.spec}", `.spec.na\me`, `.spec.list[0][0]`, ".spec.text[0]", ".spec.text.*",
	".metadata.managedFields[0].manager", ".spec.time", ".spec.bad_time", ".spec.zero", ".spec.long",
}

const tableObject = `{"apiVersion": "example.com/v1", "kind": "Tabled", "metadata": {"name": "one", "namespace": "a", "creationTimestamp": "1999-12-31T23:00:00Z",
	"annotations": {"example.com/a": "dotted"}, "labels": {"a-b": "dashed"}},
	"spec": {"replicas": 3, "ratio": 1.5, "big": 12345678901234, "on": true, "name": "text", "empty": "", "nothing": null, "list": ["a", "b", "c"], "none": [],
		"objects": [{"name": "x"}, {"name": "y", "replicas": 7}], "map": {"b": 2, "a": 1}, "one": {"a": 1}, "text": "word",
		"time": "1999-12-31T12:00:00Z", "bad_time": "yesterday", "zero": 0, "long": "1999-12-31T23:59:59.5+01:00"},
	"status": {"conditions": [{"type": "Ready", "status": "True", "generation": 2, "last": false, "ratio": 0.25}, {"type": "a)b", "status": "False", "generation": 1, "last": true, "ratio": 0.75}]}}`

// randomOrder are paths for which the API server returns one of several fields by chance.
var randomOrder = map[string]bool{"..name": true, ".*": true, ".spec.*": true, ".spec.map.*": true, "..": true, "...name": true, ".spec..name": true, "..replicas": true, ".spec..": true}

// TestTablesAreThoseOfTheAPIServer prints an object with each path as a column of each type, by the code of the API server of
// custom resources and by apitest.
func TestTablesAreThoseOfTheAPIServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON([]byte(tableObject)); err != nil {
			t.Fatal(err)
		}
		compared, refused := 0, 0
		for _, path := range paths {
			for _, columnType := range []string{"string", "integer", "number", "boolean", "date"} {
				column := apitest.Column{Name: "Column", Type: columnType, Format: "format", JSONPath: path, Priority: 1}
				convertor, badPath := tableconvertor.New([]apiextensionsv1.CustomResourceColumnDefinition{{Name: column.Name, Type: column.Type, Format: column.Format, JSONPath: column.JSONPath, Priority: 1}})
				kind := widget("v1")
				kind.Kind, kind.Resource, kind.Columns = "Tabled", "tabled", []apitest.Column{column}
				server, err := apitest.New(apitest.WithKinds(kind))
				if err != nil {
					t.Fatal(err)
				}
				object.SetUID("uid")
				object.SetGeneration(1)
				if err := server.Add(&object); err != nil {
					t.Fatal(err)
				}
				object.SetResourceVersion("2")
				got, err := tableOf(t, server, "")
				if (err != nil) != (badPath != nil) {
					t.Errorf("path %q: error %v, want %v", path, err, badPath)
				}
				if err != nil {
					refused++
					continue
				}
				if randomOrder[path] {
					continue
				}
				want, err := convertor.ConvertToTable(t.Context(), &object, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.ColumnDefinitions, want.ColumnDefinitions) {
					t.Errorf("path %q: columns %v, want %v", path, got.ColumnDefinitions, want.ColumnDefinitions)
				}
				if gotCells, wantCells := cells(t, got), cells(t, want); gotCells != wantCells {
					t.Errorf("path %q as %s: %s, want %s", path, columnType, gotCells, wantCells)
				}
				compared++
			}
		}
		t.Logf("compared %d columns, and %d were refused by both", compared, refused)
		if compared < 400 || refused < 50 {
			t.Error("too few columns were compared")
		}
	})
}

func cells(t *testing.T, table *metav1.Table) string {
	t.Helper()
	encoded, err := json.Marshal(table.Rows[0].Cells)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// tableOf lists Tabled objects as a Table.
func tableOf(t *testing.T, server *apitest.Server, include string) (*metav1.Table, error) {
	t.Helper()
	config := configOf(server)
	config.NegotiatedSerializer = scheme.Codecs
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request := client.Get().AbsPath("/apis/example.com/v1/namespaces/a/tabled").SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json")
	if include != "" {
		request.Param("includeObject", include)
	}
	body, err := request.Do(context.Background()).Raw()
	if err != nil {
		return nil, err
	}
	table := &metav1.Table{}
	return table, json.Unmarshal(body, table)
}

func TestTableRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind := widget("v1")
		kind.Kind, kind.Resource = "Tabled", "tabled"
		server := apitest.Start(t, apitest.WithKinds(kind))
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON([]byte(tableObject)); err != nil {
			t.Fatal(err)
		}
		object.SetCreationTimestamp(metav1.Time{})
		if err := server.Add(&object); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Hour)
		for include, want := range map[string]string{"": "PartialObjectMetadata", "Metadata": "PartialObjectMetadata", "Object": "Tabled", "None": ""} {
			table, err := tableOf(t, server, include)
			if err != nil {
				t.Fatal(err)
			}
			if table.Kind != "Table" || table.APIVersion != "meta.k8s.io/v1" || table.ResourceVersion != "2" || len(table.Rows) != 1 {
				t.Errorf("table %+v", table)
			}
			if got := fmt.Sprint(table.Rows[0].Cells); got != "[one 3h]" {
				t.Errorf("cells %s", got)
			}
			if got := string(table.Rows[0].Object.Raw); !strings.Contains(got, want) || strings.Contains(got, "replicas") != (include == "Object") {
				t.Errorf("includeObject=%s has %s", include, got)
			}
		}
		table, err := tableOf(t, server, "")
		if err != nil {
			t.Fatal(err)
		}
		if names := fmt.Sprint(table.ColumnDefinitions); !strings.Contains(names, "{Name string name Name must be unique") || !strings.Contains(names, "{Age date") {
			t.Errorf("columns %s", names)
		}
	})
}
