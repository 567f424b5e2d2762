package crcache

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// TestAllMistakesAtOnce makes several mistakes, in the options of the manager and in those of With.
func TestAllMistakesAtOnce(t *testing.T) {
	s := newServer(t)
	options := ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper(), DefaultLabelSelector: labels.Nothing()}
	c, err := NewFunc(WithReadYourWrites(nil), nil, WithPackedObjects(prefixes{}, &corev1.Pod{}), WithPackedObjects(prefixes{}))(s.config(), options)
	if c != nil {
		t.Error("there is a cache")
	}
	wantMistakes(t, err, "selects nothing", "WithReadYourWrites needs an Observer", "an option of NewFunc is nil", "WithPackedObjects is there twice")

	options.NewInformer = toolscache.NewSharedIndexInformer
	_, err = NewFunc(WithPackedObjects(prefixes{}))(s.config(), options)
	wantMistakes(t, err, "Options.NewInformer")
}

// wantMistakes checks that an error joins mistakes with these texts, and no others.
func wantMistakes(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", want)
		return
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Errorf("%d mistakes, want %d:\n%v", len(lines), len(want), err)
	}
	for _, text := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "crcache: ") && strings.Contains(line, text) }) {
			t.Errorf("no mistake with %q in:\n%v", text, err)
		}
	}
}
