package main

import (
	"fmt"
	"html"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// family is what a reader's machine may have. The first three are equally wide.
const family = "Liberation Sans, Arial, Helvetica, sans-serif"

// textElement is a text as gonum writes it, with its size and the text.
var textElement = regexp.MustCompile(`<text ([^>]*)font-family:Liberation Sans;([^>]*)font-size:([0-9.]+)px([^>]*)>([^<]*)</text>`)

// portable adds fonts to an SVG, and the width that each text has with the expected one. A
// browser that has to take another font stretches or compresses it to that width.
func portable(svg []byte) []byte {
	return textElement.ReplaceAllFunc(svg, func(element []byte) []byte {
		part := textElement.FindSubmatch(element)
		size, err := strconv.ParseFloat(string(part[3]), 64)
		if err != nil {
			return element
		}
		text := html.UnescapeString(string(part[5]))
		return fmt.Appendf(nil, `<text textLength="%.4g" lengthAdjust="spacingAndGlyphs" %sfont-family:%s;%sfont-size:%spx%s>%s</text>`,
			width(text, size), part[1], family, part[2], part[3], part[4], part[5])
	})
}

// width is that of a text with the expected font, in points.
func width(text string, size float64) float64 {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	face := font.DefaultCache.Lookup(sans, vg.Points(size))
	return face.Width(text).Points()
}
