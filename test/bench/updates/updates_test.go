package updates

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func sent(r Response) int64 { return r.Sent }

func TestDelays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "responses")
	writeResponses(file, []Response{{"7", 1, 3}, {"8", 2, 2}})
	writes := readResponses(file)
	delays, err := Delays([]Response{{Version: "8", At: 3}, {Version: "7", At: 11}}, writes, sent)
	if err != nil || !slices.Equal(delays, []time.Duration{1, 10}) {
		t.Errorf("%v, %v", delays, err)
	}
	for name, seen := range map[string][]Response{
		"one is missing":          {{Version: "7"}},
		"one is seen twice":       {{Version: "7"}, {Version: "8"}, {Version: "7"}},
		"one was written by none": {{Version: "7"}, {Version: "9"}},
	} {
		if delays, err := Delays(seen, writes, sent); err == nil {
			t.Errorf("%s: %v", name, delays)
		}
	}
}
