package protocol

import (
	"errors"
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
