package shard

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestListsOfMembers counts the lists of each scope while members come and go. A change of the slots costs a member at
// most one, and a steady group none. Handlers get OnAdd each time that their member comes to own an object.
func TestListsOfMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		objects := createObjects(t, server, 100)
		replicas := map[string]*replica{}
		start := func(identity string) { replicas[identity] = startReplica(t, server, identity) }
		owned := func(identity string) map[string]bool {
			owned := map[string]bool{}
			for _, obj := range objects {
				if replicas[identity].Owns(obj) {
					owned[obj.Name] = true
				}
			}
			return owned
		}
		adds := map[string]int{} // of pod-a
		// after waits, and compares the numbers of lists in each of the two namespaces.
		after := func(what string, d time.Duration, lists map[string]int64) {
			t.Helper()
			before := owned("pod-a")
			time.Sleep(d)
			synctest.Wait()
			for identity, want := range lists {
				if got := replicas[identity].line.lists.Swap(0); got != 2*want {
					t.Errorf("%s: %s has sent %d lists, want %d for each namespace", what, identity, got, want)
				}
			}
			for name := range owned("pod-a") {
				if !before[name] {
					adds[name]++
				}
			}
			r := replicas["pod-a"].recorder
			for _, obj := range objects {
				if got, want := r.adds[obj.Name], adds[obj.Name]; got != want {
					t.Errorf("%s: the handler of pod-a got OnAdd of %s %d times, want %d", what, obj.Name, got, want)
				}
			}
			if ends, wrong := r.take(); len(ends)+len(wrong) > 0 {
				t.Errorf("%s: the handler of pod-a got OnDelete of %q, and %q", what, ends, wrong)
			}
		}
		start("pod-a")
		after("the start", 40*time.Second, map[string]int64{"pod-a": 1})
		start("pod-b")
		after("pod-b comes", 20*time.Second, map[string]int64{"pod-a": 0, "pod-b": 1})
		after("a minute later", narrowAfter, map[string]int64{"pod-a": 1, "pod-b": 0})
		after("the group is steady", 5*time.Minute, map[string]int64{"pod-a": 0, "pod-b": 0})
		replicas["pod-b"].stop()
		after("pod-b has ended", 20*time.Second, map[string]int64{"pod-a": 1})
		start("pod-b")
		after("pod-b is back", 20*time.Second, map[string]int64{"pod-a": 0, "pod-b": 1})
		replicas["pod-b"].stop()
		// The caches still have the objects. So they drop them first.
		after("pod-b has ended at once", 20*time.Second, map[string]int64{"pod-a": 2})
		after("the end", 5*time.Minute, map[string]int64{"pod-a": 0})
		replicas["pod-a"].line.cut.Store(true)
		after("without the server", time.Minute, nil)
		replicas["pod-a"].line.lists.Store(0)
		replicas["pod-a"].line.cut.Store(false)
		after("with the server", 30*time.Second, map[string]int64{"pod-a": 1})
	})
}

// TestHandlersGetEachHold lets random members come, end and lose the server. Whenever all has come to rest, the handler of
// each member has got OnAdd of each object since its member has taken the slot, and none that is not the member's.
func TestHandlersGetEachHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		objects := createObjects(t, server, 100)
		random := rand.New(rand.NewPCG(7, 8))
		type told struct {
			hold uint64
			adds int
		}
		replicas, before := map[string]*replica{}, map[string]map[string]told{}
		takenBack := 0
		for round := range 30 {
			identity := fmt.Sprintf("pod-%d", random.IntN(4))
			switch r := replicas[identity]; {
			case r == nil:
				replicas[identity], before[identity] = startReplica(t, server, identity), map[string]told{}
			case random.IntN(3) == 0:
				r.line.cut.Store(true)
				time.Sleep(time.Duration(random.IntN(40)) * time.Second)
				r.line.cut.Store(false)
			default:
				r.stop()
				delete(replicas, identity)
			}
			if random.IntN(2) == 0 {
				time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
				continue // the next change comes in the middle of this one
			}
			time.Sleep(time.Duration(45+random.IntN(60)) * time.Second)
			synctest.Wait()
			for identity, r := range replicas {
				for _, obj := range objects {
					if !r.Owns(obj) {
						continue
					}
					now := told{r.holds[r.slots.of(obj)].Load(), r.recorder.adds[obj.Name]}
					last := before[identity][obj.Name]
					if now.hold == last.hold && now.adds != last.adds || now.hold != last.hold && now.adds <= last.adds {
						t.Errorf("round %d: the handler of %s got OnAdd of %s %d times up to hold %d, and %d times up to hold %d",
							round, identity, obj.Name, last.adds, last.hold, now.adds, now.hold)
					}
					if last.hold != 0 && last.hold != now.hold {
						takenBack++
					}
					before[identity][obj.Name] = now
				}
				if _, wrong := r.recorder.take(); len(wrong) > 0 {
					t.Errorf("round %d: the handler of %s got %q", round, identity, wrong)
				}
			}
		}
		if takenBack == 0 {
			t.Error("no member has taken a slot back")
		}
	})
}

// createObjects creates ConfigMaps in the namespace default.
func createObjects(t *testing.T, server *apitest.Server, count int) []*corev1.ConfigMap {
	t.Helper()
	core := corev1client.NewForConfigOrDie(&rest.Config{Host: server.URL(), Transport: server, QPS: -1})
	objects := make([]*corev1.ConfigMap, count)
	for i := range objects {
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("object-%d", i)}}
		var err error
		if objects[i], err = core.ConfigMaps("default").Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}
