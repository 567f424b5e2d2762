package meter

import (
	"path/filepath"
	"testing"
)

func sent(r Response) int64 { return r.Sent }

func TestDelays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "responses")
	if err := WriteResponses(file, []Response{{"7", 1e6, 3e6}, {"8", 2e6, 2e6}}); err != nil {
		t.Fatal(err)
	}
	writes, err := ReadResponses(file)
	if err != nil {
		t.Fatal(err)
	}
	delays, err := Delays([]Response{{Version: "8", At: 3e6}, {Version: "7", At: 11e6}}, writes, sent)
	if err != nil || delays[0] != 10 || delays[1] != 10 {
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
