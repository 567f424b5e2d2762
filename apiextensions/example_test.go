package apiextensions_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

// The in-memory server validates objects as the CRDs of a project say. In a test: apitest.Start(t, options…).
func ExampleWithCRDs() {
	dir := newCRDs() // config/crd/bases of a kubebuilder project
	defer os.RemoveAll(dir)
	server, err := apitest.New(apiextensions.WithCRDs(dir))
	if err != nil {
		log.Fatal(err)
	}

	client := &http.Client{Transport: server}
	for _, replicas := range []string{"3", "-1"} {
		foo := `{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "web"}, "spec": {"replicas": ` + replicas + `}}`
		response, err := client.Post(server.URL()+"/apis/example.com/v1/namespaces/team-a/foos", "application/json", strings.NewReader(foo))
		if err != nil {
			log.Fatal(err)
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			log.Fatal(err)
		}
		fmt.Println(replicas, response.Status)
	}
	// Output:
	// 3 201 Created
	// -1 422 Unprocessable Entity
}

// newCRDs returns a new folder with a CRD.
func newCRDs() string {
	dir, err := os.MkdirTemp("", "crds")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "foos.yaml"), []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, listKind: FooList, plural: foos, singular: foo}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 0}
`), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
	return dir
}
