package scopes

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(isServer) != "" {
		serve()
		return
	}
	goleak.VerifyTestMain(m)
}
