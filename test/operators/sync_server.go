package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// syncServer lists and watches objects of one kind that do not change. Like kube-apiserver, it sends pages to a list with a limit,
// except at resourceVersion 0, and sends the objects as events to a watch with sendInitialEvents.
type syncServer struct {
	kind    kind
	objects [][]byte
}

func newSyncServer(kind kind, n int) *syncServer {
	s := &syncServer{kind: kind}
	for i := range n {
		s.objects = append(s.objects, kind.object(i))
	}
	return s
}

// object returns an object as JSON, with the metadata of an object that two managers have applied.
func (k kind) object(i int) []byte {
	number := fmt.Sprint(i)
	metadata := fmt.Sprintf(`"name":"object-%[1]d","namespace":"team-%[2]d","uid":"5b0e8f2c-7f1d-4a55-9d3e-%012[1]d","resourceVersion":"%[3]d","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z",`+
		`"labels":{"app.kubernetes.io/name":"shop","app.kubernetes.io/instance":"shop-%[1]d","app.kubernetes.io/managed-by":"Helm"},"annotations":{"example.com/owner":"team-%[2]d","example.com/checksum":"%064[1]x"},`+
		`"managedFields":[{"manager":"helm","operation":"Apply","apiVersion":%[4]q,"time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/managed-by":{}},"f:annotations":{"f:example.com/owner":{},"f:example.com/checksum":{}}},"f:spec":{".":{}}}},`+
		`{"manager":"controller","operation":"Update","apiVersion":%[4]q,"time":"2026-01-01T00:03:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:conditions":{}}},"subresource":"status"}]`,
		i, i%100, i+1, k.version)
	return fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{%s},%s}`, k.version, k.kind, metadata, strings.ReplaceAll(k.body, "%d", number))
}

func (s *syncServer) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	if query.Get("watch") == "true" || query.Get("watch") == "1" {
		s.watch(w, request, query.Get("sendInitialEvents") == "true")
		return
	}
	from, to := 0, len(s.objects)
	if next, err := strconv.Atoi(query.Get("continue")); err == nil {
		from = min(next, to)
	}
	if limit, err := strconv.Atoi(query.Get("limit")); err == nil && limit > 0 && query.Get("resourceVersion") != "0" {
		to = min(from+limit, to)
	}
	rest := ""
	if to < len(s.objects) {
		rest = fmt.Sprintf(`,"continue":"%d","remainingItemCount":%d`, to, len(s.objects)-to)
	}
	_, _ = fmt.Fprintf(w, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"%s},"items":[%s]}`,
		s.kind.version, s.kind.kind+"List", len(s.objects), rest, bytes.Join(s.objects[from:to], []byte(",")))
}

// watch sends the objects and a bookmark, if the client asks for them, and then nothing.
func (s *syncServer) watch(w http.ResponseWriter, request *http.Request, initial bool) {
	if initial {
		for _, object := range s.objects {
			_, _ = fmt.Fprintf(w, "{\"type\":\"ADDED\",\"object\":%s}\n", object)
		}
		_, _ = fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n",
			s.kind.version, s.kind.kind, len(s.objects))
	}
	_ = http.NewResponseController(w).Flush()
	<-request.Context().Done()
}
