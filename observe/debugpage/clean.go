package debugpage

import (
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe/internal/redact"
	"github.com/typedinformers/informer-gen/runtime/cache"
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

// cleanAll is clean for names. It returns nil for nil, and only then.
func cleanAll(names []string) []string {
	if names == nil {
		return nil
	}
	cleaned := make([]string, 0, len(names))
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

// explain returns the text of an error, which has no text of an object unless the option is set.
func (h *Handler) explain(reason cache.Reason, err error) string {
	switch {
	case err == nil:
		return ""
	case h.objectText:
		return clean(redact.Credentials(err.Error()), maxText)
	}
	return clean(redact.Error(reason, err), maxText)
}

// undecodable returns what the page shows of an object that cannot be decoded.
func (h *Handler) undecodable(state *cache.DecodeError) Undecodable {
	shown := Undecodable{Namespace: clean(state.Namespace, maxName), Name: clean(state.Name, maxName)}
	if !h.objectText {
		state = redact.Undecodable(state)
	}
	shown.Path, shown.Near = clean(state.Path, maxType), clean(state.Near, maxType)
	if state.Err != nil {
		shown.Reason = clean(state.Err.Error(), maxText)
	}
	return shown
}
