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
const plays = 50

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
	}
}

func playSeed(t *testing.T, seed uint64) {
	t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { playScript(t, scriptOf(seed)) })
	})
}

// FuzzHostile plays any script of faults and changes.
func FuzzHostile(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(scriptOf(seed + 1))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > maxScript {
			return
		}
		synctest.Test(t, func(t *testing.T) { playScript(t, script) })
	})
}
