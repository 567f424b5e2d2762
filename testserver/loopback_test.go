package testserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestOnlyLocalHostsAreServed sends the requests of a browser that a name of an attacker
// has led to the server.
func TestOnlyLocalHostsAreServed(t *testing.T) {
	t.Parallel()
	address := strings.TrimPrefix(shared.URL(), "http://")
	_, port, _ := net.SplitHostPort(address)
	for host, served := range map[string]bool{
		address:                   true,
		"localhost:" + port:       true,
		"LocalHost":               true,
		"127.0.0.1":               true,
		"127.8.9.10:1":            true,
		"[::1]:" + port:           true,
		"[::1]":                   true,
		"evil.example:" + port:    false,
		"evil.example":            false,
		"localhost.evil.example":  false,
		"127.0.0.1.evil.example":  false,
		"evil.example:127.0.0.1":  false,
		"[::1].evil.example":      false,
		"0.0.0.0:" + port:         false,
		"10.0.0.1:" + port:        false,
		"[::ffff:10.0.0.1]":       false,
		"":                        false,
		strings.Repeat("e", 2000): false,
	} {
		wantAnswer(t, address, "GET /apis/example.com/v1/widgets HTTP/1.1\r\nHost: "+host+"\r\n", served, http.StatusMisdirectedRequest)
	}
	// The host of an absolute URL takes precedence over the header.
	wantAnswer(t, address, "GET http://evil.example/apis/example.com/v1/widgets HTTP/1.1\r\nHost: "+address+"\r\n", false, http.StatusMisdirectedRequest)
}

// TestOnlyLocalPagesAreServed sends what a page of another site can have a browser send.
func TestOnlyLocalPagesAreServed(t *testing.T) {
	t.Parallel()
	address := strings.TrimPrefix(shared.URL(), "http://")
	const watch = "GET /apis/example.com/v1/widgets?watch=1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"forged"},"spec":{"size":1}}`
	create := fmt.Sprintf("POST /apis/example.com/v1/namespaces/default/widgets?dryRun=All HTTP/1.1\r\nContent-Length: %d\r\n", len(body))
	for origin, served := range map[string]bool{
		"http://localhost:3000": true,
		"http://127.0.0.1":      true,
		"https://evil.example":  false,
		"http://localhost.evil": false,
		"null":                  false,
		"":                      false,
		"http://%zz":            false,
	} {
		header := "Host: " + address + "\r\nOrigin: " + origin + "\r\n"
		wantAnswer(t, address, "GET /apis/example.com/v1/widgets HTTP/1.1\r\n"+header, served, http.StatusForbidden)
		wantAnswer(t, address, watch+header, served, http.StatusForbidden)
		wantAnswer(t, address, create+header+"\r\n"+body, served, http.StatusForbidden)
	}
}

// wantAnswer sends a request, and wants it to be served or to be refused with a code and a
// message that says why.
func wantAnswer(t *testing.T, address, request string, served bool, refusal int) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !strings.Contains(request, "\r\n\r\n") {
		request += "\r\n"
	}
	if _, err := fmt.Fprint(conn, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.300q: %v", request, err)
	}
	defer response.Body.Close()
	if served {
		if response.StatusCode >= 300 {
			t.Errorf("%.300q is answered %s, want success", request, response.Status)
		}
		return
	}
	var status metav1.Status
	if err := json.NewDecoder(response.Body).Decode(&status); response.StatusCode != refusal || err != nil || len(status.Message) > 1000 || !strings.Contains(status.Message, "authenticates no one") {
		t.Errorf("%.300q is answered %s with %+v, %v", request, response.Status, status, err)
	}
}

// TestListensOnLoopbackOnly names the host, which the system's resolver looks up.
func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	server := start(t, testserver.WithAddress("localhost:0"))
	host, _, err := net.SplitHostPort(strings.TrimPrefix(server.URL(), "http://"))
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s, %v", server.URL(), err)
	}
}

// TestFilesArePrivate looks at the data and the kubeconfig, under a umask that lets all
// users read files.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	server, err := testserver.New(t.Context(), testserver.WithDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.WriteKubeconfig(filepath.Join(dir, "kubeconfig")); err != nil {
		t.Error(err)
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		files++
		return nil
	})
	if err != nil || files < 5 {
		t.Errorf("there are %d files, %v", files, err)
	}
}
