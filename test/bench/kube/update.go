package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// update writes objects through the API server, at most so many in a second.
type update struct {
	count, rate, writers int
	from                 int
	out                  string
}

func (u *update) flags() {
	pflag.IntVar(&u.count, "count", 1, "update: how many updates to write, spread over the objects")
	pflag.IntVar(&u.rate, "rate", 0, "update: how many of them a second; 0 is as fast as the server answers")
	pflag.IntVar(&u.writers, "writers", 16, "update: how many writers there are")
	pflag.IntVar(&u.from, "from", 1, "update: number of the first update, which the objects get as a label")
	pflag.StringVar(&u.out, "out", "", "update: `FILE` for the version and the time of each response")
}

// acceptMetadata asks for no more of an object than is needed here.
const acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// stride is between objects that are updated one after the other. It is a prime.
const stride = 7919

func (u *update) run(ctx context.Context, o options) error {
	clients, err := kubernetes.NewForConfig(o.config())
	if err != nil {
		return err
	}
	answers := make([]meter.Response, u.count)
	var next atomic.Int64
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for range min(u.writers, u.count) {
		group.Go(func() error {
			for n := int(next.Add(1)) - 1; n < u.count; n = int(next.Add(1)) - 1 {
				if err := u.await(ctx, began, n); err != nil {
					return err
				}
				if answers[n], err = u.write(ctx, o, clients.CoreV1().RESTClient(), n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	took := time.Since(began)
	if u.out != "" {
		if err := meter.WriteResponses(u.out, answers); err != nil {
			return err
		}
	}
	_, err = fmt.Println(took.Seconds())
	return err
}

// await returns when update n is due.
func (u *update) await(ctx context.Context, began time.Time, n int) error {
	if u.rate == 0 {
		return nil
	}
	wait := time.NewTimer(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(u.rate))))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (u *update) write(ctx context.Context, o options, client rest.Interface, n int) (meter.Response, error) {
	// The first object of a collection is not among the first ones updated.
	namespace, name := podserver.Name((n + 1) * stride % o.objects)
	k := kinds[o.kind]
	root := []string{"/api", k.resource.Version}
	if k.resource.Group != "" {
		root = []string{"/apis", k.resource.Group, k.resource.Version}
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"revision":"%d"}}}`, u.from+n)
	sent := time.Now()
	var text []byte
	var err error
	for {
		text, err = client.Patch(types.MergePatchType).AbsPath(root...).Namespace(namespace).Resource(k.resource.Resource).Name(name).
			SetHeader("Accept", acceptMetadata).Body(patch).Do(ctx).Raw()
		// The etcd of a busy machine gives up after 5 s. The same patch changes nothing if it was written.
		if !isTimeout(err) || pause(ctx) != nil {
			break
		}
	}
	at := time.Now().UnixNano()
	if err != nil {
		return meter.Response{}, fmt.Errorf("update %s/%s: %w", namespace, name, err)
	}
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &object); err != nil {
		return meter.Response{}, err
	}
	return meter.Response{Version: object.ResourceVersion, Sent: sent.UnixNano(), At: at}, nil
}

// isTimeout reports whether etcd or the API server had no time for a write, which may have been written.
func isTimeout(err error) bool {
	return err != nil && (apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || strings.Contains(err.Error(), "etcdserver: request timed out"))
}
