package protocol

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 100 {
		d := Pause{Min: time.Second, Max: 2 * time.Second}.Pick(rand.N[time.Duration])
		if d < time.Second || d > 2*time.Second {
			t.Fatalf("a pause of one to two seconds lasts %v", d)
		}
		seen[d] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different waits of 100", len(seen))
	}
	if d := (Pause{}).Pick(rand.N[time.Duration]); d != 0 {
		t.Errorf("no pause lasts %v", d)
	}
}

func TestBackoffsGetDefaults(t *testing.T) {
	set := Backoffs{
		"":           {Max: 5 * time.Second},
		Forbidden:    {Initial: time.Minute},
		Unauthorized: {Initial: time.Millisecond, Max: time.Second},
	}.WithDefaults()
	for reason, want := range (Backoffs{
		ServerError:  {600 * time.Millisecond, 5 * time.Second},
		Forbidden:    {time.Minute, time.Minute},
		NotFound:     {3500 * time.Millisecond, 30 * time.Second},
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
