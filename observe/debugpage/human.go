package debugpage

import (
	"fmt"
	"strconv"
	"time"
)

// String returns the duration with two units at most, such as 3m20s, or a smaller one as 12ms.
func (s Seconds) String() string {
	d := time.Duration(s)
	switch {
	case d <= 0:
		return "0s"
	case d < time.Microsecond:
		return "<1µs"
	case d < time.Millisecond:
		return fmt.Sprintf("%dµs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < 10*time.Minute:
		return pair(d, time.Minute, "m", time.Second, "s")
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 10*time.Hour:
		return pair(d, time.Hour, "h", time.Minute, "m")
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// pair returns a duration in a unit, and the rest in a smaller one unless it is 0.
func pair(d, unit time.Duration, name string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d%s", d/unit, name)
	if rest := d % unit / small; rest > 0 {
		text += fmt.Sprintf("%d%s", rest, smallName)
	}
	return text
}

// number returns a number with a comma before each three digits.
func number[N int | int64 | uint64](n N) string {
	if n < 0 {
		return fmt.Sprint(n)
	}
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// size returns a number of bytes with a unit of 1024, such as 1.5 MiB.
func size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", max(n, 0))
	}
	value, unit := float64(n)/1024, 0
	for value >= 1000 && unit < len("KMGTPE")-1 {
		value, unit = value/1024, unit+1
	}
	format := "%.0f %ciB"
	if value < 10 {
		format = "%.1f %ciB"
	}
	return fmt.Sprintf(format, value, "KMGTPE"[unit])
}

// rate returns a number per second, such as 0.2/s or 1,200/s.
func rate(perSecond float64) string {
	switch {
	case perSecond <= 0:
		return "0/s"
	case perSecond < 0.01:
		return "<0.01/s"
	case perSecond < 1:
		return strconv.FormatFloat(perSecond, 'f', 2, 64) + "/s"
	case perSecond < 10:
		return strconv.FormatFloat(perSecond, 'f', 1, 64) + "/s"
	}
	return number(int64(perSecond+0.5)) + "/s"
}

// plural returns a number and a noun, with an s unless it is one.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}
