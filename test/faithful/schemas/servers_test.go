package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/testserver"
)

var crds = flag.String("crds", "", "also compare with these CRDs: files or folders, separated by commas")

// servers are a real API server and one in memory, with the same CRDs.
type servers struct {
	real, memory server
	// codes counts the answers of the real one.
	codes map[int]int
}

type server struct {
	url       string
	transport http.RoundTripper
	// install replaces a CRD.
	install func(context.Context, *apiextensionsv1.CustomResourceDefinition) error
}

func start(t *testing.T, paths ...string) *servers {
	t.Helper()
	r := testserver.Start(t, testserver.WithCRDs(paths...))
	m := apitest.Start(t, apiextensions.WithCRDs(paths...))
	return &servers{
		real: server{r.URL(), http.DefaultTransport, func(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
			return r.InstallCRDs(ctx, crd)
		}},
		memory: server{m.URL(), m, func(_ context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
			kinds, err := apiextensions.Kinds(crd)
			if err != nil {
				return err
			}
			return m.AddKinds(kinds...)
		}},
		codes: map[int]int{},
	}
}

// request is a request to both servers. VERSION in the body stands for the resourceVersion that the server
// has answered last.
type request struct {
	method, path, contentType, body string
}

func (r request) String() string {
	body := r.body
	if len(body) > 3000 {
		body = body[:3000] + "…"
	}
	return fmt.Sprintf("%s %s\n%s", r.method, r.path, body)
}

// answer is what two servers have in common.
type answer struct {
	Code     int
	Warnings []string
	Body     any
}

// play sends requests to both servers, and reports the answers that differ.
func (s *servers) play(t *testing.T, requests ...request) {
	t.Helper()
	var versions [2]string
	for _, request := range requests {
		want, version, err := s.real.send(request, versions[0])
		if err != nil {
			t.Fatal(err)
		}
		versions[0] = version
		s.codes[want.Code]++
		got, version, err := s.memory.send(request, versions[1])
		if err != nil {
			t.Fatal(err)
		}
		versions[1] = version
		// Of several malformed values, the server names one: the first in the order of a map. It also may
		// find some with the state of an object that it has in its watch cache, and some with the newest.
		for range 100 {
			if want.Code < 400 || want.Code != got.Code || reflect.DeepEqual(got, want) {
				break
			}
			if want, _, err = s.real.send(request, versions[0]); err != nil {
				t.Fatal(err)
			}
			if got, _, err = s.memory.send(request, versions[1]); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n%s", request, strings.Join(differences(want, got), "\n"))
		}
	}
}

// send returns the answer, and the resourceVersion in it, or else the one given.
func (s server) send(r request, version string) (answer, string, error) {
	body := strings.ReplaceAll(r.body, "VERSION", version)
	req, err := http.NewRequest(r.method, s.url+r.path, strings.NewReader(body))
	if err != nil {
		return answer{}, "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", r.contentType)
		if r.contentType == "" {
			req.Header.Set("Content-Type", "application/json")
		}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "schemas")
	response, err := s.transport.RoundTrip(req)
	if err != nil {
		return answer{}, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, "", err
	}
	a := answer{Code: response.StatusCode, Warnings: response.Header.Values("Warning")}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&a.Body); err != nil {
		return answer{}, "", fmt.Errorf("%s %s: %d %q: %w", r.method, r.path, response.StatusCode, content, err)
	}
	if object, ok := a.Body.(map[string]any); ok {
		if metadata, ok := object["metadata"].(map[string]any); ok {
			if next, ok := metadata["resourceVersion"].(string); ok {
				version = next
			}
		}
	}
	mask(&a)
	return a, version, nil
}

// several is the beginning of a message with several errors, in any order.
var several = regexp.MustCompile(`(?s): \[.*\]$`)

// volatile is a field of an object that is quoted in a message.
var volatile = regexp.MustCompile(`("(?:resourceVersion|uid|creationTimestamp|time)\\*":\\*")[^"\\]*`)

// mask removes what differs between two runs.
func mask(a *answer) {
	object, ok := a.Body.(map[string]any)
	if !ok {
		return
	}
	if metadata, ok := object["metadata"].(map[string]any); ok {
		for _, name := range []string{"resourceVersion", "uid", "creationTimestamp", "deletionTimestamp"} {
			if metadata[name] != nil {
				metadata[name] = strings.ToUpper(name)
			}
		}
		entries, _ := metadata["managedFields"].([]any)
		for _, entry := range entries {
			if entry, ok := entry.(map[string]any); ok && entry["time"] != nil {
				entry["time"] = "TIME"
			}
		}
		sortValues(entries) // their order depends on seconds
	}
	details, _ := object["details"].(map[string]any)
	if details["uid"] != nil {
		details["uid"] = "UID"
	}
	causes, _ := details["causes"].([]any)
	for _, cause := range append(causes, object) {
		if cause, ok := cause.(map[string]any); ok && cause["message"] != nil {
			cause["message"] = volatile.ReplaceAllString(fmt.Sprint(cause["message"]), "${1}MASKED")
		}
	}
	// The server finds some errors while it iterates over maps.
	if len(causes) > 1 {
		sortValues(causes)
		object["message"] = several.ReplaceAllString(fmt.Sprint(object["message"]), ": [ERRORS]")
	}
	if message, ok := object["message"].(string); ok {
		if head, list, found := strings.Cut(message, "errors:\n"); found {
			lines := strings.Split(list, "\n")
			slices.Sort(lines)
			object["message"] = head + "errors:\n" + strings.Join(lines, "\n")
		}
	}
}

func sortValues(list []any) {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// differences lists the fields in which two answers differ.
func differences(want, got answer) []string {
	var lines []string
	compare("code", want.Code, got.Code, &lines)
	compare("warnings", want.Warnings, got.Warnings, &lines)
	compare("body", want.Body, got.Body, &lines)
	return lines
}

func compare(path string, want, got any, lines *[]string) {
	if reflect.DeepEqual(want, got) {
		return
	}
	wantMap, ok1 := want.(map[string]any)
	gotMap, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		for name, value := range wantMap {
			other, ok := gotMap[name]
			if !ok {
				other = missing{}
			}
			compare(path+"."+name, value, other, lines)
		}
		for name, value := range gotMap {
			if _, ok := wantMap[name]; !ok {
				compare(path+"."+name, missing{}, value, lines)
			}
		}
		return
	}
	wantList, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	if ok1 && ok2 && len(wantList) == len(gotList) {
		for i := range wantList {
			compare(fmt.Sprintf("%s[%d]", path, i), wantList[i], gotList[i], lines)
		}
		return
	}
	*lines = append(*lines, fmt.Sprintf("  %s\n    real    %s\n    apitest %s", path, show(want), show(got)))
}

// missing is the value of a field that is not there.
type missing struct{}

func show(value any) string {
	if _, ok := value.(missing); ok {
		return "nothing"
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
