package cache

import (
	"testing"

	"github.com/typedinformers/informer-gen/internal/leaks"
)

func TestMain(m *testing.M) {
	leaks.Main(m)
}
