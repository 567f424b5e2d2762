package debugpage

import (
	"net/http"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe/internal/negotiate"
)

// form is a form of the page, by its media type.
type form string

// Text is preferred, because curl accepts everything. A browser prefers text/html.
const (
	formText form = "text/plain"
	formHTML form = "text/html"
	formJSON form = "application/json"
)

func (f form) contentType() string {
	if f == formJSON {
		return string(f)
	}
	return string(f) + "; charset=utf-8"
}

// formOf returns the form that a request asks for, by the parameter format or by Accept.
func formOf(parameter string, accept []string) (form, *statusError) {
	switch parameter {
	case "":
	case "html":
		return formHTML, nil
	case "text":
		return formText, nil
	case "json":
		return formJSON, nil
	default:
		return "", statusErrorf(http.StatusBadRequest, "unknown format %s; use html, text or json", printable.Quote(printable.Cut(parameter, 40)))
	}
	best := form(negotiate.Best(accept, string(formText), string(formHTML), string(formJSON)))
	if best == "" {
		return "", statusErrorf(http.StatusNotAcceptable, "none of the accepted types is served; use text/html, text/plain or application/json, or the parameter format=html, text or json")
	}
	return best, nil
}
