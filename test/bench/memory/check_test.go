package memory

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// check fails if queries do not return what was sent.
func (m *measurement) check(t testing.TB, r *running, indexes int) {
	t.Helper()
	if err := m.differs(r, indexes); err != nil {
		t.Fatalf("%s: %v", m.side.name, err)
	}
}

// differs is an error that tells which query does not return what was sent. It is nil if all do.
func (m *measurement) differs(r *running, indexes int) error {
	asked := m.work.pods[len(m.work.pods)/2]
	all, err := r.lister.List(labels.Everything())
	if err := m.compare(all, err, func(*corev1.Pod) bool { return true }); err != nil {
		return fmt.Errorf("all: %w", err)
	}
	ofNamespace, err := r.lister.Pods(asked.Namespace).List(labels.Everything())
	if err := m.compare(ofNamespace, err, func(pod *corev1.Pod) bool { return pod.Namespace == asked.Namespace }); err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	for _, index := range chosen(indexes) {
		value := index.values(asked)[0]
		found, err := r.byIndex(index.name, value)
		if err := m.compare(found, err, func(pod *corev1.Pod) bool { return slices.Contains(index.values(pod), value) }); err != nil {
			return fmt.Errorf("%s: %w", index.name, err)
		}
	}
	return nil
}

// compare compares the result of a query with the last versions that were sent.
func (m *measurement) compare(found []*corev1.Pod, err error, belongs func(*corev1.Pod) bool) error {
	want := map[string]string{}
	for i, pod := range m.work.pods {
		if belongs(pod) {
			want[m.work.names[i].String()] = m.work.versions[i]
		}
	}
	if err != nil || len(found) != len(want) {
		return fmt.Errorf("there are %d objects instead of %d: %v", len(found), len(want), err)
	}
	for _, pod := range found {
		name := pod.Namespace + "/" + pod.Name
		if want[name] != pod.ResourceVersion {
			return fmt.Errorf("%s has version %s, and not %q, or is there twice", name, pod.ResourceVersion, want[name])
		}
		delete(want, name)
	}
	return nil
}
