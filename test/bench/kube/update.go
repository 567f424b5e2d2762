package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

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

// written is a response: the version of the object, and when it came, in nanoseconds of the
// system's clock.
type written struct {
	Version string
	At      int64
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
	answers := make([]written, u.count)
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
		if err := writeAnswers(u.out, answers); err != nil {
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

func (u *update) write(ctx context.Context, o options, client rest.Interface, n int) (written, error) {
	// The first object of a collection is not among the first ones updated.
	namespace, name := podserver.Name((n + 1) * stride % o.objects)
	k := kinds[o.kind]
	root := []string{"/api", k.resource.Version}
	if k.resource.Group != "" {
		root = []string{"/apis", k.resource.Group, k.resource.Version}
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"revision":"%d"}}}`, u.from+n)
	text, err := client.Patch(types.MergePatchType).AbsPath(root...).Namespace(namespace).Resource(k.resource.Resource).Name(name).
		SetHeader("Accept", acceptMetadata).Body(patch).Do(ctx).Raw()
	at := time.Now().UnixNano()
	if err != nil {
		return written{}, fmt.Errorf("update %s/%s: %w", namespace, name, err)
	}
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &object); err != nil {
		return written{}, err
	}
	return written{object.ResourceVersion, at}, nil
}

func writeAnswers(name string, answers []written) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	for _, answer := range answers {
		fmt.Fprintln(buffered, answer.Version, answer.At)
	}
	return buffered.Flush()
}

// readAnswers returns the times by version.
func readAnswers(name string) (map[string]int64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	times := map[string]int64{}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var answer written
		if _, err := fmt.Sscan(scanner.Text(), &answer.Version, &answer.At); err != nil {
			return nil, err
		}
		times[answer.Version] = answer.At
	}
	return times, nil
}
