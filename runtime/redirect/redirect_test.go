package redirect_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// withToken adds a token to each request, as the transports of client-go do.
type withToken struct{ next http.RoundTripper }

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	return t.next.RoundTrip(r)
}

// listener counts the requests that it is sent.
func listener(t *testing.T, start func(http.Handler) *httptest.Server) (server *httptest.Server, requests *int) {
	t.Helper()
	requests = new(int)
	server = start(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { *requests++ }))
	t.Cleanup(server.Close)
	return server, requests
}

// TestRefuse redirects from one server to another, with each status that redirects.
func TestRefuse(t *testing.T) {
	plain, plainRequests := listener(t, httptest.NewServer)
	secure, secureRequests := listener(t, httptest.NewTLSServer)
	port := plain.URL[strings.LastIndex(plain.URL, ":"):]
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		for _, to := range []string{plain.URL, secure.URL, "//" + plain.Listener.Addr().String(), "http://localhost" + port, "https:opaque", "http://user:word@" + plain.Listener.Addr().String()} {
			server := httptest.NewTLSServer(http.RedirectHandler(to, code))
			client := server.Client()
			transport := client.Transport.(*http.Transport).Clone()
			transport.TLSClientConfig.InsecureSkipVerify = true
			client.Transport = withToken{transport}
			response, err := redirect.Refuse(client).Get(server.URL)
			if response != nil {
				_ = response.Body.Close()
			}
			refused := (*redirect.Error)(nil)
			if !errors.As(err, &refused) || !redirect.Is(err) || refused.From != server.URL || !strings.Contains(err.Error(), refused.To) {
				t.Errorf("%d to %s ends with %v", code, to, err)
			}
			transport.CloseIdleConnections()
			server.Close()
		}
	}
	if *plainRequests != 0 || *secureRequests != 0 {
		t.Errorf("the other hosts were sent %d and %d requests", *plainRequests, *secureRequests)
	}
}

// TestRefuseFollowsTheSameHost redirects within a server, and through it to another one.
func TestRefuseFollowsTheSameHost(t *testing.T) {
	other, requests := listener(t, httptest.NewServer)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/end", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the end") })
	mux.Handle("/relative", http.RedirectHandler("end", http.StatusFound))
	mux.Handle("/absolute", http.RedirectHandler(strings.Replace(server.URL, "http:", "HTTP:", 1)+"/end", http.StatusPermanentRedirect))
	mux.Handle("/out", http.RedirectHandler("/out/2", http.StatusFound))
	mux.Handle("/out/2", http.RedirectHandler(other.URL, http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	client := redirect.Refuse(server.Client())
	for _, path := range []string{"/relative", "/absolute"} {
		response, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(response.Body); string(body) != "the end" || err != nil {
			t.Errorf("%s ends with %q, %v", path, body, err)
		}
		_ = response.Body.Close()
	}
	if _, err := client.Get(server.URL + "/out"); !redirect.Is(err) || *requests != 0 {
		t.Errorf("the second redirect ends with %v, the other host was sent %d requests", err, *requests)
	}
	if _, err := client.Get(server.URL + "/loop"); err == nil || redirect.Is(err) || !strings.Contains(err.Error(), "stopped after 10 redirects") {
		t.Errorf("a loop ends with %v", err)
	}
}

// TestRefuseKeepsCheckRedirect asks the client's own function about the others.
func TestRefuseKeepsCheckRedirect(t *testing.T) {
	mine := errors.New("mine")
	asked := 0
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { asked++; return mine }}
	to := "/there"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }))
	defer server.Close()
	if _, err := redirect.Refuse(client).Get(server.URL); !errors.Is(err, mine) || asked != 1 {
		t.Errorf("within a host the error is %v, its CheckRedirect was called %d times", err, asked)
	}
	to = "http://elsewhere.invalid/"
	if _, err := redirect.Refuse(client).Get(server.URL); !redirect.Is(err) || asked != 1 {
		t.Errorf("to another host the error is %v, its CheckRedirect was called %d times", err, asked)
	}
	if client.CheckRedirect(nil, nil) != mine {
		t.Error("Refuse has changed its argument")
	}
}

// TestErrorIsBounded has the server name a long host with an escape sequence of terminals.
func TestErrorIsBounded(t *testing.T) {
	text := (&redirect.Error{From: "https://api:6443", To: "https://\x1b[2J\n" + strings.Repeat("x", 1<<20)}).Error()
	if len(text) > 600 || strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("the error has %d bytes: %.300q", len(text), text)
	}
}

func TestDefaultPorts(t *testing.T) {
	for from, hosts := range map[string]map[string]bool{
		"https://api.example.com":    {"https://api.example.com:443/": true, "https://API.example.com/": true, "https://api.example.com:6443/": false, "http://api.example.com/": false, "http://api.example.com:443/": false, "https://api.example.com.evil.example/": false, "https://api.example.com@evil.example/": false, "https://api.example.com./": false},
		"https://kube.example":       {"https://KUBE.example:/": true, "https://\u212aube.example": false},
		"https://[::1]:6443":         {"https://[::1]:6443/x": true, "https://[::1]/": false},
		"http://api.example.com:80/": {"http://api.example.com/": true, "https://api.example.com:80/": false},
	} {
		for to, want := range hosts {
			request, _ := http.NewRequest(http.MethodGet, to, nil)
			first, _ := http.NewRequest(http.MethodGet, from, nil)
			if err := redirect.Refuse(nil).CheckRedirect(request, []*http.Request{first}); (err == nil) != want {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
}
