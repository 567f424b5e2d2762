// Package redact leaves out of the errors of an informer the text that a reader of the page or of a probe
// must not see: text of objects, and credentials. The results are not cut or escaped, except that an
// error is read up to a limit.
package redact

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// hidden replaces text that may be part of an object.
const hidden = "the reason is not shown, because it may have text of an object; see the log"

// MaxUndecodable is the number of undecodable objects of a status that are shown.
const MaxUndecodable = 100

// Status returns the status with errors that have only the text to be shown, and keep their types. With objectText, which is
// text of objects, only credentials are left out. Of the undecodable objects after the first 100, nothing is left but the number.
func Status(s status.Status, objectText bool) status.Status {
	if s.Err != nil {
		text := Error(s.Reason, s.Err)
		if objectText {
			text = Credentials(s.Err.Error())
		}
		s.Err = &redacted{text, s.Err}
	}
	if !objectText {
		s.Undecodable = slices.Clone(s.Undecodable)
		for i := range s.Undecodable {
			if i < MaxUndecodable {
				s.Undecodable[i] = withoutText(s.Undecodable[i])
			} else {
				s.Undecodable[i] = nil
			}
		}
	}
	s.Scopes = slices.Clone(s.Scopes)
	for i := range s.Scopes {
		s.Scopes[i].Status.Undecodable = nil // s has the same ones
		s.Scopes[i].Status = Status(s.Scopes[i].Status, objectText)
	}
	if s.Awaits != nil && s.Awaits.Reason != "" { // which has the text of its Status
		of := Status(s.Awaits.Status, objectText)
		s.Awaits = &status.NotSynced{Reason: of.Resource.GroupResource().String() + ": " + of.String(), Status: of}
	}
	return s
}

// redacted is an error with another text.
type redacted struct {
	text string
	err  error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.err }

// Error returns the text of an error, which an informer has for the reason. It has only text that is
// about the request, or that is known to have none of an object. It is empty for nil.
func Error(reason status.Reason, err error) string {
	if err == nil {
		return ""
	}
	var panicked *status.HandlerPanicError
	var object *status.ObjectError
	var text string
	switch {
	case errors.As(err, &panicked):
		shown := *panicked
		shown.Value = "the value of the panic is in the log"
		text = shown.Error()
	case wire.WithoutObjectText(err) != nil:
		text = wire.WithoutObjectText(err).Error()
	case errors.As(err, &object):
		shown := *object
		shown.Err = errors.New(hidden)
		text = shown.Error()
	case reason == status.Decode:
		text = hidden // such as an error of the decoder of client-go
	default:
		text = withoutWebhook(printable.Cut(err.Error(), maxRead))
	}
	return Credentials(text)
}

// withoutText returns the state without text of the object.
func withoutText(state *wire.DecodeError) *wire.DecodeError {
	without := (*wire.DecodeError)(nil)
	errors.As(wire.WithoutObjectText(state), &without)
	return without
}

// withoutWebhook leaves out the message of a conversion webhook, which may have text of an object.
// It keeps the reason why the API server could not call it.
//
//	conversion webhook for example.com/v1, Kind=Foo failed: the message
func withoutWebhook(text string) string {
	const begin, end = "conversion webhook for ", " failed: "
	before, rest, found := strings.Cut(text, begin)
	name, message, failed := strings.Cut(rest, end)
	if !found || !failed || strings.HasPrefix(message, `Post "`) {
		return text
	}
	return before + begin + name + end + hidden
}

// secretName matches names of values that are secret, such as client_secret.
const secretName = `[a-z0-9_-]*(?:token|password|passwd|passphrase|pwd|secret|api_?key|access_?key|secret_?key|private_?key|signature|\bsig)`

// credentials are parts of text that no error should have: the user of a URL, a token of HTTP
// authentication, a JSON web token, a private key, and a parameter, a member of JSON or a header that
// is a secret by its name. A quote in them may be escaped.
var credentials = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`://[^/\s"'?#]*@`), "://"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}`), "$1 …"},
	{regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|x-[a-z-]*token|x-api-key|cookie|password|passphrase)(\s*:\s*)((?:bearer|basic|token|negotiate)\s+)?[^\s"',;\\]+`), "$1$2$3…"},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?`), "…"},
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), "…"},
	{regexp.MustCompile(`(?i)\b(` + secretName + `s?)=(?:\\?"[^"]*"?|'[^']*'?|[^\s&"',;\\]+)`), "$1=…"},
	{regexp.MustCompile(`([?&](?:key|code))=[^\s&"',;\\]+`), "$1=…"},
	{regexp.MustCompile(`(?i)(\\?"` + secretName + `s?\\?"\s*:\s*\\?")(?:[^"\\]|\\[^"])*`), "$1…"},
}

// maxRead is the number of bytes in which credentials are searched.
const maxRead = 8000

// Credentials returns text without credentials. It cuts text to 8,000 bytes first.
func Credentials(text string) string {
	text = printable.Cut(text, maxRead)
	for _, c := range credentials {
		text = c.pattern.ReplaceAllString(text, c.instead)
	}
	return text
}

// Server returns the URL of a server without credentials and parameters; empty for none.
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
