package monitor

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TestCheckLogsEachFieldOnce compares objects that differ in the same fields, and in others.
func TestCheckLogsEachFieldOnce(t *testing.T) {
	var log strings.Builder
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
	k := newCheck(1, func() klog.Logger { return logger })
	object := func(labels ...string) *metav1.PartialObjectMetadata {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", Labels: map[string]string{}}}
		for _, label := range labels {
			obj.Labels[label] = "secret"
		}
		return obj
	}
	other := object()
	other.Finalizers = []string{"secret"}
	for _, c := range []wire.Compared{
		{Got: object("x"), Want: object("x")},
		{Got: object("x"), Want: object("y")},
		{Got: object("x"), Want: object("z")},
		{Got: other, Want: object("x")},
		{Got: object(), Want: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}}, IsView: true},
		{Got: object(), Err: errors.New("secret")},
	} {
		k.Compare(c)
	}
	if k.equal.Load() != 2 || k.different.Load() != 4 {
		t.Errorf("%d are equal and %d differ, want 2 and 4", k.equal.Load(), k.different.Load())
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, want := range []string{`fields="Labels[]"`, `fields="Finalizers"`, `fields="the object, which the serializer refuses"`} {
		if len(lines) != 3 || !strings.Contains(lines[i], want) || !strings.Contains(lines[i], `object="a/one"`) || strings.Contains(lines[i], "secret") {
			t.Fatalf("the log is\n%s\nwant a line with %s", log.String(), want)
		}
	}
}
