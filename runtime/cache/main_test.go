package cache

import (
	"testing"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
)

func TestMain(m *testing.M) {
	packing.Default = packingtest.Compression()
	leaks.Main(m)
}
