package updates

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// writers is how many updates are written at the same time.
const writers = 16

// Update is the command of the process.
type Update struct {
	// Rate is how many updates are written in a second; 0 is as fast as the server answers.
	Rate        int
	count, from int
	out         string
}

// Flags defines the flags.
func (u *Update) Flags() {
	pflag.IntVar(&u.count, "count", 1, "update: how many updates to write, spread over the objects")
	pflag.IntVar(&u.Rate, "rate", 1000, "how many updates a kube-apiserver gets in a second; 0 is as fast as it answers")
	pflag.IntVar(&u.from, "from", 1, "update: number of the first update, which the objects get as a label; it must be a new one")
	pflag.StringVar(&u.out, "out", "", "update: `FILE` for the version and the time of each response")
}

// Run writes the updates.
func (u *Update) Run(ctx context.Context, access link.Access, kind podserver.Kind, objects int) {
	client := meter.Must(kubernetes.NewForConfig(access.Config())).CoreV1().RESTClient()
	answers := make([]Response, u.count)
	var next atomic.Int64
	began := time.Now()
	var group sync.WaitGroup
	for range min(writers, u.count) {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < u.count; n = int(next.Add(1)) - 1 {
				if u.Rate > 0 {
					time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(u.Rate))))
				}
				answers[n] = u.write(ctx, kind, objects, client, n)
			}
		})
	}
	group.Wait()
	writeResponses(u.out, answers)
}

// Retry calls do until it returns no timeout. The etcd of a busy machine gives up after 5 s, and may have done its work then. So
// do must be the same if it is done twice.
func Retry(do func() error) {
	err := do()
	for ; isTimeout(err); err = do() {
		time.Sleep(200 * time.Millisecond)
	}
	meter.Check(err)
}

func isTimeout(err error) bool {
	return err != nil && (apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || strings.Contains(err.Error(), "etcdserver: request timed out"))
}

// acceptMetadata asks for no more of an object than is needed here.
const acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

func (u *Update) write(ctx context.Context, kind podserver.Kind, objects int, client rest.Interface, n int) Response {
	namespace, name := Name(n, objects)
	root := []string{"/api", kind.Version}
	if kind.Group != "" {
		root = []string{"/apis", kind.Group, kind.Version}
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"revision":"%d"}}}`, u.from+n)
	sent := time.Now().UnixNano()
	var object metav1.PartialObjectMetadata
	Retry(func() error {
		text, err := client.Patch(types.MergePatchType).AbsPath(root...).Namespace(namespace).Resource(kind.Resource).Name(name).
			SetHeader("Accept", acceptMetadata).Body(patch).Do(ctx).Raw()
		if err != nil {
			return fmt.Errorf("update %s/%s: %w", namespace, name, err)
		}
		return json.Unmarshal(text, &object)
	})
	return Response{Version: object.ResourceVersion, Sent: sent, At: time.Now().UnixNano()}
}
