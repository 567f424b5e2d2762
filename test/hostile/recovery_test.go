package hostile

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
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
	overTCPFlag    = flag.Duration("recovery-over-tcp", 0, "how long outages over TCP last; they are not played by default")
	figuresFlag    = flag.String("recovery-figures", "", "write the figures of TestRecovery to this file, in the format of Go benchmarks")
)

const (
	// latest is how long an informer may be behind after any outage: the longest wait, and the requests after it.
	latest = 12 * time.Second
	// playsOverTCP is how many informers of each side have an outage over TCP, all at once.
	playsOverTCP = 100
)

// TestRecovery plays outages to informers of this project and of client-go. It measures the time from the moment when
// the server is well again until a handler hears of an object that was created then.
func TestRecovery(t *testing.T) {
	// The medians of so many random waits differ by chance.
	runs, slack := *recoveriesFlag, 600*time.Millisecond
	if testing.Short() {
		runs, slack = 10, 3*time.Second
	}
	all := figures{longest: map[string]time.Duration{}}
	for _, way := range outages {
		for _, compacts := range []bool{false, true} {
			for _, lasts := range []time.Duration{2 * time.Second, 14 * time.Second, time.Minute} {
				name := fmt.Sprintf("%s for %v s", way.name, lasts.Seconds())
				if compacts {
					name += ", then a compaction"
				}
				t.Run(name, func(t *testing.T) {
					var ours, theirs []time.Duration
					for n := range runs {
						ours = append(ours, recovery(t, way, lengthOf(n, runs, lasts), compacts, followByOurs))
						theirs = append(theirs, recovery(t, way, lengthOf(n, runs, lasts), compacts, followByTheirs))
					}
					all.add(t, name, slack, ours, theirs)
				})
			}
		}
	}
	if *overTCPFlag > 0 {
		playOverTCP(t, &all, slack)
	}
	all.write(t)
}

// playOverTCP plays outages in real time, over TLS and HTTP/2. The informers wait at the same time.
func playOverTCP(t *testing.T, all *figures, slack time.Duration) {
	ours, theirs := make([][]time.Duration, len(outages)), make([][]time.Duration, len(outages))
	var playing sync.WaitGroup
	for i, way := range outages {
		if !way.overTCP {
			continue
		}
		ours[i], theirs[i] = make([]time.Duration, playsOverTCP), make([]time.Duration, playsOverTCP)
		for n := range playsOverTCP {
			lasts := lengthOf(n, playsOverTCP, *overTCPFlag)
			playing.Go(func() { ours[i][n] = recoveryOverTCP(t, way, lasts, followByOurs) })
			playing.Go(func() { theirs[i][n] = recoveryOverTCP(t, way, lasts, followByTheirs) })
		}
	}
	playing.Wait()
	for i, way := range outages {
		if name := fmt.Sprintf("%s for %v s, over TCP", way.name, overTCPFlag.Seconds()); way.overTCP {
			t.Run(name, func(t *testing.T) { all.add(t, name, slack, ours[i], theirs[i]) })
		}
	}
}

// lengthOf returns how long outage n of so many lasts: up to a quarter shorter or longer than lasts. Client-go retries at whole
// seconds after the begin, so the outages end in all phases of a second.
func lengthOf(n, outages int, lasts time.Duration) time.Duration {
	return lasts*3/4 + lasts/2*time.Duration(2*n+1)/time.Duration(2*outages)
}

// figures are the results as lines of Go benchmarks.
type figures struct {
	text    strings.Builder
	longest map[string]time.Duration // by side
}

// add adds how long the informers of both sides were behind after an outage, and checks it.
func (f *figures) add(t *testing.T, outage string, slack time.Duration, ours, theirs []time.Duration) {
	for _, side := range []struct {
		name string
		all  []time.Duration
	}{{"informer-gen", ours}, {"client-go", theirs}} {
		slices.Sort(side.all)
		most := side.all[len(side.all)-1]
		f.longest[side.name] = max(f.longest[side.name], most)
		row := fmt.Sprintf("BenchmarkRecovery/%s/side=%s 1", strings.NewReplacer(" ", "_", ",", "").Replace(outage), side.name)
		for _, behind := range side.all {
			fmt.Fprintf(&f.text, "%s %d ns/op\n", row, behind.Nanoseconds())
		}
		fmt.Fprintf(&f.text, "%s %d longest-ns\n", row, most.Nanoseconds())
	}
	our, their := ours[len(ours)/2], theirs[len(theirs)/2]
	t.Logf("ours %v at the median and %v at most, client-go %v and %v", our, ours[len(ours)-1], their, theirs[len(theirs)-1])
	if most := ours[len(ours)-1]; most > latest {
		t.Errorf("one informer was behind for %v", most)
	}
	if our > their+slack {
		t.Errorf("the median is %v, that of client-go %v", our, their)
	}
}

func (f *figures) write(t *testing.T) {
	for side, behind := range f.longest {
		fmt.Fprintf(&f.text, "BenchmarkRecovery/longest/side=%s 1 %d ns/op\n", side, behind.Nanoseconds())
	}
	if *figuresFlag != "" {
		if err := os.WriteFile(*figuresFlag, []byte(f.text.String()), 0o666); err != nil {
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

// recovery returns how long an informer is behind after an outage, in virtual time.
func recovery(t *testing.T, way *outage, lasts time.Duration, compacts bool, follow follower) (behind time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &downtime{server: newServer(rand.Uint64())}
		d.inBubble()
		behind = d.play(t, way, 90*time.Second+rand.N(time.Minute), lasts, compacts, follow)
		synctest.Wait() // until each request that was on its way is being served, or has ended
		d.serving.Wait()
	})
	return behind
}

// recoveryOverTCP returns the same in real time.
func recoveryOverTCP(t *testing.T, way *outage, lasts time.Duration, follow follower) time.Duration {
	d := &downtime{server: newServer(rand.Uint64())}
	d.overTCP()
	defer d.serving.Wait()
	return d.play(t, way, 12*time.Second+rand.N(10*time.Second), lasts, false, follow)
}

// play returns how long an informer is behind after an outage that begins when it has run for some time.
func (d *downtime) play(t *testing.T, way *outage, begins, lasts time.Duration, compacts bool, follow follower) (behind time.Duration) {
	holding(20)(d.server)
	added := make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	clientset := d.link.clientset(t)
	following.Go(func() { follow(ctx, clientset, func(obj *datav1.Database) { added <- obj.Name }) })
	defer func() {
		cancel()
		following.Wait()
		d.link.close()
	}()
	for range 20 {
		select {
		case <-added:
		case <-time.After(5 * time.Minute):
			t.Errorf("not synced before the outage:\n%s", d.lastRequests(40))
			return 0
		}
	}
	time.Sleep(begins)
	for len(added) > 0 {
		<-added
	}
	d.begin(way)
	time.Sleep(lasts / 2)
	d.collection.set(1) // so that the server has moved on
	time.Sleep(lasts / 2)
	if compacts {
		d.collection.bookmark()
		d.collection.forget()
	}
	d.collection.set(100)
	began := time.Now()
	d.end(compacts)
	select {
	case <-added:
		behind = time.Since(began)
	case <-time.After(5 * time.Minute):
		t.Errorf("nothing is heard five minutes after the outage:\n%s", d.lastRequests(40))
	}
	return behind
}
