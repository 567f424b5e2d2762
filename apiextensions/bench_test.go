package apiextensions_test

import (
	"fmt"
	"testing"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

const (
	databaseCRD = "../examples/operator/config/crd/data.example.com_databases.yaml"
	databases   = "/apis/data.example.com/v1/namespaces/default/databases"
)

func database(name string) string {
	return fmt.Sprintf(`{"apiVersion": "data.example.com/v1", "kind": "Database", "metadata": {"name": %q}, "spec": {"className": "fast", "storageGi": 5}}`, name)
}

// BenchmarkStart starts a server with a CRD that was read before, and creates an object.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		server, err := apitest.New(apiextensions.WithCRDs(databaseCRD))
		if err != nil {
			b.Fatal(err)
		}
		if code, answer := send(b, server, "POST", databases, database("a")); code != 201 {
			b.Fatal(answer)
		}
		server.Close()
	}
}

// BenchmarkCreate creates objects without CEL rules, and with a dozen of them.
func BenchmarkCreate(b *testing.B) {
	server := apitest.Start(b, apiextensions.WithCRDs(databaseCRD, "../test/faithful/schemas/testdata/parts.yaml"))
	n := 0
	b.Run("schema", func(b *testing.B) {
		for b.Loop() {
			n++
			if code, answer := send(b, server, "POST", databases, database(fmt.Sprintf("a%d", n))); code != 201 {
				b.Fatal(answer)
			}
		}
	})
	b.Run("rules", func(b *testing.B) {
		for b.Loop() {
			n++
			body := part(fmt.Sprintf("a%d", n), `{"title": "a", "min": 1, "max": 2, "once": "x", "born": "y", "list": [1, 2], "secret": {"name": "n", "key": "k"}}`)
			if code, answer := send(b, server, "POST", parts, body); code != 201 {
				b.Fatal(answer)
			}
		}
	})
}
