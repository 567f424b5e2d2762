package cachetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"
)

// ShownLog keeps the lines that a program without -v writes.
type ShownLog struct {
	mu    sync.Mutex // guards Lines
	Lines []string
}

func (l *ShownLog) Init(klog.RuntimeInfo) {}

func (l *ShownLog) Enabled(level int) bool { return level == 0 }

func (l *ShownLog) WithName(string) klog.LogSink { return l }

func (l *ShownLog) WithValues(values ...any) klog.LogSink { return &resourceLog{l, values} }

func (l *ShownLog) Info(_ int, message string, kv ...any) { l.add(message, kv) }

func (l *ShownLog) Error(err error, message string, kv ...any) {
	l.add(fmt.Sprintf("%s: %v", message, err), kv)
}

func (l *ShownLog) add(line string, kv []any) {
	for pair := range slices.Chunk(kv, 2) {
		line += fmt.Sprintf(" %v=%v", pair[0], pair[1])
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Lines = append(l.Lines, line)
}

// resourceLog adds values to each line.
type resourceLog struct {
	*ShownLog
	values []any
}

func (n *resourceLog) WithValues(values ...any) klog.LogSink {
	return &resourceLog{n.ShownLog, append(slices.Clip(n.values), values...)}
}

func (n *resourceLog) Info(_ int, message string, kv ...any) {
	if len(kv) > 1 && kv[0] == "err" { // the error is next to the message
		message, kv = fmt.Sprintf("%s: %v", message, kv[1]), kv[2:]
	}
	n.add(message, append(slices.Clip(n.values), kv...))
}

func (n *resourceLog) Error(err error, message string, kv ...any) {
	n.ShownLog.Error(err, message, append(slices.Clip(n.values), kv...)...)
}

// Take returns the lines since the last call.
func (l *ShownLog) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.Lines
	l.Lines = nil
	return lines
}

// WantLog checks that each line of the log has the text of want.
func WantLog(t *testing.T, log *ShownLog, want ...string) {
	t.Helper()
	synctest.Wait()
	got := log.Take()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = strings.Contains(got[i], want[i])
	}
	if !same {
		t.Errorf("the log has\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// LineLog keeps the lines of a logger.
type LineLog struct {
	Mu    sync.Mutex // guards Lines
	Lines []string
}

func (l *LineLog) Init(klog.RuntimeInfo) {}

func (l *LineLog) Enabled(int) bool { return true }

func (l *LineLog) WithName(string) klog.LogSink { return l }

func (l *LineLog) WithValues(...any) klog.LogSink { return l }

func (l *LineLog) Info(_ int, message string, kv ...any) { l.add(message, kv) }

func (l *LineLog) Error(err error, message string, kv ...any) {
	l.add(message, append([]any{"err", err}, kv...))
}

func (l *LineLog) add(message string, kv []any) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.Lines = append(l.Lines, fmt.Sprint(append([]any{message}, kv...)...))
}

// Take returns the lines about skipped objects since the last call.
func (l *LineLog) Take() (lines []string) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, line := range l.Lines {
		if strings.HasPrefix(line, "Skipped") {
			lines = append(lines, line)
		}
	}
	l.Lines = nil
	return lines
}
