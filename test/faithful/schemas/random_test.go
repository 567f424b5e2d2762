package schemas

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

var (
	objects = flag.Int("objects", 200, "how many random objects of each kind are compared")
	seed    = flag.Uint64("seed", 1, "the seed of the random objects")
)

// TestRandomObjects creates and changes random objects in both servers. In each answer, the object or the
// errors have to be the same.
func TestRandomObjects(t *testing.T) {
	paths := []string{"testdata/parts.yaml", "testdata/shapes.yaml", "testdata/moved.yaml"}
	if *crds != "" {
		paths = strings.Split(*crds, ",")
	}
	both := start(t, paths...)
	for _, path := range paths {
		definitions, err := testserver.LoadCRDs(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, crd := range definitions {
			t.Run(crd.Name, func(t *testing.T) {
				for i := range *objects {
					if !playRandom(t, both, crd, i) {
						return
					}
				}
			})
		}
	}
	t.Logf("answers by status: %v", both.codes)
	if *crds != "" || *objects < 100 {
		return
	}
	for _, code := range []int{200, 201, 400, 404, 422, 500} {
		if both.codes[code] < *objects/100 {
			t.Errorf("only %d answers have the status %d; make other random objects", both.codes[code], code)
		}
	}
}

// playRandom reports whether the test should go on.
func playRandom(t *testing.T, both *servers, crd *apiextensionsv1.CustomResourceDefinition, number int) bool {
	return t.Run(fmt.Sprint(number), func(t *testing.T) {
		source := rand.New(rand.NewPCG(*seed, uint64(number)))
		r := &generator{Rand: source, wildness: []float64{0, 0.01, 0.03, 0.1}[number%4]}
		both.play(t, lifeOf(r, crd, fmt.Sprintf("a%d", number))...)
	}) || number < 20
}

// lifeOf returns the requests that create and change an object.
func lifeOf(r *generator, crd *apiextensionsv1.CustomResourceDefinition, name string) []request {
	var served []*apiextensionsv1.CustomResourceDefinitionVersion
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Served {
			served = append(served, &crd.Spec.Versions[i])
		}
	}
	pick := func() (*apiextensionsv1.CustomResourceDefinitionVersion, string) {
		version := served[r.IntN(len(served))]
		path := "/apis/" + crd.Spec.Group + "/" + version.Name
		if crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
			path += "/namespaces/default"
		}
		return version, path + "/" + crd.Spec.Names.Plural
	}
	validation := []string{"", "?fieldValidation=Strict", "?fieldValidation=Ignore", "?fieldValidation=Warn"}[r.IntN(4)]
	body := func(version *apiextensionsv1.CustomResourceDefinitionVersion, resourceVersion bool) string {
		object := r.resource(version.Schema.OpenAPIV3Schema)
		metadata := map[string]any{"name": name}
		if resourceVersion {
			metadata["resourceVersion"] = "VERSION"
		}
		object["apiVersion"], object["kind"], object["metadata"] = crd.Spec.Group+"/"+version.Name, crd.Spec.Names.Kind, metadata
		encoded, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		return string(encoded)
	}
	version, path := pick()
	requests := []request{{"POST", path + validation, "", body(version, false)}}
	// The next one is more likely to succeed. If the first one has, it is a conflict.
	wild := r.wildness
	r.wildness = 0
	version, path = pick()
	requests = append(requests, request{"POST", path + validation, "", body(version, false)})
	r.wildness = wild
	for range 3 {
		version, path = pick()
		target := path + "/" + name
		if s := version.Subresources; s != nil && s.Status != nil && r.IntN(2) == 0 {
			target += "/status"
		}
		switch r.IntN(5) {
		case 0, 1:
			requests = append(requests, request{"PUT", target + validation, "", body(version, true)})
		case 2:
			requests = append(requests, request{"PATCH", target + validation, "application/merge-patch+json", body(version, false)})
		default:
			options := fmt.Sprintf("?fieldManager=m%d&force=%v", r.IntN(3), r.IntN(3) > 0)
			requests = append(requests, request{"PATCH", target + options, "application/apply-patch+yaml", body(version, false)})
		}
		_, path = pick()
		requests = append(requests, request{"GET", path + "/" + name, "", ""})
	}
	return append(requests, request{"DELETE", path + "/" + name, "", ""})
}
