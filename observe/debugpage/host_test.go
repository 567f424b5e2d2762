package debugpage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHosts sends the requests of a browser in which a web page has let its name resolve to a loopback address.
func TestHosts(t *testing.T) {
	server := httptest.NewServer(New(some(), WithAllowedHosts("Proxy.example")))
	defer server.Close()
	address := server.Listener.Addr().String()
	for host, served := range map[string]bool{
		address: true, "localhost": true, "LocalHost:8080": true, "127.8.9.10:1": true, "[::1]": true, "[::1]:8080": true,
		"[::ffff:127.0.0.1]": true, "proxy.EXAMPLE:8080": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"evil.example:127.0.0.1": false, "[::1].evil.example": false, "0.0.0.0": false, "10.0.0.1": false, "[::ffff:10.0.0.1]": false,
		"a.proxy.example": false, "": false, strings.Repeat("e", 2000): false,
	} {
		for _, query := range []string{"?format=text", "?format=json", "?format=html", "?asset=page.js"} {
			wantServed(t, address, "GET /"+query+" HTTP/1.1\r\nHost: "+host+"\r\n", served)
		}
	}
	// The host of an absolute URL takes precedence over the header.
	wantServed(t, address, "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n", false)
	wantServed(t, address, "GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost\r\n", false)
	wantServed(t, address, "GET / HTTP/1.0\r\n", false)
}

func wantServed(t *testing.T, address, request string, served bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprint(conn, request+"\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	refused := response.StatusCode == http.StatusMisdirectedRequest && len(text) < 1000 && strings.Contains(string(text), "WithAllowedHosts")
	if served && response.StatusCode != http.StatusOK || !served && !refused {
		t.Errorf("%.200q is answered %s: %.300s", request, response.Status, text)
	}
}

// TestHostsByLocalAddress has the local addresses of a pod and of a socket, and none.
func TestHostsByLocalAddress(t *testing.T) {
	h := New(some())
	for _, test := range []struct {
		local  any
		client string
		served bool
	}{
		{&net.TCPAddr{IP: net.ParseIP("10.1.2.3")}, "127.0.0.1:999", true},
		{&net.TCPAddr{IP: net.ParseIP("fd00::1")}, "127.0.0.1:999", true},
		{&net.UnixAddr{Name: "/run/page.sock", Net: "unix"}, "127.0.0.1:999", true},
		{&net.TCPAddr{IP: net.ParseIP("127.0.0.1")}, "127.0.0.1:999", false},
		{&net.TCPAddr{IP: net.ParseIP("::1")}, "127.0.0.1:999", false},
		{&net.TCPAddr{IP: net.ParseIP("::ffff:127.0.0.1")}, "127.0.0.1:999", false},
		{nil, "127.0.0.1:999", false},
		{nil, "[::1]:999", false},
		{nil, "", false},
		{nil, "192.0.2.1:1234", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, test.local))
		r.Host, r.RemoteAddr = "service.example", test.client
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if served := w.Code == http.StatusOK; served != test.served {
			t.Errorf("at %v the code is %d", test.local, w.Code)
		}
	}
}
