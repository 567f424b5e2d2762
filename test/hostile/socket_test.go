package hostile

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// socketFaults are those that a client gets over without a long wait.
var socketFaults = []string{"byte by byte", "gzip", "cut", "gone event", "garbage between events"}

// TestOverSockets plays a few faults over real connections, beside a writer, and resets
// these or the streams in them. It follows progress, not the clock.
func TestOverSockets(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for the informer's backoff, not for a processor
			playOverSockets(t, http2)
		})
	}
}

func playOverSockets(t *testing.T, http2 bool) {
	s := newServer(1)
	holding(200)(s)
	l := overSockets(t, s, http2)
	p := newPlay(t, s, l, allOfIt)
	p.start()
	h := p.handlers[0].recorder
	must := func(err error) {
		t.Helper()
		if err != nil {
			p.note("failed")
			p.report(err)
			t.FailNow()
		}
	}
	defer func() {
		p.stopWriting()
		p.factory.Shutdown()
		l.client.CloseIdleConnections()
		l.close()
		s.serving.Wait()
	}()
	must(h.AwaitEvents(t.Context(), 200))
	p.startWriting(300, watch.Added, watch.Modified, watch.Deleted)
	for i, name := range socketFaults {
		p.note("fault %q", name)
		s.use(name, 17)
		if i%2 == 0 {
			l.drop()
		} else {
			s.endWatches(abruptly) // over HTTP/2 the stream is reset, and the connection stays
		}
		must(s.awaitFault(t.Context()))
		s.set(nil, 0, 0)
		s.heal(true)
		must(h.AwaitEvents(t.Context(), h.Events()+50))
	}
	p.stopWriting()
	must(h.Await(t.Context(), s.collection.versions()))
	must(p.checkHistories())
	truth := s.collection.truth()
	must(differ("the cache", p.informer.GetIndexer().List(), truth))
	must(p.checkIndexes(truth))
}

// versions returns the version of each object.
func (c *collection) versions() map[cache.ObjectName]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	versions := make(map[cache.ObjectName]string, len(c.objects))
	for name, s := range c.objects {
		versions[name] = strconv.Itoa(s.version)
	}
	return versions
}
