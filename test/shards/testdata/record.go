package controller

// This file is compiled into the operator by test/shards. Each work is noted in a journal, with the
// time of the machine, and at the API server, whose versions order it among the writes.

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// The journal is set by the environment: without it the operator is as it is.
func init() {
	file := os.Getenv("OPERATOR_JOURNAL")
	if file == "" {
		return
	}
	r := &recording{
		member: os.Getenv("OPERATOR_MEMBER"),
		wrong:  os.Getenv("OPERATOR_WRONG"),
	}
	var err error
	if r.journal, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		panic(err)
	}
	if text := os.Getenv("OPERATOR_WORK"); text != "" {
		if r.work, err = time.ParseDuration(text); err != nil {
			panic(err)
		}
	}
	beginWork = r.begin
}

// recording is in the place of a Coordinator's Begin.
type recording struct {
	member string
	// wrong is a fault of the Coordinator that the test has to find; empty for none:
	//
	//	everything  the process works on all that it has cached
	//	unfenced    work goes on when the Lease has expired
	//	early       a handover does not wait for work in progress
	wrong string
	// work is how much longer each work takes.
	work    time.Duration
	journal *os.File
	last    atomic.Int64

	once sync.Once
	kube kubernetes.Interface
}

// note writes a line to the journal, in one system call.
func (r *recording) note(what string, id int64, object, seen string, fenced bool) {
	line, err := json.Marshal(map[string]any{
		"What": what, "ID": id, "Object": object, "Seen": seen, "Fenced": fenced, "Nanos": time.Now().UnixNano(),
	})
	if err == nil {
		_, err = r.journal.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

func (r *recording) begin(c *shard.Coordinator, ctx context.Context, obj metav1.Object) (context.Context, func(), bool) {
	work, done, ok := c.Begin(ctx, obj)
	switch r.wrong {
	case "everything":
		if !ok {
			work, done, ok = ctx, func() {}, true
		}
	case "unfenced":
		// Without the values of work, the Transport does not know the requests either.
		work = ctx
	case "early":
		if ok {
			done()
			work, done = ctx, func() {}
		}
	}
	if !ok {
		return work, done, false
	}
	id := r.last.Add(1)
	name := cache.MetaObjectToName(obj).String()
	r.note("begin", id, name, obj.GetResourceVersion(), false)
	if !r.record(work, c, id, "begin") {
		r.note("end", id, name, "", true)
		done()
		return work, nil, false
	}
	if r.work > 0 {
		select {
		case <-time.After(r.work):
		case <-work.Done():
		}
	}
	return work, func() {
		if work.Err() == nil {
			r.record(work, c, id, "end")
		}
		r.note("end", id, name, "", work.Err() != nil)
		done()
	}, true
}

// record writes what happens to the API server, again and again until the server has it. It reports
// false if the work was canceled before.
func (r *recording) record(ctx context.Context, c *shard.Coordinator, id int64, what string) bool {
	r.once.Do(func() { r.kube = r.connect(c) })
	maps := r.kube.CoreV1().ConfigMaps("database-operator")
	// Several, so that workers do not wait for each other.
	record := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", r.member, id%4)},
		Data:       map[string]string{"id": strconv.FormatInt(id, 10), "what": what},
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := maps.Update(attempt, record, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) {
			_, err = maps.Create(attempt, record, metav1.CreateOptions{})
		}
		cancel()
		if err == nil {
			return true
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
}

// connect returns a client that is fenced as the others are, with the kubeconfig of this process.
func (r *recording) connect(c *shard.Coordinator) kubernetes.Interface {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPERATOR_KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.QPS = -1
	config.ContentType = "application/json" // which the recorder of the test reads
	config.Wrap(c.Transport)
	return kubernetes.NewForConfigOrDie(config)
}
