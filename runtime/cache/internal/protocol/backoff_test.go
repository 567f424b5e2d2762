package protocol

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestJitter(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 100 {
		d := WithJitter(time.Second, rand.N[time.Duration])
		if d < time.Second || d > 1250*time.Millisecond {
			t.Fatalf("a second becomes %v", d)
		}
		seen[d] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different waits of 100", len(seen))
	}
	if WithJitter(0, rand.N[time.Duration]) != 0 {
		t.Error("no wait became one")
	}
}

func TestBackoffsGetDefaults(t *testing.T) {
	set := Backoffs{
		"":           {Max: 5 * time.Second},
		Forbidden:    {Initial: time.Minute},
		Unauthorized: {Initial: time.Millisecond, Max: time.Second},
	}.WithDefaults()
	for reason, want := range (Backoffs{
		ServerError:  {800 * time.Millisecond, 5 * time.Second},
		Forbidden:    {time.Minute, time.Minute},
		NotFound:     {2 * time.Second, 24 * time.Second},
		Unauthorized: {time.Millisecond, time.Second},
	}) {
		if got := set.of(reason); got != want {
			t.Errorf("the backoff of %s is %v, want %v", reason, got, want)
		}
	}
	if got := Backoffs(nil).WithDefaults().of(ServerError); got != defaultBackoffs[""] {
		t.Errorf("the default is %v after another informer set its own", got)
	}
}
