package activity

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// TestCheck has histories that are right, and histories that each have one fault.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		play func(*Log)
		want string // in the only violation; empty for none
	}{
		"one after the other": {func(l *Log) {
			work(l, "a", 1, 1, 10, 2, 11)
			work(l, "b", 1, 3, 12, 4, 13)
			work(l, "a", 2, 5, 14, 6, 15)
		}, ""},
		"at one time, without a record of an end": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			work(l, "b", 1, 2, 12, 3, 13)
			l.Ended("a", 1, true, at(4))
		}, "a worked on it from 00:00:01.000000 to 00:00:04"},
		"at one version": {func(l *Log) { // the clock cannot tell, because it was set
			work(l, "a", 1, 1, 10, 2, 20)
			work(l, "b", 1, 3, 15, 4, 18)
		}, "a worked on it in versions 10 to 20 (work 1), and b in 15 to 18"},
		"one process twice": {func(l *Log) {
			work(l, "a", 1, 1, 10, 3, 12)
			work(l, "a", 2, 2, 11, 4, 13)
		}, ""},
		"a long one over many": {func(l *Log) {
			work(l, "a", 1, 1, 10, 9, 19)
			work(l, "a", 2, 2, 11, 3, 12)
			work(l, "b", 1, 10, 18, 11, 25)
		}, "versions 10 to 19"},
		"killed": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.Wrote("a", "x", 11)
			l.Killed("a", at(2))
			work(l, "b", 1, 3, 12, 4, 13)
		}, ""},
		"killed too late": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.Killed("a", at(4))
			work(l, "b", 1, 3, 12, 4, 13)
		}, "a worked on it from"},
		"paused, and fenced after it": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.Wrote("a", "x", 11)
			l.Paused("a", at(2), at(9))
			work(l, "b", 1, 3, 12, 4, 13)
			l.Ended("a", 1, true, at(9))
		}, ""},
		"paused, and a write after it": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.Paused("a", at(2), at(9))
			work(l, "b", 1, 3, 12, 4, 13)
			l.Wrote("a", "x", 14)
			l.Ended("a", 1, true, at(9))
		}, "a worked on it in versions 10 to 14"},
		"paused, and never noticed": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.Paused("a", at(2), at(9))
			l.Began("b", 1, "x", "", at(3))
			l.Ended("b", 1, false, at(4))
			l.Ended("a", 1, false, at(10))
		}, "a worked on it from 00:00:01.000000 to 00:00:10"},
		"paused between the record of its end and its end": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.RecordedEnd("a", 1, 11, at(2))
			l.Paused("a", at(2), at(9))
			work(l, "b", 1, 3, 12, 4, 13)
			l.Ended("a", 1, false, at(9))
		}, ""},
		"paused, and recorded after it": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
			l.RecordedBegin("a", 1, 10)
			l.Paused("a", at(2), at(7))
			l.Began("b", 1, "x", "", at(3))
			l.Ended("b", 1, false, at(4))
			l.RecordedEnd("a", 1, 11, at(8))
			l.Ended("a", 1, false, at(9))
		}, "a worked on it from 00:00:01.000000 to 00:00:08"},
		"a write without a work": {func(l *Log) {
			l.Wrote("a", "x", 3)
			work(l, "a", 1, 1, 10, 2, 11)
		}, "a wrote version 3 before it began"},
		"a write after the end": {func(l *Log) {
			work(l, "a", 1, 1, 10, 2, 11)
			work(l, "b", 1, 3, 12, 4, 14)
			l.Wrote("a", "x", 13)
		}, "a worked on it in versions 10 to 13"},
		"never ended": {func(l *Log) {
			l.Began("a", 1, "x", "", at(1))
		}, "never ended"},
		"records that were sent again": {func(l *Log) {
			l.RecordedBegin("a", 1, 5)
			work(l, "b", 1, 1, 6, 2, 7)
			work(l, "a", 1, 3, 8, 4, 9)
			work(l, "b", 2, 5, 10, 6, 11)
			l.RecordedEnd("a", 1, 12, at(7))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLog()
			c.play(l)
			found := l.Check()
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("found %v", found)
			case c.want != "" && len(found) != 1:
				t.Errorf("found %v, want one violation with %q", found, c.want)
			case c.want != "" && !strings.Contains(found[0].String(), c.want):
				t.Errorf("found %v, want %q in it", found, c.want)
			}
			if again := l.Check(); fmt.Sprint(again) != fmt.Sprint(found) {
				t.Errorf("the second time it found %v, the first time %v", again, found)
			}
		})
	}
}

// work notes a work on x that ended in good order: times and versions of its beginning and end.
func work(l *Log, process string, id int64, began int, first int64, ended int, last int64) {
	l.Began(process, id, "x", "", at(began))
	l.RecordedBegin(process, id, first)
	l.RecordedEnd(process, id, last, at(ended))
	l.Ended(process, id, false, at(ended))
}

// TestCheckRandom compares Check with a comparison of all pairs.
func TestCheckRandom(t *testing.T) {
	overlaps := 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := NewLog()
		type interval struct {
			process  string
			from, to int
		}
		var all []interval
		want := false
		for id := range int64(1 + random.IntN(5)) {
			from := random.IntN(100)
			i := interval{string(rune('a' + random.IntN(3))), from, from + 1 + random.IntN(20)}
			for _, other := range all {
				want = want || other.process != i.process && other.from < i.to && i.from < other.to
			}
			all = append(all, i)
			work(l, i.process, id, i.from, int64(i.from), i.to, int64(i.to))
		}
		// Version 0 means that there was no record, so the clock alone decides then.
		if got := len(l.Check()) > 0; got != want {
			t.Fatalf("seed %d: Check found %v in %v, want %v", seed, l.Check(), all, want)
		}
		if want {
			overlaps++
		}
	}
	if overlaps < 100 || overlaps > 1900 {
		t.Errorf("%d of 2000 histories have an overlap: the test proves nothing", overlaps)
	}
}

func TestLast(t *testing.T) {
	l := NewLog()
	work(l, "a", 1, 1, 10, 2, 11)
	work(l, "b", 1, 3, 12, 4, 13)
	l.Began("a", 2, "x", "", at(5)) // it did not end in good order
	l.RecordedBegin("a", 2, 14)
	l.Ended("a", 2, true, at(6))
	if last := l.Last()["x"]; last.Process != "b" || last.ID != 1 {
		t.Errorf("the last work is %+v", last)
	}
	if s := l.Summary(); s.Works != 3 || s.Fenced != 1 || s.Handed != 2 {
		t.Errorf("the summary is %v", s)
	}
}
