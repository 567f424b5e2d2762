// Package negotiate reads the headers by which a client says what it accepts, as RFC 9110 has them
// (section 12.5).
package negotiate

import (
	"mime"
	"strconv"
	"strings"
)

// Best returns the media type that the values of Accept prefer among offered. Without a preference
// it is the first one. It is empty if the client accepts none of them.
func Best(accept []string, offered ...string) string {
	all := elementsOf(accept)
	if len(all) == 0 {
		return offered[0]
	}
	best, bestQuality, bestPrecision := "", 0.0, 0
	for _, mediaType := range offered {
		quality, precision := qualityOf(all, mediaType)
		if quality > bestQuality || quality > 0 && quality == bestQuality && precision > bestPrecision {
			best, bestQuality, bestPrecision = mediaType, quality, precision
		}
	}
	return best
}

// Names reports whether the values of a header, such as Accept-Encoding, have the name, and not with
// the quality 0.
func Names(header []string, name string) bool {
	quality, _ := qualityOf(elementsOf(header), name)
	return quality > 0
}

// element is an element of a header.
type element struct {
	name    string
	quality float64
}

// maxElements is the number of elements of a header that are read.
const maxElements = 50

// elementsOf reads a header. An element with a quality that is no number has the quality 1.
func elementsOf(header []string) (all []element) {
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		name, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		quality, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil || quality < 0 || quality > 1 {
			quality = 1
		}
		if all = append(all, element{name, quality}); len(all) == maxElements {
			break
		}
	}
	return all
}

// qualityOf returns the quality of a media type: that of the most precise element that matches it.
func qualityOf(all []element, mediaType string) (quality float64, precision int) {
	kind, _, _ := strings.Cut(mediaType, "/")
	for _, e := range all {
		level := 0
		switch e.name {
		case mediaType:
			level = 3
		case kind + "/*":
			level = 2
		case "*/*":
			level = 1
		}
		if level > precision {
			quality, precision = e.quality, level
		}
	}
	return quality, precision
}
