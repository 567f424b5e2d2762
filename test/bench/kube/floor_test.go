package main

import (
	"encoding/base64"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestToken finds the token of the next page in the bodies of both encodings, in whatever
// pieces they come.
func TestToken(t *testing.T) {
	want := base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":48000000,"start":"team-001/web-x\u0000"}`))
	remaining := int64(7)
	list := corev1.PodList{
		ListMeta: metav1.ListMeta{ResourceVersion: "48000000", Continue: want, RemainingItemCount: &remaining},
		Items:    []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("x", 3000)}}},
	}
	text, err := list.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"JSON":                     `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"48000000","continue":"` + want + `","remainingItemCount":7},"items":[` + strings.Repeat(" ", 5000) + `]}`,
		"protobuf":                 string(text),
		"JSON of custom resources": `{"apiVersion":"example.com/v1","items":[` + strings.Repeat(" ", 5000) + `],"kind":"FooList","metadata":{"continue":"` + want + `","resourceVersion":"48000000"}}`,
	} {
		var known ends
		for rest := []byte(body); len(rest) > 0; rest = rest[min(7, len(rest)):] {
			known.look(rest[:min(7, len(rest))])
		}
		if got := known.token(); got != want {
			t.Errorf("%s: the token is %q, want %q", name, got, want)
		}
	}
	var last ends
	last.look([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"48000000"},"items":[]}`))
	if got := last.token(); got != "" {
		t.Errorf("the token of a last page is %q", got)
	}
}

// TestInitialEventsEnd finds the end of a streaming list where two pieces meet.
func TestInitialEventsEnd(t *testing.T) {
	body := strings.Repeat("x", 3*endBytes) + `"annotations":{"` + initialEvents + `":"true"}`
	for size := 1; size < 40; size++ {
		var known ends
		for rest := []byte(body); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			if known.initialEventsEnd && len(rest) > len(`":"true"}`)+size {
				t.Fatalf("in pieces of %d bytes, it is found too early", size)
			}
			known.look(rest[:min(size, len(rest))])
		}
		if !known.initialEventsEnd {
			t.Errorf("in pieces of %d bytes, it is not found", size)
		}
	}
}

// TestSizes keeps the objects as large as the documentation has them.
func TestSizes(t *testing.T) {
	if text, err := storedDatabase(7, nil); err != nil || len(text) < 1400 || len(text) > 2000 {
		t.Errorf("a custom resource has %d bytes: %v", len(text), err)
	}
	writer := metav1.ManagedFieldsEntry{Manager: "operator", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:members":{"k:{\"name\":\"` + small(0).Name + `\"}":{}}}}`)}
	if text, err := storedSmall(7, []metav1.ManagedFieldsEntry{writer}); err != nil || len(text) < 1200 || len(text) > 1700 || !strings.Contains(string(text), `\"`+small(7).Name+`\"}`) {
		t.Errorf("a custom resource of 2 KB has, with short managedFields, %d bytes: %v: %s", len(text), err, text)
	}
	if text, err := storedPod(7, nil); err != nil || !strings.HasPrefix(string(text), "k8s\x00") {
		t.Errorf("a pod is stored as %.10q: %v", text, err)
	}
}
