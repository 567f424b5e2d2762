package writes_test

import (
	"fmt"
	"log"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// audit prints the writes of a program.
type audit struct{}

func (audit) Wrote(write writes.Write) {
	fmt.Println(write.Object.Kind, write.Object.Name, "gone:", write.Gone)
}

// An Observer sees the writes of all clients that have its transport. Informers use it with the option
// cache.WithReadYourWrites; other code subscribes by itself.
func ExampleObserver() {
	server, err := apitest.New()
	if err != nil {
		log.Fatal(err)
	}
	own := &writes.Observer{}
	client := &http.Client{Transport: own.Transport(server)} // config.Wrap(own.Transport) of a rest.Config
	cancel := own.Subscribe(server.URL(), schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, audit{})
	defer cancel()

	url := server.URL() + "/api/v1/namespaces/team-a/configmaps"
	response, err := client.Post(url, "application/json", strings.NewReader(`{"metadata": {"name": "settings"}}`))
	if err != nil {
		log.Fatal(err)
	}
	response.Body.Close()
	// Output:
	// ConfigMap settings gone: false
}
