package faithful

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Target is a server that cases are played against.
type Target struct {
	// URL is the base of all requests.
	URL string
	// Transport sends them.
	Transport http.RoundTripper
	// Compact makes the server forget its history.
	Compact func(context.Context) error
}

// resources are the kinds that a body gets if it has none.
var resources = map[string]struct{ apiVersion, kind string }{
	"widgets":     {group + "/v1", "Widget"},
	"gadgets":     {group + "/v1", "Gadget"},
	"gears":       {group + "/v1", "Gear"},
	"notes":       {group + "/v1", "Note"},
	"configmaps":  {"v1", "ConfigMap"},
	"events":      {"v1", "Event"},
	"namespaces":  {"v1", "Namespace"},
	"leases":      {"coordination.k8s.io/v1", "Lease"},
	"deployments": {"apps/v1", "Deployment"},
	"scale":       {"autoscaling/v1", "Scale"},
}

const group = "example.com"

// waitForEvents is how long a watch may be silent while events are expected.
const waitForEvents = 20 * time.Second

// exchange is a request and the answer of a server.
type exchange struct {
	code   int
	header http.Header
	body   []byte
	tree   any // the body, if it is JSON
	watch  eventReader
	events []event // what EVENTS has read
	ended  bool    // the watch has ended
	note   string  // in place of an answer
}

type event struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// player plays one case.
type player struct {
	target    Target
	namespace string
	exchanges []*exchange
	// sent has the requests as they are in the script. A value in it is not masked.
	sent strings.Builder
}

// Play returns the answers to the steps of a case, masked, in the form of scripts. They are
// empty for given steps.
func Play(ctx context.Context, target Target, namespace string, c *Case) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends watches
	p := &player{target: target, namespace: namespace}
	for _, step := range c.Steps {
		done, err := p.step(ctx, step)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s %s: %w", step.Line, step.Method, step.Path, err)
		}
		if step.Given && (done.code < 200 || done.code > 299) {
			return nil, fmt.Errorf("line %d: %s %s prepares the case and has to succeed, but the answer is %d: %s",
				step.Line, step.Method, step.Path, done.code, done.body)
		}
		p.exchanges = append(p.exchanges, done)
	}
	mask := newMask(p)
	mask.anyOrder = slices.Contains(c.comment, "# in any order")
	answers := make([]string, len(c.Steps))
	for i, step := range c.Steps {
		if !step.Given {
			answers[i] = mask.answer(p.exchanges[i])
		}
	}
	return answers, nil
}

func (p *player) step(ctx context.Context, step *Step) (*exchange, error) {
	switch step.Method {
	case "COMPACT":
		if err := p.target.Compact(ctx); err != nil {
			return nil, err
		}
		return &exchange{code: 200, note: "done"}, nil
	case "EVENTS":
		return p.events(step)
	}
	request, err := p.request(ctx, step)
	if err != nil {
		return nil, err
	}
	response, err := p.target.Transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	e := &exchange{code: response.StatusCode, header: response.Header}
	if watches(request.URL) && response.StatusCode == http.StatusOK {
		context.AfterFunc(ctx, func() { response.Body.Close() })
		e.watch = newEventReader(response)
		return e, nil
	}
	defer response.Body.Close()
	defer time.AfterFunc(waitForEvents, func() { response.Body.Close() }).Stop()
	if e.body, err = io.ReadAll(response.Body); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if e.tree, err = body(response.Header.Get("Content-Type"), e.body); err != nil {
		return nil, fmt.Errorf("reading the answer %q: %w", e.body, err)
	}
	return e, nil
}

// codecs decode protobuf.
var codecs = func() serializer.CodecFactory {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, metav1.AddMetaToScheme, metav1beta1.AddMetaToScheme, discoveryv2.AddToScheme} {
		if err := add(known); err != nil {
			panic(err) // it cannot fail with a new scheme
		}
	}
	return serializer.NewCodecFactory(known)
}()

// body returns what is in a body as JSON has it, or nil if it is only text.
func body(contentType string, content []byte) (tree any, err error) {
	if len(content) == 0 {
		return nil, nil
	}
	switch kind, _, _ := strings.Cut(contentType, ";"); kind {
	case "application/json":
	case "application/yaml":
		if content, err = yaml.YAMLToJSON(content); err != nil {
			return nil, err
		}
	case "application/vnd.kubernetes.protobuf":
		version := schema.GroupVersionKind{Version: "v1"} // APIVersions have none in protobuf
		object, _, err := codecs.UniversalDeserializer().Decode(content, &version, nil)
		if err != nil {
			return nil, err
		}
		if content, err = json.Marshal(object); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	err = decode(content, &tree)
	return tree, err
}

// decode keeps numbers as they are written.
func decode(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func watches(u *url.URL) bool {
	value := u.Query()["watch"]
	return len(value) > 0 && value[0] != "0" && value[0] != "false" || strings.Contains(u.Path, "/watch/")
}

// request makes the HTTP request of a step.
func (p *player) request(ctx context.Context, step *Step) (*http.Request, error) {
	path, err := p.substitute(step.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(path, "~/"):
		path = "/apis/" + group + "/v1/" + path[2:]
	case !strings.HasPrefix(path, "/"):
		path = "/apis/" + group + "/v1/namespaces/" + p.namespace + "/" + path
	}
	header := http.Header{"User-Agent": {"faithful/1.0"}, "Accept": {"application/json"}}
	for _, line := range step.Header {
		name, value, _ := strings.Cut(line, ":")
		if value, err = p.substitute(strings.TrimSpace(value)); err != nil {
			return nil, err
		}
		if header.Set(name, value); value == "" {
			header.Del(name)
		}
	}
	var body io.Reader
	if step.Body != nil {
		content := *step.Body
		if !typed(step) {
			if content, err = complete(content, path); err != nil {
				return nil, err
			}
			header.Set("Content-Type", "application/json")
		}
		p.sent.WriteString(expand(content) + "\n")
		if content, err = p.substitute(content); err == nil && step.Encode != nil {
			content, err = step.Encode(content)
		}
		if err != nil {
			return nil, err
		}
		body = strings.NewReader(content)
	}
	p.sent.WriteString(step.Path + "\n")
	request, err := http.NewRequestWithContext(ctx, step.Method, p.target.URL+path, body)
	if err != nil {
		return nil, err
	}
	request.Header = header
	return request, nil
}

// typed reports whether a step gives its Content-Type, if only an empty one.
func typed(step *Step) bool {
	return slices.ContainsFunc(step.Header, func(line string) bool { return strings.HasPrefix(line, "Content-Type:") })
}

// complete turns YAML into JSON with a kind and an apiVersion.
func complete(content, path string) (string, error) {
	var object map[string]any
	encoded, err := yaml.YAMLToJSON([]byte(content))
	if err == nil {
		err = decode(encoded, &object)
	}
	if err != nil {
		return "", fmt.Errorf("the body is not an object in YAML: %w; give it a Content-Type to send it as it is", err)
	}
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		names, ok := resources[parts[i]]
		if !ok {
			continue
		}
		if _, ok := object["options"]; ok {
			break
		}
		if _, ok := object["apiVersion"]; !ok {
			object["apiVersion"] = names.apiVersion
		}
		if _, ok := object["kind"]; !ok {
			object["kind"] = names.kind
		}
		break
	}
	encoded, err = json.Marshal(object)
	return string(encoded), err
}

var (
	variable = regexp.MustCompile(`\$(rv|uid|name|continue)([0-9]+)`)
	// namespaceWord is NS, but not within the text of a token.
	namespaceWord = regexp.MustCompile(`NS\b`)
	repeat        = regexp.MustCompile(`\$repeat\((.),([0-9]+)\)`)
)

// substitute replaces NS and what begins with a dollar.
func (p *player) substitute(text string) (string, error) {
	var failed error
	text = expand(namespaceWord.ReplaceAllString(text, p.namespace))
	text = variable.ReplaceAllStringFunc(text, func(match string) string {
		parts := variable.FindStringSubmatch(match)
		number, _ := strconv.Atoi(parts[2])
		if number < 1 || number > len(p.exchanges) {
			failed = fmt.Errorf("%s: there is no answer %d yet", match, number)
			return match
		}
		field := map[string]string{"rv": "resourceVersion", "uid": "uid", "name": "name", "continue": "continue"}[parts[1]]
		value := metadata(p.exchanges[number-1].tree, field)
		if value == "" {
			failed = fmt.Errorf("%s: answer %d has no metadata.%s", match, number, field)
			return match
		}
		if parts[1] == "continue" {
			value = url.QueryEscape(value)
		}
		return value
	})
	return text, failed
}

// expand replaces $repeat.
func expand(text string) string {
	return repeat.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeat.FindStringSubmatch(match)
		count, _ := strconv.Atoi(parts[2])
		return strings.Repeat(parts[1], count)
	})
}

func metadata(tree any, field string) string {
	object, _ := tree.(map[string]any)
	meta, _ := object["metadata"].(map[string]any)
	value, _ := meta[field].(string)
	return value
}

// events reads the events of a watch.
func (p *player) events(step *Step) (*exchange, error) {
	number, until, _ := strings.Cut(step.Path, " ")
	index, err := strconv.Atoi(number)
	if err != nil || index < 1 || index > len(p.exchanges) {
		return nil, errors.New("want EVENTS and the number of a request before it")
	}
	watch := p.exchanges[index-1]
	if watch.watch == nil {
		return nil, fmt.Errorf("request %d has not opened a watch: %d %s", index, watch.code, watch.body)
	}
	limit, _ := strconv.Atoi(until)
	e := &exchange{code: 200, note: "events"}
	for limit == 0 || len(e.events) < limit {
		var next event
		err := p.next(watch.watch, &next)
		if errors.Is(err, io.EOF) {
			e.ended = true
			break
		}
		if err != nil {
			return nil, fmt.Errorf("after %d events: %w", len(e.events), err)
		}
		if periodic(next) && until != next.Type {
			continue
		}
		e.events = append(e.events, next)
		name := metadata(next.Object, "name")
		if until == "" && (name == "end" || name == p.namespace+"-end") || until == next.Type {
			break
		}
	}
	return e, nil
}

// periodic reports whether an event is a bookmark that may come at any time.
func periodic(e event) bool {
	encoded, err := json.Marshal(e.Object)
	return err == nil && e.Type == "BOOKMARK" && !bytes.Contains(encoded, []byte(`"k8s.io/initial-events-end"`))
}

// eventReader reads the next event of a watch.
type eventReader func(*event) error

func newEventReader(response *http.Response) eventReader {
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
		return func(into *event) error { return readMessage(response.Body, into) }
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	return func(into *event) error { return decoder.Decode(into) }
}

// readMessage reads an event in protobuf, which has its length before it.
func readMessage(from io.Reader, into *event) error {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return err
	}
	message := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(from, message); err != nil {
		return err
	}
	var content metav1.WatchEvent
	err := content.Unmarshal(message)
	if err != nil {
		return err
	}
	into.Type = content.Type
	into.Object, err = body("application/vnd.kubernetes.protobuf", content.Object.Raw)
	return err
}

func (p *player) next(watch eventReader, into *event) error {
	result := make(chan error, 1)
	go func() { result <- watch(into) }()
	select {
	case err := <-result:
		return err
	case <-time.After(waitForEvents):
		return fmt.Errorf("no event for %v", waitForEvents)
	}
}
