package informermetrics

import (
	"net/url"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// labels are those that all series of an informer have. Informers with equal labels are merged.
type labels struct{ name, group, version, resource, server string }

func labelsOf(status *cache.InformerStatus, withServer bool) labels {
	of := labels{
		name:     valid(status.Name),
		group:    valid(status.Resource.Group),
		version:  valid(status.Resource.Version),
		resource: valid(status.Resource.Resource),
	}
	if withServer {
		of.server = serverOf(status.Server)
	}
	return of
}

// values returns the values in the order of Collector.labels.
func (l labels) values(withServer bool) []string {
	values := []string{l.name, l.group, l.version, l.resource}
	if withServer {
		values = append(values, l.server)
	}
	return values
}

// serverOf returns a URL without its user, query and fragment, which may have credentials.
func serverOf(address string) string {
	if address == "" {
		return ""
	}
	server, err := url.Parse(address)
	if err != nil || server.Host == "" {
		return other
	}
	return valid((&url.URL{Scheme: server.Scheme, Host: server.Host, Path: server.Path}).String())
}

// valid returns s as a value of a label, which has to be UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

const (
	// maxValues is how many values a label has in the series of an informer. All values after
	// that are other.
	maxValues = 100
	other     = "other"
)

// bounded has the values of one label.
type bounded map[string]bool

// of returns the value of the label for s.
func (b bounded) of(s string) string {
	s = valid(s)
	if !b[s] {
		if len(b) >= maxValues {
			return other
		}
		b[s] = true
	}
	return s
}
