package apitest_test

import (
	"testing"

	"github.com/typedinformers/informer-gen/internal/leaks"
)

// TestMain fails if a test leaves a goroutine, because a server has none.
func TestMain(m *testing.M) { leaks.Main(m) }
