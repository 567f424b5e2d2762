package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/typedinformers/informer-gen/test/faults"
)

// Member is a process of the operator.
type Member struct {
	// Name is p1, p2 and so on. It is also the identity of the process.
	Name string
	// Probes is the URL of /readyz and /metrics.
	Probes string
	// LogFile is the log.
	LogFile string

	fleet    *Fleet
	command  *exec.Cmd
	proxy    *faults.Proxy
	recorder *httptest.Server
	journal  *journal
	ended    chan struct{} // closed when the process has ended
	endErr   error         // then, why

	mu     sync.Mutex // guards the fields below
	paused time.Time  // zero if it runs
	killed bool
	// leaving is set when the process was asked to end.
	leaving bool
}

// start starts a process, and returns when it serves its probes. The Fleet's mu is held.
func (f *Fleet) start(ctx context.Context, name, namespace string) (_ *Member, err error) {
	m := &Member{Name: name, fleet: f, LogFile: filepath.Join(f.options.Dir, name+".log"), ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	m.recorder = httptest.NewServer(&recorder{process: name, log: f.Log, target: f.options.Config.Host, transport: f.transport, put: f.options.Put, sharded: &f.Sharded})
	if m.proxy, err = faults.Start(m.recorder.URL); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(f.options.Dir, name+".kubeconfig")
	if err := writeKubeconfig(kubeconfig, m.proxy.URL(), namespace); err != nil {
		return nil, err
	}
	file := filepath.Join(f.options.Dir, name+".journal")
	if m.journal, err = openJournal(file, name, f.Log); err != nil {
		return nil, err
	}
	log, err := os.Create(m.LogFile)
	if err != nil {
		return nil, err
	}
	found := make(chan string, 1)
	output := &logFile{file: log, found: found}
	m.command = exec.Command(f.binary, append([]string{
		"--kubeconfig=" + kubeconfig, "--shards", "--identity=" + name, "--health-address=127.0.0.1:0", "--debug-address=",
	}, f.options.Args...)...)
	m.command.Env = append(append(os.Environ(), "OPERATOR_MEMBER="+name, "OPERATOR_JOURNAL="+file, "OPERATOR_KUBECONFIG="+kubeconfig), f.options.Env...)
	m.command.Stdout, m.command.Stderr = output, output
	// Ctrl-C ends the program, which then ends the processes.
	m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := m.command.Start(); err != nil {
		m.command = nil
		return nil, fmt.Errorf("cannot start the operator: %w", err)
	}
	go func() {
		defer close(m.ended)
		m.endErr = m.command.Wait()
		_ = log.Close()
	}()
	select {
	case address := <-found:
		m.Probes = "http://" + address
		return m, nil
	case <-m.ended:
		return nil, fmt.Errorf("%s ended at its start: %w; its log is %s", name, m.endErr, m.LogFile)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s does not serve its probes: %w; its log is %s", name, context.Cause(ctx), m.LogFile)
	}
}

func writeKubeconfig(file, url, namespace string) error {
	config := api.NewConfig()
	config.Clusters["fleet"] = &api.Cluster{Server: url}
	config.AuthInfos["fleet"] = api.NewAuthInfo() // the recorder adds the token
	config.Contexts["fleet"] = &api.Context{Cluster: "fleet", AuthInfo: "fleet", Namespace: namespace}
	config.CurrentContext = "fleet"
	return clientcmd.WriteToFile(*config, file)
}

// Namespace is the namespace of the operator, which has its Leases.
const Namespace = "database-operator"

// Running reports whether the process has not ended. A paused process has not.
func (m *Member) Running() bool {
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// Pid returns the id of the process.
func (m *Member) Pid() int { return m.command.Process.Pid }

// Usage is what a process that has ended has used.
type Usage struct {
	CPU      time.Duration
	PeakRSS  int64 // in bytes
	LogBytes int64
}

// Usage returns what the process has used. It reports false while the process runs.
func (m *Member) Usage() (u Usage, ok bool) {
	if m.command == nil || m.Running() {
		return u, false
	}
	state := m.command.ProcessState
	u.CPU = state.UserTime() + state.SystemTime()
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.PeakRSS = int64(used.Maxrss) << 10 // Linux has kilobytes
	}
	if info, err := os.Stat(m.LogFile); err == nil {
		u.LogBytes = info.Size()
	}
	return u, true
}

// String returns the Usage as a text.
func (u Usage) String() string {
	return fmt.Sprintf("%.1f s of CPU time, %d MB of peak RSS, %d MB of log", u.CPU.Seconds(), u.PeakRSS/1e6, u.LogBytes/1e6)
}

// Kill ends the process at once, as kill -9 does, and returns when it has ended.
func (m *Member) Kill() error {
	m.mu.Lock()
	m.killed = true
	m.mu.Unlock()
	if err := m.command.Process.Kill(); err != nil {
		return fmt.Errorf("cannot kill %s: %w", m.Name, err)
	}
	<-m.ended
	m.fleet.Log.Killed(m.Name, time.Now())
	return m.Read()
}

// Pause stops the process with SIGSTOP until Resume.
func (m *Member) Pause() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("cannot pause %s: %w", m.Name, err)
	}
	m.paused = time.Now()
	return nil
}

// Resume lets a paused process go on.
func (m *Member) Resume() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paused.IsZero() {
		return nil
	}
	m.fleet.Log.Paused(m.Name, m.paused, time.Now())
	m.paused = time.Time{}
	if err := m.command.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("cannot resume %s: %w", m.Name, err)
	}
	return nil
}

// Partition is a way to cut a process off from the API server.
type Partition int

const (
	// Refused closes each connection at once.
	Refused Partition = iota
	// Silent takes requests, and neither answers nor passes them on.
	Silent
	// Deaf passes requests on, and loses the answers.
	Deaf
)

// String returns the name of the Partition.
func (p Partition) String() string { return [...]string{"refused", "silent", "deaf"}[p] }

// CutOff separates the process from the API server until Heal.
func (m *Member) CutOff(how Partition) {
	fault := faults.Cut()
	switch how {
	case Silent:
		fault = faults.Delay(24 * time.Hour)
	case Deaf:
		fault = faults.Truncate(0)
	}
	m.proxy.Set(faults.Rule{Fault: fault})
	m.proxy.CutAll()
}

// Heal ends what CutOff did. A request that waits is dropped, and not passed on.
func (m *Member) Heal() {
	m.proxy.Clear()
	m.proxy.CutAll()
}

// Read reads the journal up to its end.
func (m *Member) Read() error { return m.journal.read() }

// Stop asks the process to end in good order, and waits for it.
func (m *Member) Stop() error {
	m.mu.Lock()
	killed := m.killed
	m.leaving = true
	m.mu.Unlock()
	if killed || m.command == nil {
		return nil
	}
	m.Heal()
	if err := m.Resume(); err != nil {
		return err
	}
	if m.Running() {
		// It may end by itself meanwhile.
		_ = m.command.Process.Signal(syscall.SIGTERM)
	}
	<-m.ended
	if err := m.Read(); err != nil {
		return err
	}
	if m.endErr != nil {
		return fmt.Errorf("%s ended with %w; its log is %s", m.Name, m.endErr, m.LogFile)
	}
	return nil
}

// close ends what belongs to the process, and the process itself if it still runs.
func (m *Member) close() error {
	if m.command != nil && m.Running() {
		_ = m.command.Process.Kill()
		<-m.ended
	}
	if m.proxy != nil {
		m.proxy.Stop()
	}
	if m.recorder != nil {
		m.recorder.CloseClientConnections()
		m.recorder.Close()
	}
	if m.journal != nil {
		return m.journal.close()
	}
	return nil
}

// serving is how the operator logs the address of its probes.
var serving = regexp.MustCompile(`Serving [^"]*/readyz" address="([^"]+)"`)

// logFile is the log of a process. It finds the address of the probes in it.
type logFile struct {
	file  *os.File
	text  []byte
	found chan string // gets the address once
}

// Write writes to the file, and looks for the address until it is known.
func (l *logFile) Write(p []byte) (int, error) {
	if l.found != nil {
		l.text = append(l.text, p...)
		if match := serving.FindSubmatch(bytes.TrimSpace(l.text)); match != nil {
			l.found <- string(match[1])
			l.found, l.text = nil, nil
		}
	}
	return l.file.Write(p)
}
