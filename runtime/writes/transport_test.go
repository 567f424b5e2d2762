package writes

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// outcome is what a caller reads of a body. It is comparable.
type outcome struct{ text, err string }

// bodyOf reads a body to its end, or to its error, and closes it.
func bodyOf(response *http.Response) outcome {
	if response.Body == nil {
		return outcome{err: "no body"}
	}
	text, err := io.ReadAll(response.Body)
	if closing := response.Body.Close(); closing != nil {
		err = errors.Join(err, closing)
	}
	if err != nil {
		return outcome{string(text), err.Error()}
	}
	return outcomeOf(text)
}

// outcomeOf returns the outcome of a body without an error.
func outcomeOf(text []byte) outcome { return outcome{string(text), "<nil>"} }

// TestCallersResponse compares the response that a caller gets with the one of the server.
func TestCallersResponse(t *testing.T) {
	whole := inJSON(t, object("ConfigMap", "web"))
	tooLarge := strings.Repeat(" ", maxBody-len(whole)) + string(whole)
	broken := errors.New("connection reset")
	for _, test := range []struct {
		name   string
		body   func() io.Reader // nil for a response without a body
		length int64
		code   int
		told   bool
	}{
		{"whole", func() io.Reader { return bytes.NewReader(whole) }, int64(len(whole)), 200, true},
		{"unknown length", func() io.Reader { return bytes.NewReader(whole) }, -1, 200, true},
		{"byte by byte", func() io.Reader { return iotest.OneByteReader(bytes.NewReader(whole)) }, -1, 200, true},
		{"end with the last bytes", func() io.Reader { return iotest.DataErrReader(bytes.NewReader(whole)) }, int64(len(whole)), 200, true},
		{"longest", func() io.Reader { return strings.NewReader(tooLarge) }, -1, 200, true},
		{"too long", func() io.Reader { return strings.NewReader(" " + tooLarge) }, -1, 200, false},
		{"much too long", func() io.Reader { return strings.NewReader(tooLarge + tooLarge) }, -1, 200, false},
		{"too long by its length", func() io.Reader { return strings.NewReader(" " + tooLarge) }, maxBody + 1, 200, false},
		{"cut", func() io.Reader { return io.MultiReader(bytes.NewReader(whole[:9]), &failing{broken}) }, -1, 200, false},
		{"cut after the object", func() io.Reader { return io.MultiReader(bytes.NewReader(whole), &failing{broken}) }, -1, 200, false},
		{"cut by a timeout", func() io.Reader { return iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(whole))) }, -1, 200, false},
		{"cut beyond the limit", func() io.Reader { return io.MultiReader(strings.NewReader(tooLarge+"  "), &failing{broken}) }, -1, 200, false},
		{"broken", func() io.Reader { return &failing{broken} }, 9, 200, false},
		{"empty", func() io.Reader { return http.NoBody }, 0, 204, false},
		{"none", nil, 0, 200, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := func(closed *int) *http.Response {
				response := respond(test.code, "application/json", nil)
				response.Status, response.ContentLength, response.Body = "a status", test.length, nil
				response.Uncompressed, response.Trailer = true, http.Header{"Sum": nil}
				if test.body != nil {
					response.Body = &body{Reader: test.body(), close: func() { *closed++ }}
				}
				return response
			}
			var own Observer
			told, closed := &recorder{}, 0
			own.Subscribe(host, configMaps, told)
			sent := answer(&closed)
			before, header := *sent, fmt.Sprint(sent.Header)
			request, err := http.NewRequest("PUT", host+"/api/v1/namespaces/a/configmaps/web", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := own.Transport(answering(func(sent2 *http.Request) (*http.Response, error) {
				if sent2 != request {
					t.Error("another request is sent")
				}
				return sent, nil
			})).RoundTrip(request)
			if err != nil || got != sent {
				t.Fatalf("the response is %p, %v; want %p", got, err, sent)
			}
			after := *got
			after.Body, before.Body = nil, nil
			if fmt.Sprint(after) != fmt.Sprint(before) || fmt.Sprint(got.Header) != header {
				t.Errorf("the response is %v, want %v", after, before)
			}
			if heard := told.heard(); (heard != "") != test.told {
				t.Errorf("told of %q", heard)
			}
			if closed != 0 {
				t.Error("the body is closed before the caller has closed it")
			}
			unused := 0
			if read, want := bodyOf(got), bodyOf(answer(&unused)); read != want {
				t.Errorf("the caller reads %d bytes and %q, want %d and %q", len(read.text), read.err, len(want.text), want.err)
			}
			if test.body != nil {
				if closed != 1 {
					t.Errorf("the body is closed %d times", closed)
				}
				if n, err := got.Body.Read(make([]byte, 1)); n > 0 || err == nil {
					t.Errorf("after the end %d bytes follow, %v", n, err)
				}
			}
		})
	}
}

// TestPassedOnUntouched expects that the body of the server is the body of the caller.
func TestPassedOnUntouched(t *testing.T) {
	web := host + "/api/v1/namespaces/a/configmaps/web"
	for _, test := range []struct {
		name, method, url, contentType string
		code                           int
	}{
		{"read", "GET", web, "application/json", 200},
		{"default method", "", web, "application/json", 200},
		{"head", "HEAD", web, "application/json", 200},
		{"watch", "GET", host + "/api/v1/configmaps?watch=true", "application/json;stream=watch", 200},
		{"upgrade", "POST", web, "application/json", 101},
		{"exec", "POST", host + "/api/v1/namespaces/a/pods/web/exec", "application/json", 200},
		{"no content", "DELETE", web, "application/json", 204},
		{"redirect", "PUT", web, "application/json", 307},
		{"too many requests", "PUT", web, "application/json", 429},
		{"text", "PUT", web, "text/plain", 200},
		{"dry run", "PUT", web + "?dryRun=All", "application/json", 200},
		{"other host", "PUT", "https://10.0.0.2/api/v1/namespaces/a/configmaps/web", "application/json", 200},
		{"other resource", "PUT", host + "/api/v1/namespaces/a/secrets/web", "application/json", 200},
		{"opaque URL", "PUT", "https:opaque", "application/json", 200},
		{"path of an opaque URL", "PUT", web, "application/json", 200},
		{"too long", "PUT", web, "application/json", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			var own Observer
			own.Subscribe(host, configMaps, &recorder{})
			own.Subscribe(host, pods, &recorder{})
			sent := respond(test.code, test.contentType, nil)
			unread := &body{Reader: &failing{errors.New("it was read")}}
			sent.Body = unread
			request, err := http.NewRequest(test.method, test.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Method = test.method
			switch test.name {
			case "path of an opaque URL":
				request.URL.Opaque = "//10.0.0.1:6443/another"
			case "too long":
				sent.ContentLength = maxBody + 1
			}
			got, err := own.Transport(answering(func(*http.Request) (*http.Response, error) { return sent, nil })).RoundTrip(request)
			if err != nil || got != sent || got.Body != io.ReadCloser(unread) {
				t.Errorf("the response is %v with another body, %v", got, err)
			}
		})
	}
}

// TestReadsAllocateNothing counts what a request that does not write costs.
func TestReadsAllocateNothing(t *testing.T) {
	var own Observer
	own.Subscribe(host, configMaps, &recorder{})
	sent := respond(200, "application/json", nil)
	client := own.Transport(answering(func(*http.Request) (*http.Response, error) { return sent, nil }))
	for _, query := range []string{"", "?watch=true"} {
		request, err := http.NewRequest("GET", host+"/api/v1/namespaces/a/configmaps"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := client.RoundTrip(request); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("GET%s allocates %v times", query, n)
		}
	}
}

// TestErrorsPass expects the error of the transport below, and that it may break the rules of
// http.RoundTripper.
func TestErrorsPass(t *testing.T) {
	var own Observer
	own.Subscribe(host, configMaps, &recorder{})
	request, err := http.NewRequest("PUT", host+"/api/v1/namespaces/a/configmaps/web", nil)
	if err != nil {
		t.Fatal(err)
	}
	failed, partial := errors.New("failed"), respond(200, "application/json", []byte("{}"))
	for _, want := range []struct {
		response *http.Response
		err      error
	}{{nil, failed}, {partial, failed}, {nil, nil}} {
		got, err := own.Transport(answering(func(*http.Request) (*http.Response, error) { return want.response, want.err })).RoundTrip(request)
		if got != want.response || err != want.err {
			t.Errorf("the caller gets %v, %v; want %v", got, err, want)
		}
	}
}

// TestWrappedTransport looks for what is below.
func TestWrappedTransport(t *testing.T) {
	var own Observer
	below := &http.Transport{TLSClientConfig: &tls.Config{ServerName: "below"}}
	client := own.Transport(own.Transport(below))
	config, err := utilnet.TLSClientConfig(client)
	if err != nil || config == nil || config.ServerName != "below" {
		t.Errorf("the TLS configuration is %v, %v", config, err)
	}
	var _ utilnet.RoundTripperWrapper = &transport{}
	if got := own.Transport(nil).(*transport).WrappedRoundTripper(); got != http.DefaultTransport {
		t.Errorf("below nil is %v", got)
	}
	closed := 0
	(&http.Client{Transport: own.Transport(wrapper{own.Transport(&idle{&closed})})}).CloseIdleConnections()
	(&http.Client{Transport: own.Transport(answering(nil))}).CloseIdleConnections()
	if closed != 1 {
		t.Errorf("idle connections are closed %d times", closed)
	}
}

// wrapper cannot close idle connections.
type wrapper struct{ next http.RoundTripper }

func (w wrapper) RoundTrip(request *http.Request) (*http.Response, error) {
	return w.next.RoundTrip(request)
}
func (w wrapper) WrappedRoundTripper() http.RoundTripper { return w.next }

type idle struct{ closed *int }

func (i *idle) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("idle") }
func (i *idle) CloseIdleConnections()                           { *i.closed++ }
