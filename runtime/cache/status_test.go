package cache

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestStatusTextOfInformers reads the text of a SharedIndexInformer, and that of a
// Controller.
func TestStatusTextOfInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "x", nil)
		src.Set("a", "y", nil)
		s := start(t, Config[object]{ListerWatcher: src, Resource: widgets})
		controller := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		cachetest.Run(t, controller.Run)
		time.Sleep(5 * time.Minute)
		for _, got := range []string{s.Status().String(), controller.Status().String()} {
			if want := "Watching for 5m: 2 objects at version 102"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}
