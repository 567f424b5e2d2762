package progress_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/test/progress"
)

// TestFollow makes steps slower and slower, and then none.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := progress.Follow(t.Context())
		defer cancel()
		for pause := time.Second; pause < progress.Stall; pause *= 2 {
			time.Sleep(pause)
			progress.Step()
		}
		time.Sleep(progress.Stall - time.Second)
		if err := context.Cause(ctx); err != nil {
			t.Fatalf("with steps: %v", err)
		}
		began := time.Now()
		<-ctx.Done()
		if took := time.Since(began); took > progress.Stall+time.Second {
			t.Errorf("it ended %v late", took)
		}
		if err := context.Cause(ctx); !strings.Contains(err.Error(), "no test has made progress") {
			t.Errorf("the cause is %v", err)
		}
	})
}

// TestFollowWithoutAnyStep ends after one Stall.
func TestFollowWithoutAnyStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		<-progress.Context(t).Done()
		if took := time.Since(began); took != progress.Stall {
			t.Errorf("it ended after %v", took)
		}
	})
}

// TestFollowEndsWithItsParent does so at once, and by cancel.
func TestFollowEndsWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		parent, end := context.WithCancel(t.Context())
		child, cancel := progress.Follow(parent)
		defer cancel()
		canceled, cancelNow := progress.Follow(parent)
		cancelNow()
		<-canceled.Done()
		if child.Err() != nil {
			t.Error("cancel ends other contexts")
		}
		end()
		<-child.Done()
		if took := time.Since(began); took != 0 {
			t.Errorf("it ended after %v", took)
		}
	})
}
