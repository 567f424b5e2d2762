package serve

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// Respond encodes a reply or an error as the client asks.
func (r *Request) Respond(answer *rest.Reply, err error) *http.Response {
	if err == nil {
		var body io.ReadCloser
		var mediaType string
		if body, mediaType, err = r.encode(answer); err == nil {
			return response(r.HTTP, answer.Code, mediaType, body, r.Warnings)
		}
	}
	status := media.StatusOf(err)
	body, mediaType := media.ErrorForm(r.HTTP.Header.Values("Accept")).EncodeStatus(status)
	out := response(r.HTTP, int(status.Code), mediaType, bodyOf(body), r.Warnings)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	return out
}

// response makes a response of its parts.
func response(req *http.Request, code int, mediaType string, body io.ReadCloser, warnings []string) *http.Response {
	header := http.Header{"Content-Type": {mediaType}}
	for _, text := range warnings {
		header.Add("Warning", "299 - "+strconv.Quote(text))
	}
	if req.Method == http.MethodHead {
		body = bodyOf(nil)
	}
	length := int64(-1)
	if sized, ok := body.(sizedBody); ok {
		length = sized.Size()
	}
	return &http.Response{
		Status:        strconv.Itoa(code) + " " + http.StatusText(code),
		StatusCode:    code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          body,
		ContentLength: length,
		Request:       req,
	}
}

// Stream answers with the body of a watch.
func (r *Request) Stream(body io.ReadCloser) *http.Response {
	return response(r.HTTP, http.StatusOK, r.Accept.ContentType(), body, r.Warnings)
}

func documentResponse(req *http.Request, d *discovery.Document) *http.Response {
	answer := response(req, d.Code, d.MediaType, bodyOf(d.Body), nil)
	if strings.HasPrefix(d.MediaType, "text/") {
		answer.Header.Set("X-Content-Type-Options", "nosniff")
	}
	if d.ETag != "" {
		answer.Header.Set("Etag", d.ETag)
		answer.Header.Set("Vary", "Accept")
		answer.Header.Set("Cache-Control", "public")
	}
	return answer
}

// Refuse answers with an error: that of a response if it has a Status, and of the connection if not.
func (r *Request) Refuse(err error) (*http.Response, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil, err
	}
	return r.Respond(nil, &apierrors.StatusError{ErrStatus: status.Status()}), nil
}
