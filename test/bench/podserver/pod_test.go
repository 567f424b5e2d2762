package podserver

import (
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// TestSize compares the pods with the documentation. The decoder is client-go's.
func TestSize(t *testing.T) {
	const pods = 2000
	texts, length, binary := make([][]byte, pods), 0, 0
	for i := range texts {
		pod := newPod(i, 1, firstVersion+uint64(i))
		texts[i] = EncodingOf(false).Item(pod)
		length, binary = length+len(texts[i]), binary+len(EncodingOf(true).Item(pod))
	}
	decoded := make([]*corev1.Pod, pods)
	before := meter.LiveHeap()
	for i, text := range texts {
		decoded[i] = new(corev1.Pod)
		if err := json.Unmarshal(text, decoded[i]); err != nil {
			t.Fatal(err)
		}
	}
	size := int(meter.LiveHeap()-before) / pods
	runtime.KeepAlive(texts)
	runtime.KeepAlive(decoded)
	t.Logf("a pod has %d bytes of JSON and %d of protobuf, and takes %d", length/pods, binary/pods, size)
	if binary /= pods; binary < 1050 || binary > 1150 {
		t.Errorf("a pod has %d bytes of protobuf", binary)
	}
	if length /= pods; length < 1800 || length > 2000 {
		t.Errorf("a pod has %d bytes of JSON", length)
	}
	if size < 4000 || size > 5000 { // the race detector takes some more
		t.Errorf("a pod takes %d bytes", size)
	}
}

// TestSizes compares objects with the documentation.
func TestSizes(t *testing.T) {
	for kind, want := range map[string]int{Nodes: 13_000, LargePods: 9_500} {
		text, err := json.Marshal(Kinds[kind].Object(7))
		if err != nil || len(text) < want-500 || len(text) > want+500 {
			t.Errorf("one of the %s has %d bytes of JSON: %v", kind, len(text), err)
		}
	}
}
