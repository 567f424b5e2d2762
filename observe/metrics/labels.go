package informermetrics

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// labels are those that all series of an informer have. Informers with equal labels are merged.
type labels struct{ name, group, version, resource, server string }

func labelsOf(status *status.Informer, withServer bool) labels {
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

// labelNames returns the names of the labels that all metrics have.
func labelNames(withServer bool) []string {
	names := []string{"name", "group", "version", "resource"}
	if withServer {
		names = append(names, "server")
	}
	return names
}

// pairs returns the labels with their names, sorted.
func (l labels) pairs(withServer bool) []*dto.LabelPair {
	values := []string{l.name, l.group, l.version, l.resource, l.server}
	var pairs []*dto.LabelPair
	for i, name := range labelNames(withServer) {
		pairs = append(pairs, pairOf(name, values[i]))
	}
	return sortedPairs(pairs)
}

func pairOf(name, value string) *dto.LabelPair {
	return &dto.LabelPair{Name: &name, Value: &value}
}

// sortedPairs sorts pairs by their names, as a registry wants them. Several series share the
// result, so it has no capacity to append to.
func sortedPairs(pairs []*dto.LabelPair) []*dto.LabelPair {
	slices.SortFunc(pairs, func(a, b *dto.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return slices.Clip(pairs)
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

// bounded has the values of one label in the series of an informer.
type bounded map[string]*dto.LabelPair

// of returns the label with the value for s.
func (b bounded) of(name, s string) *dto.LabelPair {
	s = valid(s)
	if pair := b[s]; pair != nil {
		return pair
	}
	if len(b) >= maxValues {
		s = other // which is the only value after the first maxValues
	}
	if b[s] == nil {
		b[s] = pairOf(name, s)
	}
	return b[s]
}
