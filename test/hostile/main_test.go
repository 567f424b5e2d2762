package hostile

import (
	"flag"
	"io"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	// Requests fail on purpose, and the informers say so at length.
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(io.Discard)
	// One of these handlers waits by a clock that began outside of the bubble.
	utilruntime.ErrorHandlers = nil
	goleak.VerifyTestMain(m)
}
