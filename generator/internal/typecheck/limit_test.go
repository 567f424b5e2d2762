package typecheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		stuck := func() error { <-release; return nil }

		started := time.Now()
		err := withLimit(t.Context(), time.Minute, "example.com/shop/v1", stuck)
		if err == nil || !strings.Contains(err.Error(), "checking the types of example.com/shop/v1 takes longer than 1m0s") || time.Since(started) != time.Minute {
			t.Errorf("after %v: %v", time.Since(started), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := withLimit(ctx, time.Minute, "", stuck); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a canceled check: %v", err)
		}
		failure := errors.New("failure")
		if err := withLimit(t.Context(), time.Minute, "", func() error { return failure }); err != failure {
			t.Errorf("a check that fails: %v", err)
		}
	})
}
