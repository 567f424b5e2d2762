package e2e

import (
	"net/http"
	"testing"

	"github.com/typedinformers/informer-gen/test/faults"
)

// TestProxyKeepsTheHost sends a request with the name of another host through a proxy of package
// faults. The server refuses it, so a proxy in front of it does not open it to web pages.
func TestProxyKeepsTheHost(t *testing.T) {
	t.Parallel()
	proxy, err := faults.Start(shared.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Stop()
	for host, want := range map[string]int{
		"":             http.StatusOK, // the address of the proxy
		"localhost":    http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL()+"/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("host %q is answered %s, want %d", host, response.Status, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
