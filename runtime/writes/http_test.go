package writes

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOverHTTP compares what callers get of a server with and without a transport, and what the
// informer is told.
func TestOverHTTP(t *testing.T) {
	whole := inJSON(t, object("ConfigMap", "web"))
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	if _, err := zip.Write(whole); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	inJSON := func(w http.ResponseWriter) http.ResponseWriter {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Del("Date")
		w.Header()["Date"] = nil
		return w
	}
	const line = "ConfigMap a/web/ uid-web 7 body"
	for _, test := range []struct {
		name   string
		header http.Header
		answer func(http.ResponseWriter)
		want   string
	}{
		{"length", nil, func(w http.ResponseWriter) { _, _ = inJSON(w).Write(whole) }, line},
		{"chunks and a trailer", nil, func(w http.ResponseWriter) {
			w.Header().Set("Trailer", "Sum")
			for _, b := range whole {
				_, _ = inJSON(w).Write([]byte{b})
				w.(http.Flusher).Flush()
			}
			w.Header().Set("Sum", "7")
		}, line},
		{"compressed for the transport", nil, func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = inJSON(w).Write(zipped.Bytes())
		}, line},
		{"compressed for the caller", http.Header{"Accept-Encoding": {"gzip"}}, func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = inJSON(w).Write(zipped.Bytes())
		}, ""},
		{"cut", nil, func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", fmt.Sprint(len(whole)+1))
			_, _ = inJSON(w).Write(whole)
		}, ""},
		{"aborted", nil, func(w http.ResponseWriter) {
			_, _ = inJSON(w).Write(whole)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, ""},
		{"no content", nil, func(w http.ResponseWriter) { inJSON(w).WriteHeader(http.StatusNoContent) }, ""},
	} {
		for _, version := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s HTTP/%d", test.name, version), func(t *testing.T) {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.ProtoMajor != version {
						t.Errorf("the request is %s", r.Proto)
					}
					test.answer(w)
				}))
				server.EnableHTTP2 = version == 2
				server.StartTLS()
				defer server.Close()

				var own Observer
				told := &recorder{}
				own.Subscribe(server.URL, configMaps, told)
				var got []string
				for _, wrap := range []func(http.RoundTripper) http.RoundTripper{func(next http.RoundTripper) http.RoundTripper { return next }, own.Transport} {
					client := &http.Client{Transport: wrap(server.Client().Transport.(*http.Transport).Clone())}
					defer client.CloseIdleConnections()
					request, err := http.NewRequest("PUT", server.URL+"/api/v1/namespaces/a/configmaps/web", strings.NewReader("{}"))
					if err != nil {
						t.Fatal(err)
					}
					request.Header = test.header.Clone()
					response, err := client.Do(request)
					if err != nil {
						t.Fatal(err)
					}
					read := bodyOf(response)
					got = append(got, fmt.Sprint(response.Status, response.Header, response.ContentLength, response.TransferEncoding, response.Uncompressed, response.Trailer, response.Close, read))
				}
				if got[0] != got[1] {
					t.Errorf("the caller gets\n%s\nwant\n%s", got[1], got[0])
				}
				if heard := told.heard(); heard != test.want {
					t.Errorf("told of %q, want %q", heard, test.want)
				}
			})
		}
	}
}

// TestRedirect sends a write by way of another server. The answer belongs to the URL that gave
// it.
func TestRedirect(t *testing.T) {
	last := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "PUT" || string(text) != "{}" {
			t.Errorf("%s %q, %v", r.Method, text, err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(inJSON(t, object("ConfigMap", "web")))
	}))
	defer last.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", last.URL+r.URL.Path)
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = w.Write(inJSON(t, object("ConfigMap", "web")))
	}))
	defer first.Close()

	var own Observer
	atFirst, atLast := &recorder{}, &recorder{}
	own.Subscribe(first.URL, configMaps, atFirst)
	own.Subscribe(last.URL, configMaps, atLast)
	client := &http.Client{Transport: own.Transport(&http.Transport{})}
	defer client.CloseIdleConnections()
	request, err := http.NewRequest("PUT", first.URL+"/api/v1/namespaces/a/configmaps/web", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyOf(response); got.err != "<nil>" {
		t.Error(got.err)
	}
	if got := atFirst.heard(); got != "" {
		t.Errorf("the informer of the first server is told of %q", got)
	}
	if got := atLast.heard(); got == "" {
		t.Error("the informer of the last server is told of nothing")
	}
}

// TestToldBeforeTheCaller expects that an informer was told when the caller has the response, of
// which nothing is read yet.
func TestToldBeforeTheCaller(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(inJSON(t, object("ConfigMap", "web")))
	}))
	defer server.Close()
	var own Observer
	told := &recorder{}
	own.Subscribe(server.URL, configMaps, told)
	client := &http.Client{Transport: own.Transport(&http.Transport{})}
	defer client.CloseIdleConnections()
	response, err := client.Post(server.URL+"/api/v1/namespaces/a/configmaps", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := told.heard(); got == "" {
		t.Error("the informer is told of nothing")
	}
}
