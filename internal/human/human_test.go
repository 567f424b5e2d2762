package human

import (
	"testing"
	"time"
)

func TestTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0s", 0: "0s", 999: "999ns", 1500: "1.5µs", 196600: "196µs", 12 * time.Millisecond: "12ms", 1500 * time.Millisecond: "1.5s", 9990 * time.Millisecond: "9.9s", 59 * time.Second: "59s",
		200 * time.Second: "3m20s", 59 * time.Minute: "59m", 5*time.Hour + 30*time.Minute: "5h30m", 47 * time.Hour: "47h", 72 * time.Hour: "3d",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{-5: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 999 << 10: "999 KiB", 1000 << 10: "1.0 MiB", 48 << 20: "48 MiB", 5 << 40: "5.0 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{-1234: "-1234 objects", 0: "0 objects", 1: "1 object", 999: "999 objects", 1000: "1,000 objects", 1234567: "1,234,567 objects"} {
		if got := Plural(n, "object"); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	for r, want := range map[float64]string{0: "0/s", 0.001: "<0.01/s", 0.25: "0.25/s", 2.34: "2.3/s", 1234: "1,234/s"} {
		if got := Rate(r); got != want {
			t.Errorf("%v is %s, want %s", r, got, want)
		}
	}
}
