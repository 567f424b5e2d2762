package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/testserver"
)

// TestMain runs a replica, in place of the tests, if the process has the name of one.
func TestMain(m *testing.M) {
	if os.Getenv("POD_NAME") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// replica is a process that runs the program.
type replica struct {
	*exec.Cmd
	t *testing.T
}

// startReplica starts a replica. It ends with the test.
func startReplica(t *testing.T, server *testserver.Server, name string) *replica {
	t.Helper()
	config := filepath.Join(t.TempDir(), "kubeconfig")
	if err := server.WriteKubeconfig(config); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{exec.Command(program), t}
	r.Env = append(os.Environ(), "POD_NAME="+name, "KUBECONFIG="+config)
	r.Stdout, r.Stderr = os.Stderr, os.Stderr
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	return r
}

// kill ends the process at once. It may be called again.
func (r *replica) kill() {
	if r.ProcessState != nil {
		return
	}
	if err := r.Process.Kill(); err != nil {
		r.t.Error(err)
	}
	_ = r.Wait() // its error is the signal
}

// stop ends the process as Kubernetes does, and waits for it.
func (r *replica) stop() {
	r.t.Helper()
	if err := r.Process.Signal(os.Interrupt); err != nil {
		r.t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		r.t.Error(err)
	}
}

// owners has the replica that has reconciled each ConfigMap.
type owners struct {
	mu      sync.Mutex
	known   map[string]string
	changed chan struct{}
}

func (o *owners) set(c *corev1.ConfigMap) {
	o.mu.Lock()
	o.known[c.Name] = c.Annotations[reconciledBy]
	o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// counts returns the number of ConfigMaps of each replica.
func (o *owners) counts() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	counts := map[string]int{}
	for _, replica := range o.known {
		counts[replica]++
	}
	return counts
}

// await waits until exactly some replicas own all ConfigMaps.
func (o *owners) await(t *testing.T, total int, replicas ...string) {
	t.Helper()
	for {
		counts, n := o.counts(), 0
		for _, name := range replicas {
			if counts[name] > 0 {
				n += counts[name]
				delete(counts, name)
			} else {
				n = -total
			}
		}
		if n == total && len(counts) == 0 {
			return
		}
		select {
		case <-o.changed:
		case <-t.Context().Done():
			t.Fatalf("the replicas own %v, want %d of %v", o.counts(), total, replicas)
		}
	}
}

// TestReplicas runs three replicas on an API server, kills one, and stops another.
func TestReplicas(t *testing.T) {
	server := testserver.Start(t, testserver.WithBuiltIn(&corev1.ConfigMap{}))
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	const total = 60
	for i := range total {
		c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("shared-%d", i), Labels: map[string]string{"shared": "yes"}}}
		if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	informer, err := corev1informers.ConfigMapKind(client).NewInformer(cache.WithLabelSelector("shared=yes"))
	if err != nil {
		t.Fatal(err)
	}
	seen := &owners{known: map[string]string{}, changed: make(chan struct{}, 1)}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.ConfigMap]{
		AddFunc:    func(c *corev1.ConfigMap, _ bool) { seen.set(c) },
		UpdateFunc: func(_, c *corev1.ConfigMap) { seen.set(c) },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { informer.Run(ctx) })
	defer running.Wait()
	defer cancel()

	first, second := startReplica(t, server, "replica-1"), startReplica(t, server, "replica-2")
	third := startReplica(t, server, "replica-3")
	seen.await(t, total, "replica-1", "replica-2", "replica-3")
	t.Logf("three replicas own %v", seen.counts())
	first.kill()
	seen.await(t, total, "replica-2", "replica-3")
	t.Logf("after a kill, two own %v", seen.counts())
	second.stop()
	seen.await(t, total, "replica-3")
	third.stop()
}
