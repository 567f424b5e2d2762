package debugpage

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/internal/printable"
)

// form is a form of the page.
type form string

const (
	formHTML form = "html"
	formText form = "text"
	formJSON form = "json"
)

// forms has the media type of each form, in the order in which they are preferred. Text is first,
// because curl accepts everything. A browser prefers text/html.
var forms = []struct {
	form      form
	mediaType string
}{{formText, "text/plain"}, {formHTML, "text/html"}, {formJSON, "application/json"}}

func (f form) contentType() string {
	for _, known := range forms {
		if known.form == f && f != formJSON {
			return known.mediaType + "; charset=utf-8"
		}
	}
	return "application/json"
}

// formOf returns the form that a request asks for, by the parameter format or by Accept.
func formOf(parameter string, accept []string) (form, *statusError) {
	if parameter != "" {
		for _, known := range forms {
			if string(known.form) == parameter {
				return known.form, nil
			}
		}
		return "", statusErrorf(http.StatusBadRequest, "unknown format %s; use html, text or json", printable.Quote(printable.Cut(parameter, 40)))
	}
	ranges := rangesOf(strings.Join(accept, ","))
	if len(ranges) == 0 {
		return formText, nil
	}
	best, bestQuality, bestPrecision := form(""), 0.0, 0
	for _, known := range forms {
		quality, precision := qualityOf(ranges, known.mediaType)
		if quality > bestQuality || quality > 0 && quality == bestQuality && precision > bestPrecision {
			best, bestQuality, bestPrecision = known.form, quality, precision
		}
	}
	if best == "" {
		return "", statusErrorf(http.StatusNotAcceptable, "none of the accepted types is served; use text/html, text/plain or application/json, or the parameter format=html, text or json")
	}
	return best, nil
}

// mediaRange is an element of Accept, or of another header of the same syntax.
type mediaRange struct {
	name    string
	quality float64
}

// maxRanges is the number of elements of a header that are read.
const maxRanges = 50

// rangesOf reads a header. An element with a quality that is no number has the quality 1.
func rangesOf(header string) (ranges []mediaRange) {
	for element := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(element, ";")
		if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
			continue
		}
		next := mediaRange{name, 1}
		for parameter := range strings.SplitSeq(parameters, ";") {
			key, value, _ := strings.Cut(parameter, "=")
			if !strings.EqualFold(strings.TrimSpace(key), "q") {
				continue
			}
			if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && q >= 0 && q <= 1 {
				next.quality = q
			}
		}
		if ranges = append(ranges, next); len(ranges) == maxRanges {
			break
		}
	}
	return ranges
}

// qualityOf returns the quality of a media type: that of the most precise range that has it, as RFC
// 9110 demands (section 12.5.1).
func qualityOf(ranges []mediaRange, mediaType string) (quality float64, precision int) {
	kind, _, _ := strings.Cut(mediaType, "/")
	for _, r := range ranges {
		level := 0
		switch r.name {
		case mediaType:
			level = 3
		case kind + "/*":
			level = 2
		case "*/*":
			level = 1
		}
		if level > precision {
			quality, precision = r.quality, level
		}
	}
	return quality, precision
}
