package conformance

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
)

func TestMain(m *testing.M) {
	packing.Default = packingtest.Compression()
	// Scenarios fail on purpose, and both informers log each failure.
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	// One of these handlers waits until a millisecond has passed since the last error, by a
	// clock that began outside of the bubble: for 26 years.
	utilruntime.ErrorHandlers = nil
	goleak.VerifyTestMain(m)
}
