package frontier

import "testing"

func TestFrontier(t *testing.T) {
	var f Frontier
	want := func(received, applied string, heard int, isListed bool) {
		t.Helper()
		if f.Received().Version != received || f.Applied().Version != applied || int(f.Heard()) != heard || f.IsListed() != isListed {
			t.Errorf("received %v, applied %v, heard at %d, listed: %v", f.Received(), f.Applied(), f.Heard(), f.IsListed())
		}
	}
	want("", "", 0, false)
	f.Receive(Position{"8", 0}, 5)
	f.Receive(Position{"9", 1}, 4) // of an older batch
	want("9", "", 5, false)
	f.Apply(Position{"8", 0})
	want("9", "8", 5, true)
	f.Apply(Position{"9", 1})
	want("9", "9", 5, true)
	f.Receive(Position{"3", 1}, 6) // a server that was restored
	f.Apply(Position{"3", 1})
	want("3", "3", 6, true)
	f.Apply(Position{"", 1}) // a server without versions
	want("3", "", 6, true)
}

func TestNumber(t *testing.T) {
	for version, want := range map[string]uint64{"": 0, "0": 0, "7": 7, "-1": 0, "abc": 0, "18446744073709551615": 1<<64 - 1, "18446744073709551616": 0} {
		if got := (Position{Version: version}).Number(); got != want {
			t.Errorf("%q is %d, want %d", version, got, want)
		}
	}
}
