package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
)

// access is what the program needs to know of the server.
type access struct {
	URL, Control string
	CA           []byte
}

// counts are what has happened on the server.
type counts struct {
	Writes, Expired, Cuts, Compactions, Restarts int64
}

// server is an API server in memory, on a port. It writes, fails and restarts by itself.
type server struct {
	options
	api     *apitest.Server
	objects *apitest.Tracker
	front   *httptest.Server

	// busy is held for reading by each step, and by the program while nothing may happen.
	busy    sync.RWMutex
	isQuiet atomic.Bool

	writes, expired, cuts, compactions, restarts atomic.Int64

	mu     sync.Mutex // guards random
	random *rand.Rand
}

var databases = datav1.SchemeGroupVersion.WithResource("databases")

// serve serves until in ends, and then the process has to. It first writes its access to out.
func serve(o options, in io.Reader, out io.Writer) error {
	s := &server{options: o, random: rand.New(rand.NewPCG(o.Seed, 1))}
	kind := apitest.Kind{GroupVersionKind: datav1.SchemeGroupVersion.WithKind("Database"), Resource: databases.Resource, Namespaced: true, Status: true, Type: &datav1.Database{}}
	var err error
	if s.api, err = apitest.New(apitest.WithKinds(kind), apitest.WithHistory(max(1000, o.Objects))); err != nil {
		return err
	}
	s.objects = s.api.Tracker(nil)
	for slot := range o.Objects {
		if err := s.objects.Add(newDatabase(nameOf(slot, 0), s.content())); err != nil {
			return err
		}
	}
	s.fail()
	if err := s.open("127.0.0.1:0"); err != nil {
		return err
	}
	control := httptest.NewServer(http.HandlerFunc(s.control))
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.front.Certificate().Raw})
	if err := json.NewEncoder(out).Encode(access{s.front.URL, control.URL, ca}); err != nil {
		return err
	}
	go s.write()
	go s.disturb()
	_, err = io.Copy(io.Discard, in)
	return err // and the process ends
}

// open listens, with HTTP/2 over TLS, as a kube-apiserver does.
func (s *server) open(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s.front = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.api.ServeHTTP(&observed{ResponseWriter: w, expired: &s.expired}, r)
	}))
	s.front.Listener.Close()
	s.front.Listener, s.front.EnableHTTP2 = listener, true
	s.front.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.front.StartTLS()
	return nil
}

// observed counts the answers 410, also those inside of a watch.
type observed struct {
	http.ResponseWriter
	expired *atomic.Int64
	begun   bool
}

func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

func (o *observed) WriteHeader(code int) {
	if code == http.StatusGone {
		o.expired.Add(1)
	}
	o.ResponseWriter.WriteHeader(code)
}

func (o *observed) Write(text []byte) (int, error) {
	if !o.begun && bytes.Contains(text[:min(len(text), 1000)], []byte(`"type":"ERROR"`)) {
		o.expired.Add(1)
	}
	o.begun = true
	return o.ResponseWriter.Write(text)
}

func (s *server) chance(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

func (s *server) content() int32 { return int32(s.chance(1000)) }

// fail makes the faults, each for one of so many requests.
func (s *server) fail() {
	on := func(verb string, oneOf int) apitest.Match {
		return s.api.On(verb, "databases").Where(func(*http.Request) bool { return !s.isQuiet.Load() && s.chance(oneOf) == 0 })
	}
	on("watch", 20).Disconnect()
	on("watch", 20).Unavailable(time.Second)
	on("watch", 20).Expired()
	on("watch", 10).Delay(time.Second)
	on("watch", 5).CutAfter(5000)
	on("list", 20).Disconnect()
	on("list", 20).TooManyRequests(time.Second)
	on("list", 10).Truncate(1 << 20)
	on("list", 10).Delay(time.Second)
	for _, verb := range []string{"create", "update", "delete"} {
		on(verb, 200).LoseResponse()
		on(verb, 200).Disconnect()
		on(verb, 200).Unavailable(0)
		on(verb, 100).Delay(200 * time.Millisecond)
	}
}

// write changes objects at the rate that was asked for, if the machine has the time.
func (s *server) write() {
	spelling := make([]int, s.Objects)
	last := time.Now()
	for range time.Tick(10 * time.Millisecond) {
		s.busy.RLock()
		now := time.Now()
		due := min(now.Sub(last).Seconds(), 1) * float64(s.Rate) // no burst after a pause
		last = now
		for range int(math.Ceil(due)) {
			slot := s.chance(s.Objects)
			name := nameOf(slot, spelling[slot])
			err := error(nil)
			switch {
			case own(slot) || s.chance(20) > 0:
				err = s.objects.Update(databases, newDatabase(name, s.content()), name.Namespace)
			default: // the number of objects stays the same
				err = s.objects.Delete(databases, name.Namespace, name.Name)
				spelling[slot] = s.chance(spellings)
				name = nameOf(slot, spelling[slot])
				err = errors.Join(err, s.objects.Create(databases, newDatabase(name, s.content()), name.Namespace))
				s.writes.Add(1)
			}
			s.writes.Add(1)
			if err != nil && !(own(slot) && apierrors.IsNotFound(err)) {
				log.Fatalf("write %s: %v", name, err)
			}
		}
		s.busy.RUnlock()
	}
}

// disturb cuts connections, expires versions, and restarts the server.
func (s *server) disturb() {
	for {
		time.Sleep(s.Calm/2 + time.Duration(s.chance(int(s.Calm))))
		s.busy.RLock()
		switch s.chance(10) {
		case 0:
			s.restart()
		case 1, 2:
			s.compactions.Add(1)
			s.api.Compact()
			s.api.CutWatches("databases")
		case 3, 4, 5:
			s.cuts.Add(1)
			s.front.CloseClientConnections()
		default:
			s.cuts.Add(1)
			s.api.CutWatches("databases")
		}
		s.busy.RUnlock()
	}
}

// restart keeps the objects. It closes all connections, refuses new ones for a while, and forgets what has changed: a watch
// has to list again.
func (s *server) restart() {
	s.restarts.Add(1)
	address := s.front.Listener.Addr().String()
	s.front.Listener.Close()
	s.api.Restart()
	s.front.CloseClientConnections()
	s.front.Close()
	time.Sleep(s.Calm/10 + time.Duration(s.chance(int(s.Calm/2))))
	if err := s.open(address); err != nil {
		log.Fatal(err)
	}
}

// control answers the program itself.
func (s *server) control(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/pause":
		s.busy.Lock()
		s.isQuiet.Store(true)
	case "/resume":
		s.isQuiet.Store(false)
		s.busy.Unlock()
	case "/truth":
		if err := s.truth(w); err != nil {
			panic(err) // the program sees a body that breaks
		}
		return
	}
	_ = json.NewEncoder(w).Encode(counts{s.writes.Load(), s.expired.Load(), s.cuts.Load(), s.compactions.Load(), s.restarts.Load()})
}

// truth writes the table of all objects. It asks the server as a client does, and decodes with encoding/json.
func (s *server) truth(w io.Writer) error {
	table := make([]state, s.Objects*spellings)
	for n := range namespaces {
		request, err := http.NewRequest(http.MethodGet, s.api.URL()+"/apis/data.example.com/v1/namespaces/"+namespaceOf(n)+"/databases", nil)
		if err != nil {
			return err
		}
		response, err := s.api.RoundTrip(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		list := &datav1.DatabaseList{}
		if err := json.NewDecoder(response.Body).Decode(list); err != nil {
			return err
		}
		for i := range list.Items {
			d := &list.Items[i]
			index, err := indexOf(d.Name)
			if err != nil {
				return err
			}
			if table[index], err = stateOf(d, contentOf(d.Spec.ClassName, d.Spec.StorageGi, d.Labels)); err != nil {
				return err
			}
		}
	}
	return binary.Write(w, binary.LittleEndian, table)
}
