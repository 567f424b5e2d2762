package cache

import (
	"io"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard) // most tests have failures, and those of the log have their own
	goleak.VerifyTestMain(m)
}
