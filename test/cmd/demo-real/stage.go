package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
	"github.com/typedinformers/informer-gen/testserver"
)

// stage is what the story is played on: a server, an operator, and informers
// that watch what happens.
type stage struct {
	server      *testserver.Server
	client      *versioned.Clientset
	kube        *kubernetes.Clientset
	factory     informers.SharedInformerFactory
	events      chan event
	operator    *exec.Cmd
	ended       <-chan struct{} // closed when the operator has ended; operatorErr has how
	operatorErr error
	operatorLog string
	log         *os.File // of the operator
	// found gets what the operator serves, which is then in serves.
	found  chan addresses
	serves addresses
}

// open starts everything. On an error nothing is left running.
func open(ctx context.Context, build, operator string) (_ *stage, err error) {
	s := &stage{events: make(chan event, 100), found: make(chan addresses, 1), operatorLog: filepath.Join(build, "operator.log")}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := compile(ctx, build, operator); err != nil { // which may take minutes
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.startServer(ctx, build, filepath.Join(operator, "config", "crd")); err != nil {
		return nil, err
	}
	if err := s.startOperator(build); err != nil {
		return nil, err
	}
	if err := s.showAddresses(ctx); err != nil {
		return nil, err
	}
	return s, s.startInformers(ctx)
}

func (s *stage) startServer(ctx context.Context, build, manifests string) (err error) {
	started := time.Now()
	if s.server, err = testserver.New(ctx, testserver.WithDir(filepath.Join(build, "data"))); err != nil {
		return err
	}
	demo.Say("server", "the API server for CRDs, on an embedded etcd, serves %s (%s)", s.server.URL(), demo.Seconds(started))
	crds, err := testserver.LoadCRDs(manifests)
	if err != nil {
		return err
	}
	if err := s.server.InstallCRDs(ctx, crds...); err != nil {
		return err
	}
	var names []string
	for _, crd := range crds {
		names = append(names, crd.Name)
	}
	demo.Say("crds", "installed %s", strings.Join(names, ", "))
	if s.client, err = versioned.NewForConfig(s.server.Config()); err != nil {
		return err
	}
	s.kube, err = kubernetes.NewForConfig(s.server.Config())
	return err
}

// compile builds the example's binary.
func compile(ctx context.Context, build, operator string) error {
	command := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(build, "operator"), ".")
	command.Dir = operator
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the operator: %w\n%s", cmp.Or(ctx.Err(), err), output)
	}
	return nil
}

// startOperator runs the example as a process of its own.
func (s *stage) startOperator(build string) error {
	kubeconfig := filepath.Join(build, "kubeconfig")
	if err := s.server.WriteKubeconfig(kubeconfig); err != nil {
		return err
	}
	log, err := os.Create(s.operatorLog)
	if err != nil {
		return err
	}
	s.log = log
	s.operator = exec.Command(filepath.Join(build, "operator"), "--kubeconfig="+kubeconfig, "--leader-elect",
		"--health-address=127.0.0.1:0", "--debug-address=127.0.0.1:0")
	output := &logFile{to: log, found: s.found}
	s.operator.Stdout, s.operator.Stderr = output, output
	// Ctrl-C ends the demo, which then ends the operator: a second signal would end it at once.
	s.operator.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.operator.Start(); err != nil {
		s.operator = nil
		return fmt.Errorf("cannot start the operator: %w", err)
	}
	s.awaitOperator()
	demo.Say("operator", "examples/operator runs as process %d", s.operator.Process.Pid)
	return nil
}

// awaitOperator closes s.ended when the operator, which runs, has ended.
func (s *stage) awaitOperator() {
	ended, operator := make(chan struct{}), s.operator
	s.ended = ended
	go func() {
		defer close(ended)
		s.operatorErr = operator.Wait()
	}()
}

// endedByItself returns the error that ends the demo after the operator, whose addresses no longer
// answer. The caller has received from s.ended.
func (s *stage) endedByItself() error {
	text, _ := os.ReadFile(s.operatorLog) // what the process has said is complete
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	s.operator = nil
	return fmt.Errorf("the operator has ended by itself (%v): %s", cmp.Or(s.operatorErr, errors.New("exit status 0")), lines[len(lines)-1])
}

// close stops everything, and fails if the operator did not end in good order.
func (s *stage) close() error {
	var errs []error
	if s.operator != nil {
		if err := s.operator.Process.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
		<-s.ended
		if err := s.operatorErr; err != nil {
			errs = append(errs, fmt.Errorf("the operator did not end in good order: %w, see %s", err, s.operatorLog))
		}
		s.operator = nil
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
		s.log = nil
	}
	if s.factory != nil {
		s.factory.Shutdown()
	}
	if s.server != nil {
		errs = append(errs, s.server.Stop())
	}
	return errors.Join(errs...)
}
