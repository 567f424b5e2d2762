package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// serverURL is the base URL of a server.
const serverURL = "https://server"

// write sends a POST, a PATCH or a DELETE of an object, as a client whose transport is observed does.
func (s *stage) write(method, key string) {
	s.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	url, mediaType := serverURL+pathOf(namespace, name), "application/merge-patch+json"
	if method == http.MethodPost {
		url, mediaType = serverURL+pathOf(namespace, ""), "application/json"
	}
	text, err := json.Marshal(newContent(key))
	if err != nil {
		s.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.Context(), method, url, bytes.NewReader(text))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", mediaType)
	if method == http.MethodDelete {
		request.Body = http.NoBody
	}
	response, err := s.writer.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode >= 300 {
		s.Errorf("%s %s: %s, %v", method, url, response.Status, err)
	}
}

// RoundTrip answers a write.
func (s *fakeServer) RoundTrip(request *http.Request) (*http.Response, error) {
	part := strings.Split(request.URL.Path, "/")
	var answer any
	if request.Method == http.MethodDelete {
		key := part[5] + "/" + part[7]
		s.mu.Lock()
		uid := s.objects[key].UID
		s.mu.Unlock()
		s.remove(key)
		answer = &metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusSuccess,
			Details:  &metav1.StatusDetails{Name: part[7], UID: types.UID(uid), Group: widgets.Group, Kind: widgets.Resource},
		}
	} else {
		var sent metav1.PartialObjectMetadata
		if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
			return nil, err
		}
		obj := s.put(part[5] + "/" + sent.Name)
		obj.TypeMeta = metav1.TypeMeta{Kind: widgetKind.Kind, APIVersion: widgets.GroupVersion().String()}
		answer = obj
	}
	text, err := json.Marshal(answer)
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(text)),
		Request:    request,
	}, err
}

// noteOne writes down whether a lister has an object.
func (s *stage) noteOne(what string) {
	if obj, found := s.informer.Get("a", "one"); found {
		s.note("%s: %s@%s", what, keyOf(obj), obj.ResourceVersion)
		return
	}
	s.note("%s: nothing", what)
}

// watchIsBehind ends the watch. The next one is answered after a call of goOn.
func (s *stage) watchIsBehind() (goOn func()) {
	s.pass(minute) // a watch that ends early would cause a list
	release := make(chan struct{})
	s.server.answerWith(func(r request) error {
		if r.verb == "watch" {
			<-release
		}
		return nil
	})
	s.server.endWatches(nil)
	s.pass(0)
	return func() {
		close(release)
		s.pass(minute)
	}
}

// whileTheWatchIsBehind writes an object before the watch can report it.
func whileTheWatchIsBehind(method, then string) func(*stage) {
	return func(s *stage) {
		s.server.put("a/one")
		h := s.listen("h")
		s.start()
		goOn := s.watchIsBehind()
		s.write(method, "a/one")
		s.noteOne(then)
		goOn()
		s.noteOne("in the end")
		s.hear(h)
	}
}

var ownWriteScenarios = []scenario{
	{
		name:     "own-update",
		config:   config{ownWrites: true},
		script:   whileTheWatchIsBehind(http.MethodPatch, "after the update"),
		want:     lines("after the update: a/one@102", "in the end: a/one@102", "h: add a/one@101 initial", "h: update a/one@101->102"),
		clientgo: lines("after the update: a/one@101", "in the end: a/one@102", "h: add a/one@101 initial", "h: update a/one@101->102"),
	},
	{
		name:     "own-delete",
		config:   config{ownWrites: true},
		script:   whileTheWatchIsBehind(http.MethodDelete, "after the delete"),
		want:     lines("after the delete: nothing", "in the end: nothing", "h: add a/one@101 initial", "h: delete a/one@101 unknown"),
		clientgo: lines("after the delete: a/one@101", "in the end: nothing", "h: add a/one@101 initial", "h: delete a/one@102"),
	},
	{
		name:   "own-create-and-events",
		config: config{ownWrites: true},
		script: func(s *stage) { // the watch follows, and handlers hear each state once
			h := s.listen("h")
			s.start()
			s.write(http.MethodPost, "a/one")
			s.pass(0)
			s.write(http.MethodPatch, "a/one")
			s.server.put("a/one")
			s.pass(0)
			s.noteOne("in the end")
			s.hear(h)
		},
		want: lines("in the end: a/one@103", "h: add a/one@101", "h: update a/one@101->102", "h: update a/one@102->103"),
	},
}
