package kubeserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Options are how to run a server.
type Options struct {
	// Binary is the file of the command; see Build.
	Binary string
	// Args are more flags of kube-apiserver, such as --watch-cache=false.
	Args []string
	// LogOutput receives the log. Nil discards it, except for its end, which is part of the
	// error if the server does not start.
	LogOutput io.Writer
}

// Server is a running server. Its methods may be called from any goroutine.
type Server struct {
	options Options
	log     *tail
	// access is what clients need. It stays the same over Restart.
	access Access

	mu      sync.Mutex // guards process, and is held for a whole command
	process *process   // nil if it is not running
	// used and peakRSS are the processor time and the largest memory of earlier processes.
	used    time.Duration
	peakRSS int64
}

// Access is what a client needs, besides the CA.
type Access struct {
	// URL is https://127.0.0.1:PORT.
	URL string
	// Token is the bearer token of an administrator.
	Token string
	// CA is the file with the certificate of the server.
	CA string
	// Dir is the folder of its data. The server removes it when it ends.
	Dir string
	// Etcd is the URL of the unix socket of its etcd.
	Etcd string
}

// process is one run of the command.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *json.Decoder
}

// Build builds the command into a file, in minutes the first time, and seconds after that.
// repo is the root of the repository.
func Build(ctx context.Context, repo, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "-C", filepath.Join(repo, "test", "kube"), "build", "-o", file, "./server")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build kube-apiserver: %w\n%s", err, output)
	}
	return nil
}

// Start returns when the server is ready. The caller stops it, even after an error of Restart.
// ctx bounds the start only.
func Start(ctx context.Context, options Options) (*Server, error) {
	s := &Server{options: options, log: &tail{next: options.LogOutput}}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.start(ctx)
}

// Access returns what clients need.
func (s *Server) Access() Access { return s.access }

// start starts the command. mu is held.
func (s *Server) start(ctx context.Context) error {
	var args []string
	if s.access.URL != "" { // it is a restart
		at, err := url.Parse(s.access.URL)
		if err != nil {
			return err
		}
		args = append(args, "--dir="+s.access.Dir, "--port="+at.Port())
	}
	command := exec.Command(s.options.Binary, slices.Concat(args, []string{"--"}, s.options.Args)...)
	command.Stderr = s.log
	// The process may outlive its signals to the terminal: it ends with its standard input.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := command.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start kube-apiserver: %w", err)
	}
	p := &process{command, stdin, json.NewDecoder(bufio.NewReader(stdout))}
	kill := context.AfterFunc(ctx, func() { _ = command.Process.Kill() })
	err = p.stdout.Decode(&s.access)
	if !kill() {
		err = errors.Join(err, context.Cause(ctx))
	}
	if err != nil {
		_ = p.end()
		return fmt.Errorf("kube-apiserver was not ready: %w\n%s", err, s.log.text())
	}
	s.process = p
	return nil
}

// end lets the process end, and waits for it.
func (p *process) end() error {
	return errors.Join(p.stdin.Close(), p.command.Wait())
}

// stop stops the process, if it runs. mu is held.
func (s *Server) stop() error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process = nil
	err := p.end()
	if state := p.command.ProcessState; state != nil {
		s.used += state.UserTime() + state.SystemTime()
		if used, ok := state.SysUsage().(*syscall.Rusage); ok {
			s.peakRSS = max(s.peakRSS, int64(used.Maxrss)<<10) // Linux has kilobytes
		}
	}
	if err != nil {
		return fmt.Errorf("stop kube-apiserver: %w\n%s", err, s.log.text())
	}
	return nil
}

// Stop returns when the process has ended. Its data are removed then.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop()
}

// Restart stops the server, and starts it again with the same data and address. The new
// server has no events from before: a watch of an older version has expired.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.sendLocked("keep"); err != nil {
		return err
	}
	if err := s.stop(); err != nil {
		return err
	}
	return s.start(ctx)
}

// reply is the answer to a command.
type reply struct {
	Error      string
	Compacted  int64
	CPUSeconds float64
}

func (s *Server) sendLocked(command string) (answer reply, err error) {
	if s.process == nil {
		return answer, fmt.Errorf("%s: kube-apiserver does not run", command)
	}
	if _, err = io.WriteString(s.process.stdin, command+"\n"); err == nil {
		err = s.process.stdout.Decode(&answer)
	}
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	if err != nil {
		return answer, fmt.Errorf("%s: %w", command, err)
	}
	return answer, nil
}

// Compact lets etcd forget the history up to now: tokens of pages, and exact versions, expire
// within seconds. Watches expire only if the server runs with --watch-cache=false; see
// Restart.
func (s *Server) Compact() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.sendLocked("compact")
	return err
}

// CPUTime returns the processor time that the server has used so far, with restarts.
func (s *Server) CPUTime() (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, err := s.sendLocked("usage")
	return s.used + time.Duration(answer.CPUSeconds*float64(time.Second)), err
}

// PeakRSS returns the peak RSS of the server in bytes. It is 0 before Stop or Restart.
func (s *Server) PeakRSS() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peakRSS
}

// tail keeps the end of a log.
type tail struct {
	next io.Writer // may be nil

	mu  sync.Mutex // guards end
	end []byte
}

// tailBytes is how much of the log an error shows.
const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-tailBytes):]
	t.mu.Unlock()
	if t.next == nil {
		return len(p), nil
	}
	return t.next.Write(p)
}

func (t *tail) text() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.end...)
}
