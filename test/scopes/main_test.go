package scopes

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(isServer) != "" {
		serve()
		return
	}
	packing.Default = packingtest.Compression()
	goleak.VerifyTestMain(m)
}
