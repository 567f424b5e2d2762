package testserver

import (
	"flag"
	"io"
	"log"
	"slices"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
)

// logOutput is one server's log: etcd, the HTTP server and klog write to it from any goroutine.
type logOutput struct {
	mu sync.Mutex // serializes writes to w
	w  io.Writer  // nil discards
}

func (l *logOutput) Write(p []byte) (int, error) {
	if l.w == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// zap is the logger for etcd.
func (l *logOutput) zap() *zap.Logger {
	if l.w == nil {
		return zap.NewNop()
	}
	format := zap.NewProductionEncoderConfig()
	format.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(format), zapcore.AddSync(l), zap.InfoLevel)).Named("etcd")
}

// http is the logger for net/http.
func (l *logOutput) http() *log.Logger { return log.New(l, "http: ", log.LstdFlags) }

// klogOutput is where klog writes once the first server has started: klog has one output per process, and a
// line does not say which server it is about, so each running server's log gets all of them.
//
// It stays for the life of the process. klog cannot return its output before, and restoring its whole
// state races with the goroutines that still log.
type klogOutput struct {
	redirect sync.Once
	mu       sync.RWMutex // guards outputs
	outputs  []*logOutput
}

var sharedKlog klogOutput

func (k *klogOutput) attach(l *logOutput) {
	k.redirect.Do(func() {
		// By default klog copies errors to standard error even when it has an output of its own.
		flags := flag.NewFlagSet("klog", flag.ContinueOnError)
		klog.InitFlags(flags)
		if err := flags.Set("stderrthreshold", "FATAL"); err != nil {
			panic("testserver: klog no longer knows the severity FATAL: " + err.Error())
		}
		// klog writes a line to the output of its own severity and to all lower ones: the lowest has each once.
		klog.SetOutput(io.Discard)
		klog.SetOutputBySeverity("INFO", k)
		klog.LogToStderr(false)
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outputs = append(k.outputs, l)
}

func (k *klogOutput) detach(l *logOutput) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outputs = slices.DeleteFunc(k.outputs, func(o *logOutput) bool { return o == l })
}

// Write is called by klog under klog's own lock, once per line.
func (k *klogOutput) Write(p []byte) (int, error) {
	k.mu.RLock()
	outputs := slices.Clone(k.outputs)
	k.mu.RUnlock()
	for _, l := range outputs {
		// A log that cannot be written must not stop the others.
		_, _ = l.Write(p)
	}
	return len(p), nil
}
