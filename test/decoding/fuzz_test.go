package decoding

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fuzz decodes any bytes in both ways.
func fuzz(f *testing.F, k kind) {
	f.Fuzz(func(t *testing.T, text []byte) {
		if difference := k.difference(bytes.Clone(text)); difference != "" {
			t.Error(difference)
		}
		if difference := k.limitedDifference(bytes.Clone(text)); difference != "" {
			t.Errorf("limited: %s", difference)
		}
	})
}

func kindOfType(t reflect.Type) kind {
	for _, k := range kinds {
		if k.typ == t {
			return k
		}
	}
	panic("no kind " + t.String())
}

func FuzzPod(f *testing.F) {
	k := kindOfType(reflect.TypeFor[corev1.Pod]())
	for seed := range int64(5) {
		var text bytes.Buffer
		if err := apimachinery.Encode(k.filled(rand.NewSource(seed)), &text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Add(podText())
	fuzz(f, k)
}

func FuzzSink(f *testing.F) {
	for i, value := range values {
		name := sinkNames[i%len(sinkNames)]
		f.Add(fmt.Appendf(nil, `{"%s":%s}`, name, value))
		f.Add(fmt.Appendf(nil, `{"self":{"%s":%s,"any":%s},"string":"x"}`, name, value, value))
	}
	fuzz(f, sinkKind)
}

func FuzzUnstructured(f *testing.F) {
	for _, value := range values {
		f.Add(fmt.Appendf(nil, `{"kind":"a","x":%s}`, value))
		f.Add(fmt.Appendf(nil, `{"kind":%s,"items":[]}`, value))
		f.Add(fmt.Appendf(nil, `{"kind":"a","apiVersion":%s,"metadata":{"managedFields":%s}}`, value, value))
	}
	f.Add(podText())
	fuzz(f, kindOfType(reflect.TypeFor[unstructured.Unstructured]()))
}

// fuzzMessage decodes any bytes as a message in both ways.
func fuzzMessage(t *testing.T, k kind, raw []byte) {
	if difference := k.messageDifference(raw); difference != "" {
		t.Error(difference)
	}
	if difference := k.limitedMessageDifference(raw); difference != "" {
		t.Errorf("limited: %s", difference)
	}
}

func FuzzMessageOfPod(f *testing.F) {
	k := kindOfType(reflect.TypeFor[corev1.Pod]())
	r := rand.New(rand.NewSource(1))
	for range 20 {
		raw := k.message(f, k.filled(r))
		f.Add(raw)
		f.Add(mutatedMessage(r, raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { fuzzMessage(t, k, raw) })
}

// FuzzMessages takes the kind from the first byte.
func FuzzMessages(f *testing.F) {
	all := protobufKinds()
	r := rand.New(rand.NewSource(1))
	for i, k := range all {
		raw := k.message(f, k.filled(r))
		f.Add(append([]byte{byte(i)}, raw...))
		f.Add(append([]byte{byte(i)}, mutatedMessage(r, raw)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			fuzzMessage(t, all[int(data[0])%len(all)], data[1:])
		}
	})
}
