package memory

import (
	"crypto/sha256"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// digest checks that queries return what was sent. At a moment that both sides share,
// it keeps digests of the results for a comparison with the other side.
func (m *measurement) digest(moment string, r *running, indexes int) error {
	byName := make(map[string]int, m.Objects)
	for i, name := range m.work.names {
		byName[name.String()] = i
	}
	asked := m.work.pods[m.Objects/2]
	check := func(query string, belongs func(*corev1.Pod) bool, pods []*corev1.Pod, err error) error {
		if err != nil {
			return err
		}
		if want := m.work.countIf(belongs); len(pods) != want {
			return fmt.Errorf("%s: there are %d objects instead of %d", query, len(pods), want)
		}
		var lines []string
		for _, pod := range pods {
			name := pod.Namespace + "/" + pod.Name
			i, known := byName[name]
			if !known || m.work.versions[i] != pod.ResourceVersion {
				return fmt.Errorf("%s: %s has version %s, which was not the last one sent", query, name, pod.ResourceVersion)
			}
			if !belongs(pod) {
				return fmt.Errorf("%s: %s does not match the query", query, name)
			}
			lines = append(lines, name+" "+pod.ResourceVersion)
		}
		slices.Sort(lines)
		if len(slices.Compact(lines)) != len(pods) {
			return fmt.Errorf("%s: an object is returned twice", query)
		}
		if moment != "" {
			m.result.Contents[moment+", "+query] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, lines)))
		}
		return nil
	}
	all, err := r.lister.List(labels.Everything())
	if err := check("all", func(*corev1.Pod) bool { return true }, all, err); err != nil {
		return err
	}
	ofNamespace, err := r.lister.Pods(asked.Namespace).List(labels.Everything())
	if err := check("namespace", func(pod *corev1.Pod) bool { return pod.Namespace == asked.Namespace }, ofNamespace, err); err != nil {
		return err
	}
	for _, index := range chosen(indexes) {
		value := index.values(asked)[0]
		found, err := r.byIndex(index.name, value)
		if err := check(index.name, func(pod *corev1.Pod) bool { return slices.Contains(index.values(pod), value) }, found, err); err != nil {
			return err
		}
	}
	return nil
}
