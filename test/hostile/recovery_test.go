package hostile

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgo "k8s.io/client-go/tools/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

var (
	recoveriesFlag = flag.Int("recoveries", 100, "how often each outage is played to each side")
	figuresFlag    = flag.String("recovery-figures", "", "write the figures of TestRecovery to this file, in the format of Go benchmarks")
)

// latest is how long an informer may be behind after any outage: the longest wait, and the requests after it.
const latest = 12 * time.Second

// TestRecovery plays outages to informers of this project and of client-go. It measures the time from the moment when
// the server is well again until a handler hears of an object that was created then.
func TestRecovery(t *testing.T) {
	// The medians of so many random waits differ by chance.
	runs, slack := *recoveriesFlag, 600*time.Millisecond
	if testing.Short() {
		runs, slack = 10, 3*time.Second
	}
	var figures strings.Builder
	longest := map[string]time.Duration{}
	for _, way := range outages {
		for _, compacts := range []bool{false, true} {
			for _, lasts := range []time.Duration{2 * time.Second, 14 * time.Second, time.Minute} {
				name := fmt.Sprintf("%s for %v s", way.name, lasts.Seconds())
				if compacts {
					name += ", then a compaction"
				}
				t.Run(name, func(t *testing.T) {
					var ours, theirs []time.Duration
					for range runs {
						ours = append(ours, recovery(t, way, lasts, compacts, followByOurs))
						theirs = append(theirs, recovery(t, way, lasts, compacts, followByTheirs))
					}
					slices.Sort(ours)
					slices.Sort(theirs)
					t.Logf("ours %v at the median and %v at most, client-go %v and %v", ours[runs/2], ours[runs-1], theirs[runs/2], theirs[runs-1])
					if most := ours[runs-1]; most > latest {
						t.Errorf("one informer was behind for %v", most)
					}
					if ours[runs/2] > theirs[runs/2]+slack {
						t.Errorf("the median is %v, that of client-go %v", ours[runs/2], theirs[runs/2])
					}
					for side, all := range map[string][]time.Duration{"informer-gen": ours, "client-go": theirs} {
						longest[side] = max(longest[side], all[runs-1])
						for _, behind := range all {
							fmt.Fprintf(&figures, "BenchmarkRecovery/%s/side=%s 1 %d ns/op\n", strings.NewReplacer(" ", "_", ",", "").Replace(name), side, behind.Nanoseconds())
						}
					}
				})
			}
		}
	}
	for side, behind := range longest {
		fmt.Fprintf(&figures, "BenchmarkRecovery/longest/side=%s 1 %d ns/op\n", side, behind.Nanoseconds())
	}
	if *figuresFlag != "" {
		if err := os.WriteFile(*figuresFlag, []byte(figures.String()), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// follower follows all Databases until ctx ends, and calls added for each that is new. It returns when all has ended.
type follower func(ctx context.Context, clientset *versioned.Clientset, added func(*datav1.Database))

func followByOurs(ctx context.Context, clientset *versioned.Clientset, added func(*datav1.Database)) {
	factory := informers.NewSharedInformerFactory(clientset, 0)
	_, err := factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc: func(obj *datav1.Database, _ bool) { added(obj) },
	})
	if err != nil {
		panic(err) // no informer has stopped
	}
	factory.Start(ctx)
	<-ctx.Done()
	factory.Shutdown()
}

// followByTheirs has the informer that client-go's informer-gen generates.
func followByTheirs(ctx context.Context, clientset *versioned.Clientset, added func(*datav1.Database)) {
	databases := clientset.DataV1().Databases(metav1.NamespaceAll)
	informer := clientgo.NewSharedIndexInformer(clientgo.ToListWatcherWithWatchListSemantics(&clientgo.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return databases.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return databases.Watch(ctx, options)
		},
	}, clientset), &datav1.Database{}, 0, clientgo.Indexers{})
	_, err := informer.AddEventHandler(clientgo.ResourceEventHandlerFuncs{AddFunc: func(obj any) { added(obj.(*datav1.Database)) }})
	if err != nil {
		panic(err)
	}
	informer.RunWithContext(ctx)
}

// recovery returns how long an informer is behind after an outage.
func recovery(t *testing.T, way *outage, lasts time.Duration, compacts bool, follow follower) (behind time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(rand.Uint64())
		holding(20)(s)
		d := &downtime{server: s}
		l := inMemory(d, false)
		d.link = l
		l.client.Transport.(*http.Transport).DialContext = d.dialer(l.client.Transport.(*http.Transport).DialContext)
		added := make(chan string, 1000)
		ctx, cancel := context.WithCancel(t.Context())
		var following sync.WaitGroup
		following.Go(func() { follow(ctx, l.clientset(t), func(obj *datav1.Database) { added <- obj.Name }) })
		time.Sleep(90*time.Second + rand.N(time.Minute))
		synctest.Wait()
		if len(added) != 20 {
			t.Errorf("%d objects before the outage, want 20", len(added))
		}
		for len(added) > 0 {
			<-added
		}
		d.begin(way)
		time.Sleep(lasts / 2)
		s.collection.set(1) // so that the server has moved on
		time.Sleep(lasts / 2)
		if compacts {
			s.collection.bookmark()
			s.collection.forget()
		}
		s.collection.set(100)
		began := time.Now()
		d.end(compacts)
		select {
		case <-added:
			behind = time.Since(began)
		case <-time.After(5 * time.Minute):
			t.Errorf("nothing is heard five minutes after the outage:\n%s", s.lastRequests(40))
		}
		cancel()
		following.Wait()
		l.close()
		synctest.Wait() // until each request that was on its way is being served, or has ended
		s.serving.Wait()
	})
	return behind
}

// outage is a way in which a server is away.
type outage struct {
	name string
	// refuses is set if no connection can be made, and hangs if nothing is answered that is or was asked. keeps is
	// set if open connections stay so, and drops if all are cut again and again.
	refuses, hangs, keeps, drops bool
	// answer answers a request. It returns false for one that the server answers itself.
	answer func(d *downtime, w http.ResponseWriter, r *http.Request) bool
}

var outages = []*outage{
	{name: "connections refused", refuses: true},
	{name: "5xx", answer: func(d *downtime, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "the server is not ready", d.oneOf(http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable))
		return true
	}},
	{name: "random faults", drops: true, answer: func(d *downtime, w http.ResponseWriter, r *http.Request) bool {
		switch d.oneOf(0, 1, 2, 3, 4, 5, 6) {
		case 0:
			http.Error(w, "too many requests", http.StatusTooManyRequests)
		case 1:
			http.Error(w, "etcd has no leader", http.StatusInternalServerError)
		case 2:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(expired))
		case 3:
			panic(http.ErrAbortHandler)
		case 4:
			d.wait(r.Context(), 5*time.Second)
			panic(http.ErrAbortHandler)
		case 5:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(html))
		default:
			return false
		}
		return true
	}},
	{name: "silence", hangs: true, keeps: true},
	{name: "a cut and silence", hangs: true},
}

// downtime is a server that has outages.
type downtime struct {
	*server
	link *link

	mu  sync.Mutex // guards what follows
	way *outage    // nil while the server is well
	// over is closed when the outage ends.
	over    chan struct{}
	dropped sync.WaitGroup
}

func (d *downtime) begin(way *outage) {
	d.mu.Lock()
	d.way, d.over = way, make(chan struct{})
	d.mu.Unlock()
	if !way.keeps {
		d.link.drop()
	}
	if way.drops {
		d.dropped.Go(func() {
			for {
				d.wait(context.Background(), rand.N(3*time.Second))
				if now, _ := d.now(); now == nil {
					return
				}
				d.link.drop()
			}
		})
	}
}

// end ends the outage. Requests that hang are answered, and open watches end if the server has forgotten where they are.
func (d *downtime) end(compacts bool) {
	if compacts {
		d.endWatches(asExpired)
	}
	d.mu.Lock()
	d.way = nil
	close(d.over)
	d.mu.Unlock()
	d.dropped.Wait()
}

func (d *downtime) now() (*outage, chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.way, d.over
}

// wait waits, at most until the end of the outage.
func (d *downtime) wait(ctx context.Context, most time.Duration) {
	_, over := d.now()
	select {
	case <-over:
	case <-ctx.Done():
	case <-time.After(most):
	}
}

func (*downtime) oneOf(all ...int) int { return all[rand.IntN(len(all))] }

func (d *downtime) dialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if way, _ := d.now(); way != nil && way.refuses {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		return dial(ctx, network, address)
	}
}

func (d *downtime) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	way, over := d.now()
	if way != nil && way.answer != nil && way.answer(d, w, r) {
		return
	}
	if way != nil && way.hangs {
		select {
		case <-over:
		case <-r.Context().Done():
			return
		}
	}
	d.server.ServeHTTP(silenced{w, http.NewResponseController(w), d, r.Context()}, r)
}

// silenced is a response that comes only while the server is not silent.
type silenced struct {
	http.ResponseWriter
	*http.ResponseController
	d   *downtime
	ctx context.Context
}

func (s silenced) Write(text []byte) (int, error) {
	if way, over := s.d.now(); way != nil && way.hangs {
		select {
		case <-over:
		case <-s.ctx.Done():
		}
	}
	return s.ResponseWriter.Write(text)
}

func (s silenced) Flush() { _ = s.ResponseController.Flush() }
