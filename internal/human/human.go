// Package human writes durations, numbers and lists as people read them.
package human

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Duration returns a duration with two units at most, such as 3m20s, or one below a second, such as 1.5ms.
func Duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0s"
	case d >= 10*time.Second:
		return duration.HumanDuration(d)
	}
	unit := time.Second
	for unit > d {
		unit /= 1000
	}
	if d < 10*unit {
		unit /= 10
	}
	return d.Truncate(unit).String()
}

// Number returns a number with a comma before each three digits.
func Number[N int | int64 | uint64](n N) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && n > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Plural returns a number and a noun, with an s unless it is one.
func Plural[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// Size returns a number of bytes with a unit of 1024, such as 1.5 MiB.
func Size(n int64) string {
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

// Rate returns a number per second, such as 0.25/s or 1,200/s.
func Rate(perSecond float64) string {
	switch {
	case perSecond <= 0:
		return "0/s"
	case perSecond < 0.01:
		return "<0.01/s"
	case perSecond < 10:
		return strconv.FormatFloat(perSecond, 'g', 2, 64) + "/s"
	}
	return Number(int64(perSecond+0.5)) + "/s"
}

// maxNamed is the number of namespaces up to which a text names them.
const maxNamed = 3

// Namespaces lists namespaces, which are sorted, in a few words. Nil is for all of them, and an empty name for those that
// are not in the list.
func Namespaces(names []string) string {
	switch n := len(names); {
	case names == nil:
		return "all namespaces"
	case n == 0:
		return "no namespace"
	case n > maxNamed:
		return Plural(n, "namespace")
	case names[0] == "":
		return strings.Join(append([]string{"other namespaces"}, names[1:]...), ", ")
	case n == 1:
		return "namespace " + names[0]
	}
	return "namespaces " + strings.Join(names, ", ")
}
