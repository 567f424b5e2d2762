package hostile

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

var (
	seedFlag = flag.Uint64("seed", 0, "play this seed only")
	forFlag  = flag.Duration("for", 0, "play random seeds for so long")
)

// plays is how many random plays a test run has.
const plays = 20

// found are seeds of plays that failed once.
var found = []uint64{1795309777127145435, 1795309777127146149, 1795309777127148229, 1795309777127149084, 1795310640824702544}

func TestRandomPlays(t *testing.T) {
	switch {
	case *seedFlag != 0:
		playSeed(t, *seedFlag)
	case *forFlag != 0:
		began := time.Now()
		for seed := uint64(began.UnixNano()); time.Since(began) < *forFlag; seed++ {
			playSeed(t, seed)
		}
	default:
		for seed := range uint64(plays) {
			playSeed(t, seed+1)
		}
		for _, seed := range found {
			playSeed(t, seed)
		}
	}
}

func playSeed(t *testing.T, seed uint64) {
	t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { playScript(t, scriptOf(seed)) })
	})
}

// FuzzHostile plays any script of faults and changes.
func FuzzHostile(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(scriptOf(seed + 1001))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > maxScript {
			return
		}
		synctest.Test(t, func(t *testing.T) { playScript(t, script) })
	})
}

func TestCheckRates(t *testing.T) {
	began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		every           time.Duration
		failed, counted bool
		tooMany         bool
	}{
		"as many errors as may be": {time.Minute / maxFailed, true, true, false},
		"more errors":              {time.Minute/maxFailed - time.Millisecond, true, true, true},
		"as many as may be":        {time.Minute / maxSound, false, true, false},
		"more":                     {time.Minute/maxSound - time.Millisecond, false, true, true},
		"pages":                    {time.Millisecond, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []*request
			for n := range 200 {
				requests = append(requests, &request{at: began.Add(time.Duration(n) * test.every), failed: test.failed, counted: test.counted})
			}
			if _, err := checkRates(requests, 0); (err != nil) != test.tooMany {
				t.Errorf("found %v", err)
			}
		})
	}
}
