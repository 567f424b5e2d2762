package debugpage

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// clean makes text safe for each form of the page: in one line, without characters that are not
// printable, and cut.
func clean(s string, limit int) string {
	return printable.Cut(printable.Text(printable.Cut(s, limit)), limit)
}

// cleanReason is clean for a reason, which is a constant unless another package makes the status.
func cleanReason(reason cache.Reason) cache.Reason {
	return cache.Reason(clean(string(reason), maxVersion))
}

// cleanAll is clean for names.
func cleanAll(names []string) (cleaned []string) {
	for _, name := range names {
		cleaned = append(cleaned, clean(name, maxName))
	}
	return cleaned
}

// cleanLines is clean for text of several lines.
func cleanLines(s string, limit int) string {
	lines := strings.Split(strings.TrimRight(printable.Cut(s, limit), "\n"), "\n")
	for i := range lines {
		lines[i] = printable.Text(lines[i])
	}
	return printable.Cut(strings.Join(lines, "\n"), limit)
}

// hidden replaces text that may be part of an object.
const hidden = "the reason is not shown, because it may have text of an object; see the log"

// explain returns the text of an error. Unless the handler shows text of objects, it returns only
// text that is about the request, or that is known to have none of an object.
func (h *Handler) explain(reason cache.Reason, err error) string {
	switch {
	case err == nil:
		return ""
	case h.objectText:
		return clean(withoutCredentials(err.Error()), maxText)
	}
	var panicked *cache.HandlerPanicError
	var object *cache.ObjectError
	var text string
	switch {
	case errors.As(err, &panicked):
		text = explainPanic(panicked)
	case wire.WithoutObjectText(err) != nil:
		text = wire.WithoutObjectText(err).Error()
	case errors.As(err, &object):
		text = fmt.Sprintf("%s %s: %s", object.Resource.GroupResource(), object.Object, hidden)
	case reason == cache.Decode:
		text = hidden // such as an error of the decoder of client-go
	default:
		text = withoutWebhook(err.Error())
	}
	return clean(withoutCredentials(text), maxText)
}

// explainPanic leaves out the value, which may be anything.
func explainPanic(e *cache.HandlerPanicError) string {
	on := ""
	if e.Object != (cache.ObjectName{}) {
		on = " on " + e.Object.String()
	}
	if e.Exited {
		return fmt.Sprintf("handler %s called runtime.Goexit%s", e.Handler, on)
	}
	return fmt.Sprintf("handler %s panicked%s; the value of the panic is in the log", e.Handler, on)
}

// webhook is how the API server begins the error of a conversion webhook, whose message it repeats.
var webhook = regexp.MustCompile(`(?s)(conversion webhook for .{1,500}? failed: )(.*)`)

// withoutWebhook leaves out the message of a conversion webhook, which may have text of an object.
// It keeps the reason why the API server could not call it.
func withoutWebhook(text string) string {
	found := webhook.FindStringSubmatchIndex(text)
	if found == nil || strings.HasPrefix(text[found[4]:], `Post "`) {
		return text
	}
	return text[:found[4]] + hidden
}

// maxRead is the number of bytes of an error in which credentials are searched.
const maxRead = 4 * maxText

// withoutCredentials removes credentials from text, and cuts it to maxRead.
func withoutCredentials(text string) string {
	return printable.WithoutCredentials(printable.Cut(text, maxRead))
}

// serverOf returns the URL of a server without credentials and parameters.
func serverOf(server string) string { return clean(printable.Server(server), maxType) }

// undecodable returns what the page shows of an object that cannot be decoded.
func (h *Handler) undecodable(state *cache.DecodeError) Undecodable {
	shown := Undecodable{Namespace: clean(state.Namespace, maxName), Name: clean(state.Name, maxName)}
	if !h.objectText {
		if without := (*cache.DecodeError)(nil); errors.As(wire.WithoutObjectText(state), &without) {
			state = without
		}
	}
	shown.Path, shown.Near = clean(state.Path, maxType), clean(state.Near, maxType)
	if state.Err != nil {
		shown.Reason = clean(state.Err.Error(), maxText)
	}
	return shown
}
