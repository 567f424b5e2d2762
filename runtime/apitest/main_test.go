package apitest_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a test leaves a goroutine, because a server has none.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
