package cache

import (
	"testing"

	"github.com/typedinformers/informer-gen/runtime/internal/leaks"
)

func TestMain(m *testing.M) {
	leaks.Main(m)
}
