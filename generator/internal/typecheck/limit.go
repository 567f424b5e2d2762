package typecheck

import (
	"context"
	"fmt"
	"time"
)

// maxChecking is how long types are checked. Any package in use takes less than a second, but go/types
// needs exponential time for some generic types, and cannot be stopped.
const maxChecking = 8 * time.Second

// withLimit runs check on the packages in paths. It returns an error if ctx ends first, or if check takes
// longer than limit. Then check continues in the background, so the caller must not use the data that it
// changes.
func withLimit(ctx context.Context, limit time.Duration, paths string, check func() error) error {
	done := make(chan error, 1)
	go func() { done <- check() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("checking the types of %s takes longer than %v, because types are nested too deeply; "+
			"simplify them, or leave a package out with --exclude", paths, limit)
	}
}
