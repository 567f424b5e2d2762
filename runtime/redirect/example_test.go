package redirect_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// A client that adds credentials to its requests does not send them to a host that the server chooses.
func ExampleRefuse() {
	server := httptest.NewServer(http.RedirectHandler("https://elsewhere.example.com", http.StatusFound))
	defer server.Close()

	client := redirect.Refuse(server.Client())
	response, err := client.Get(server.URL)
	if redirect.Is(err) {
		fmt.Println("not followed")
		return
	} else if err != nil {
		log.Fatal(err)
	}
	response.Body.Close()
	// Output:
	// not followed
}
