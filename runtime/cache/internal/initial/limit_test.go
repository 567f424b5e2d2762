package initial

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestHangingFirstListDelaysOthersBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := make(chan struct{}, 1)
		leave := Join(t.Context(), limit)
		began := time.Now()
		next := Join(t.Context(), limit)
		if time.Since(began) != Timeout {
			t.Errorf("the second list waited %v", time.Since(began))
		}
		leave()
		next()
		next()
		if len(limit) != 0 {
			t.Errorf("%d tokens are taken", len(limit))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		limit <- struct{}{}
		Join(ended, limit)()
		if len(limit) != 1 {
			t.Error("a token was released that was not taken")
		}
	})
}
