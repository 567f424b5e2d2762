package printable

import (
	"net/url"
	"regexp"
)

// credentials are parts of text that no error should have: the user of a URL, a token of HTTP
// authentication, a JSON web token, and a parameter that is a secret by its name.
var credentials = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`://[^/\s"'?#]*@`), "://"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}`), "$1 …"},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?`), "…"},
	{regexp.MustCompile(`(?i)\b([a-z_-]*(?:token|password|passwd|secret|api_?key))=[^\s&"',;]+`), "$1=…"},
}

// WithoutCredentials returns text without what looks like credentials.
func WithoutCredentials(text string) string {
	for _, c := range credentials {
		text = c.pattern.ReplaceAllString(text, c.instead)
	}
	return text
}

// Server returns the URL of a server without credentials and parameters.
func Server(address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		return "an address that is not a URL"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}
