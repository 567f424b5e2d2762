package cache

import (
	"testing"

	"go.uber.org/goleak"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{}) // discards; most tests have failures, and those of the log have their own
	goleak.VerifyTestMain(m)
}
