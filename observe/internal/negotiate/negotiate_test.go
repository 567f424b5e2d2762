package negotiate

import "testing"

func TestBest(t *testing.T) {
	for accept, want := range map[string]string{
		"":                 "text/plain",
		"*/*":              "text/plain", // curl
		"text/html":        "text/html",
		"application/json": "application/json",
		"text/*":           "text/plain",
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8": "text/html", // Firefox
		"text/html, application/xhtml+xml, image/jxr, */*":                                      "text/html",
		"application/json, text/plain;q=0.5":                                                    "application/json",
		"text/plain;q=0.5, application/json":                                                    "application/json",
		"application/json, text/plain":                                                          "text/plain",
		"TEXT/HTML ; q=0.9, text/plain; charset=utf-8; Q=0.1":                                   "text/html",
		"text/html;q=0, */*":                                                                    "text/plain",
		"text/plain;q=0, */*":                                                                   "text/html",
		"text/plain;q=0, text/html;q=0, */*;q=.1":                                               "application/json",
		"text/html;q=many":                                                                      "text/html",
		"text/html;q=2":                                                                         "text/html",
		",,":                                                                                    "text/plain",
		";;, application/json":                                                                  "application/json",
		"application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1": "text/plain",
		"image/png": "", "text/plain;q=0": "", "*/*;q=0": "",
	} {
		if got := Best([]string{accept}, "text/plain", "text/html", "application/json"); got != want {
			t.Errorf("%q gets %q, want %q", accept, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for header, want := range map[string]bool{"": false, "br, gzip;q=0.5": true, "GZIP": true, "gzip;q=0": false, "br": false} {
		if got := Names([]string{header}, "gzip"); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
