package main

import (
	"context"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demotest"
)

func TestDemo(t *testing.T) {
	demotest.Stay(t, func(ctx context.Context) error { return run(ctx, "../../..", true) }, func(text string) bool {
		return strings.HasPrefix(text, "demo at ") && strings.Contains(text, "databaseservers")
	}, "ready: 3 informers", timeout)
}
