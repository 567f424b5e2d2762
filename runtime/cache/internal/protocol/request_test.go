package protocol

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
)

// TestRequestErrorIsBounded fails at the URL of a redirect, which the server chose.
func TestRequestErrorIsBounded(t *testing.T) {
	err := RequestError("list", &url.Error{Op: "Get", URL: "https://host/" + strings.Repeat("x", 1<<20) + "?limit=500", Err: io.ErrUnexpectedEOF})
	if text := err.Error(); len(text) > 300 || !strings.HasPrefix(text, "list https://host/xxx") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error has %d bytes: %.300s", len(text), text)
	}
}

// TestRequestErrorKeepsTheObject: the function that transforms an object may have sent a request of its own, whose failure says
// nothing of the connection to the API server.
func TestRequestErrorKeepsTheObject(t *testing.T) {
	cause := fmt.Errorf("widgets a/b: %w: %w", ErrObject, &url.Error{Op: "Get", URL: "https://other", Err: io.ErrUnexpectedEOF})
	err := RequestError("watch", cause)
	if !errors.Is(err, cause) || ReasonOf(err) != Decode || !strings.HasPrefix(err.Error(), "watch: widgets a/b: ") {
		t.Errorf("%v, for the reason %s", err, ReasonOf(err))
	}
}
