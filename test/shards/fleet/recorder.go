package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/test/shards/activity"
)

// RecordsPath is the collection of the records that a process makes of its work. Each has an id
// and what happened: begin or end.
const RecordsPath = "/api/v1/namespaces/" + Namespace + "/configmaps"

// dataPath begins the paths of Databases and DatabaseServers.
const dataPath = "/apis/data.example.com/v1/namespaces/"

// recorder passes requests of a process on, and notes the version that the server gives to each of
// its writes. A write goes on even if the process does not wait for the answer: the server may
// have accepted it.
type recorder struct {
	process   string // empty for the test itself
	log       *activity.Log
	target    string
	transport http.RoundTripper
	put       PutFunc // or nil
	// sharded counts requests for a shard. Nil for the test itself.
	sharded *atomic.Int64
}

// ServeHTTP passes a request on.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	target, err := url.Parse(r.target)
	if err != nil {
		panic(err) // the configuration is ours
	}
	isRecord := strings.HasPrefix(request.URL.Path, RecordsPath)
	isWrite := strings.HasPrefix(request.URL.Path, dataPath)
	if r.sharded != nil && request.URL.Query().Has("shardSelector") {
		r.sharded.Add(1)
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Header.Del("Accept-Encoding")
		},
		Transport:     r.transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	if request.Method == http.MethodGet || !isRecord && !isWrite {
		forward.ServeHTTP(w, request)
		return
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // it has not arrived as a whole
	}
	if isRecord && r.put != nil {
		r.putRecord(w, request, body)
		return
	}
	// Without a Done channel, ReverseProxy would find out by itself that the process is gone.
	ctx, cancel := context.WithCancel(context.WithoutCancel(request.Context()))
	defer cancel()
	request = request.WithContext(ctx)
	request.Body = io.NopCloser(bytes.NewReader(body))
	forward.ModifyResponse = func(response *http.Response) error {
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return err
		}
		response.Body = io.NopCloser(bytes.NewReader(answer))
		if response.StatusCode < 300 {
			r.note(request, answer, isRecord)
		}
		return nil
	}
	forward.ServeHTTP(w, request)
}

// putRecord writes a record, and answers as the API server does. As with other writes, the process need not
// wait for the answer.
func (r *recorder) putRecord(w http.ResponseWriter, request *http.Request, body []byte) {
	var record map[string]any
	if err := json.Unmarshal(body, &record); err != nil {
		panic(err) // the operator sends JSON
	}
	version, err := r.put(context.WithoutCancel(request.Context()), "/records/"+r.process, string(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	record["metadata"] = map[string]any{"resourceVersion": strconv.FormatInt(version, 10)}
	answer, err := json.Marshal(record)
	if err != nil {
		panic(err) // it was JSON before
	}
	r.note(request, answer, true)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the process may be gone
}

// note adds a write that the server accepted to the Log.
func (r *recorder) note(request *http.Request, answer []byte, isRecord bool) {
	progress.Step()
	var object struct {
		Metadata struct {
			Name            string
			ResourceVersion string
		}
		Data map[string]string
	}
	if err := json.Unmarshal(answer, &object); err != nil {
		panic(err) // the operator asks for JSON
	}
	version, _ := strconv.ParseInt(object.Metadata.ResourceVersion, 10, 64)
	if isRecord {
		id, _ := strconv.ParseInt(object.Data["id"], 10, 64)
		if object.Data["what"] == "begin" {
			r.log.RecordedBegin(r.process, id, version)
		} else {
			r.log.RecordedEnd(r.process, id, version, time.Now())
		}
		return
	}
	switch {
	case version == 0: // the Status of a deletion has no version
	case r.process == "":
		r.log.WroteElsewhere(version)
	default:
		r.log.Wrote(r.process, objectOf(request.URL.Path, object.Metadata.Name), version)
	}
}

// objectOf returns NAMESPACE/NAME of the Database that a write is about: a server has the name
// of its Database and a number.
func objectOf(path, name string) string {
	parts := strings.Split(strings.TrimPrefix(path, dataPath), "/")
	namespace, resource := parts[0], parts[1]
	if resource == "databaseservers" {
		name = name[:strings.LastIndexByte(name, '-')]
	}
	return namespace + "/" + name
}
