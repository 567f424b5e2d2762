package conformance

import (
	"flag"
	"io"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	// Scenarios fail on purpose, and both informers say so at length.
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	mustSucceed(flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}))
	klog.SetOutput(io.Discard)
	// One of these handlers waits until a millisecond has gone by since the last
	// error, by a clock that began outside of the bubble: for 26 years.
	utilruntime.ErrorHandlers = nil
	goleak.VerifyTestMain(m)
}
