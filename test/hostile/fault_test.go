package hostile

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// fault is one way to answer that a sane server does not have. arg of the call varies
// it.
type fault struct {
	name string
	on   verbs
	// fails is set if the answer is an error to the client.
	fails bool
	// lies is set if what the answer says can be made up for by another list only.
	lies bool
	// loose is set if versions of states that are told need not grow.
	loose bool
	// replays is set if the client is made to resume before what it was told.
	replays bool
	// slow is set if the client needs its own timeouts to get over it.
	slow bool
	// whole is set if the fault is only for a request without a limit.
	whole bool
	serve func(c *call)
}

type verbs map[verb]bool

var (
	all     = verbs{list: true, page: true, watchV: true, stream: true}
	lists   = verbs{list: true, page: true}
	pages   = verbs{page: true}
	watches = verbs{watchV: true, stream: true}
	resumed = verbs{watchV: true}
	streams = verbs{stream: true}
)

func faultOf(name string) *fault {
	for i := range faults {
		if faults[i].name == name {
			return &faults[i]
		}
	}
	panic("no fault " + name)
}

// retryAfter are values of the header. The first is none.
var retryAfter = []string{"", "1", "0", "-5", "1000000000", "99999999999999999999", "soon", "Wed, 21 Oct 2099 07:28:00 GMT"}

var codes = []int{
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusUnauthorized,
	http.StatusForbidden, http.StatusNotFound, http.StatusGatewayTimeout, http.StatusBadGateway,
}

var reasons = map[int]metav1.StatusReason{
	http.StatusTooManyRequests: metav1.StatusReasonTooManyRequests, http.StatusInternalServerError: metav1.StatusReasonInternalError,
	http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable, http.StatusUnauthorized: metav1.StatusReasonUnauthorized,
	http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusNotFound: metav1.StatusReasonNotFound,
	http.StatusGatewayTimeout: metav1.StatusReasonTimeout, http.StatusBadGateway: metav1.StatusReasonUnknown,
}

// refuse answers with a status, by the low bits of arg, and a wait, by the next ones:
// in the Status that is the body if it fits there, and otherwise in the header.
func (c *call) refuse() {
	code := codes[c.arg%8]
	value := retryAfter[c.arg>>3%8]
	if value == "" {
		c.status(code, reasons[code], nil)
		return
	}
	c.w.Header().Set("Retry-After", value)
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		c.status(code, reasons[code], &metav1.StatusDetails{RetryAfterSeconds: int32(seconds)})
		return
	}
	c.fail()
	http.Error(c.w, "please wait", code)
}

// raw answers 200 with a body.
func (c *call) raw(contentType, body string) {
	c.w.Header().Set("Content-Type", contentType)
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.out.Write([]byte(body))
}

// sane answers truthfully.
func (c *call) sane() {
	if c.verb == list || c.verb == page {
		c.serveList(listTweak{})
	} else {
		c.serveWatch(watchTweak{})
	}
}

const html = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"

// wrong are bodies that are no lists and no events of Databases. An informer that
// takes one for an empty collection loses all objects.
var wrong = []string{
	`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5000"},"items":[]}`,
	`{"kind":"Status","apiVersion":"v1","status":"Success"}`,
	`{"kind":"DatabaseList","apiVersion":"other.example.com/v1","metadata":{"resourceVersion":"5000"},"items":[]}`,
	`null`, `[]`, `{}`, `"databases"`,
	`{"extra":,"kind":"DatabaseList","apiVersion":"data.example.com/v1","metadata":{"resourceVersion":"5000"},"items":[]}`,
}

// oddErrors are objects of ERROR events.
var oddErrors = []string{`{}`, `null`, `{"kind":"Status"}`, `{"kind":"Pod","metadata":{"name":"x"}}`, `"broken"`, `{"message":""}`, `{"kind":"Status","apiVersion":"v1","status":"Success"}`, `[]`}

// malformed are versions that no API server has.
var malformed = []string{"0", "007", "abc", "", "-1", "1e9", "١٢", "18446744073709551616999"}

// garbage stands between events.
var garbage = []string{"<html>", "]", "{]\n", "\x00\x00", `"text"` + "\n", "{\"type\":\"ADDED\"}\n", `{"type":"RENAMED","object":{}}` + "\n", "true\n"}

var faults = []fault{
	{name: "refused", on: all, fails: true, serve: (*call).refuse},
	{name: "page refused", on: pages, fails: true, serve: (*call).refuse},
	{name: "hanging headers", on: all, fails: true, slow: true, serve: func(c *call) {
		c.setSilent()
		c.hang()
	}},
	{name: "hanging body", on: all, slow: true, serve: func(c *call) {
		c.setSilent()
		if c.verb == list || c.verb == page {
			c.fail()
			c.raw("application/json", `{"kind":"DatabaseList","apiVersion":"data.example.com/v1","items":[`)
			c.out.flush()
			c.hang()
			return
		}
		c.serveWatch(watchTweak{silentAfter: 1 + int(c.arg%4)})
	}},
	{name: "HTML", on: all, fails: true, serve: func(c *call) { c.raw("text/html", html) }},
	{name: "HTML error", on: all, fails: true, serve: func(c *call) {
		c.w.Header().Set("Content-Type", "text/html")
		c.w.WriteHeader(codes[c.arg%8])
		_, _ = c.w.Write([]byte(html))
	}},
	{name: "204", on: all, fails: true, serve: func(c *call) { c.w.WriteHeader(http.StatusNoContent) }},
	{name: "empty body", on: all, fails: true, serve: func(c *call) { c.raw("application/json", "") }},
	{name: "redirect", on: all, fails: true, serve: func(c *call) {
		to := *c.r.URL
		if c.arg%2 == 1 { // a loop of two
			query := to.Query()
			query.Set("turn", map[string]string{"": "a", "a": "b", "b": "a"}[query.Get("turn")])
			to.RawQuery = query.Encode()
		}
		http.Redirect(c.w, c.r, to.String(), http.StatusTemporaryRedirect)
	}},
	{name: "cut", on: all, fails: true, serve: func(c *call) {
		c.out.cut, c.out.left = true, int(c.arg)*3
		c.sane()
	}},
	{name: "wrong kind", on: all, fails: true, serve: func(c *call) { c.raw("application/json", wrong[c.arg%8]) }},
	{name: "broken gzip", on: all, fails: true, serve: func(c *call) {
		c.w.Header().Set("Content-Encoding", "gzip")
		c.raw("application/json", "\x1f\x8bthis is not gzip")
	}},
	{name: "gzip", on: all, serve: func(c *call) {
		c.compress()
		c.sane()
	}},
	{name: "byte by byte", on: all, serve: func(c *call) {
		c.out.slowly = 1000
		c.sane()
	}},

	{name: "no list version", on: lists, fails: true, serve: func(c *call) { c.serveList(listTweak{version: new(string)}) }},
	{name: "bad list version", on: lists, lies: true, loose: true, serve: func(c *call) {
		version := malformed[c.arg%8]
		c.serveList(listTweak{version: &version})
	}},
	{name: "no items", on: lists, fails: true, serve: func(c *call) { c.serveList(listTweak{noItems: true}) }},
	{name: "syntax", on: lists, fails: true, serve: func(c *call) { c.serveList(listTweak{before: `"extra":,`}) }},
	{name: "same token", on: lists, serve: func(c *call) {
		c.serveList(listTweak{atStart: c.arg%2 == 0, token: func(*call) string { return "again" }})
	}},
	{name: "two tokens", on: lists, serve: func(c *call) {
		c.serveList(listTweak{token: func(c *call) string {
			if c.token == "one" {
				return "two"
			}
			return "one"
		}})
	}},
	{name: "endless tokens", on: lists, serve: func(c *call) {
		c.serveList(listTweak{atStart: true, token: (*call).freshToken})
	}},
	{name: "endless empty pages", on: lists, serve: func(c *call) {
		c.serveList(listTweak{empty: true, token: (*call).freshToken})
	}},
	{name: "empty page", on: lists, serve: func(c *call) {
		if c.emptyPagesBefore() >= 1+int(c.arg%4) {
			c.serveList(listTweak{})
			return
		}
		all, version := c.collection.snapshot()
		start := 0
		if _, err := fmt.Sscanf(c.token, "%d:%d:", &version, &start); c.token != "" && err != nil || start > len(all) {
			c.serveList(listTweak{})
			return
		}
		c.serveList(listTweak{empty: true, token: func(c *call) string { return c.handOut(fmt.Sprintf("%d:%d", version, start), nil) }})
	}},
	{name: "bomb", on: lists, serve: (*call).bomb},
	{name: "twice", on: lists, serve: func(c *call) { c.serveList(listTweak{older: true}) }},
	{name: "expired token", on: pages, fails: true, serve: func(c *call) { c.status(http.StatusGone, metav1.StatusReasonExpired, nil) }},

	{name: "event and close", on: resumed, serve: func(c *call) {
		c.collection.bookmark()
		c.serveWatch(watchTweak{after: func(c *call) bool { c.finish(); return false }})
	}},
	{name: "open and close", on: watches, serve: func(c *call) {
		c.w.WriteHeader(http.StatusOK)
		if c.verb == stream {
			c.fail()
			return
		}
		c.mark(true)
	}},
	{name: "event and error", on: resumed, fails: true, serve: func(c *call) {
		c.collection.bookmark()
		c.serveWatch(watchTweak{after: func(c *call) bool {
			c.event(watchTweak{}, watch.Error, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd has no leader","reason":"InternalError","code":500}`)
			return false
		}})
	}},
	{name: "bad event version", on: watches, lies: true, replays: true, serve: func(c *call) {
		c.serveWatch(watchTweak{version: func(c *call, _ int) string { return malformed[c.arg%8] }})
	}},
	{name: "lower event version", on: watches, lies: true, replays: true, serve: func(c *call) {
		c.serveWatch(watchTweak{version: func(c *call, version int) string { return strconv.Itoa(max(1, version-int(c.arg)-1)) }})
	}},
	{name: "higher event version", on: watches, lies: true, loose: true, serve: func(c *call) {
		c.serveWatch(watchTweak{version: func(_ *call, version int) string { return strconv.Itoa(version + 1_000_000) }})
	}},
	{name: "gone", on: resumed, fails: true, serve: func(c *call) { c.status(http.StatusGone, metav1.StatusReasonExpired, nil) }},
	{name: "gone event", on: resumed, fails: true, serve: func(c *call) { c.errorEvent(expired) }},
	{name: "odd error event", on: watches, fails: true, serve: func(c *call) { c.errorEvent(oddErrors[c.arg%8]) }},
	{name: "garbage between events", on: watches, fails: true, serve: func(c *call) {
		c.serveWatch(watchTweak{after: func(c *call) bool {
			if c.events > int(c.arg>>3%4) {
				_, _ = c.out.Write([]byte(garbage[c.arg%8]))
				c.out.flush()
				return false
			}
			return true
		}})
	}},
	{name: "no bookmark", on: streams, fails: true, serve: func(c *call) { c.serveWatch(watchTweak{noBookmark: true}) }},
	{name: "bookmark and gone", on: streams, fails: true, serve: func(c *call) { c.serveWatch(watchTweak{then: expired}) }},
	{name: "events twice", on: watches, loose: true, serve: func(c *call) { c.serveWatch(watchTweak{twice: true}) }},
}

const (
	// bombBytes is how long the body of a bomb is, and bombObject one object in it.
	bombBytes  = 64 << 20
	bombObject = 4 << 20
)

// bomb answers with a true list that gzip makes small: one object is large, and there
// is a lot of space behind it.
func (c *call) bomb() {
	c.compress()
	c.mu.Lock()
	first := c.peak == 0 // another one would tell no more, and takes its time
	c.mu.Unlock()
	c.serveList(listTweak{bomb: first})
}

// explode writes the long parts of a bomb, the first at the end of an object, and looks
// at the memory that is live meanwhile.
func (c *call) explode() {
	space := bytes.Repeat([]byte(" "), 1<<20)
	_, _ = io.WriteString(&c.out, `,"extra":"`)
	for range bombObject / len(space) {
		_, _ = c.out.Write(space)
	}
	_, _ = io.WriteString(&c.out, `"}`)
	for n := range bombBytes / len(space) {
		_, _ = c.out.Write(space)
		if n%16 == 8 {
			c.out.flush()
			live := liveBytes()
			c.mu.Lock()
			c.peak = max(c.peak, live)
			c.mu.Unlock()
		}
	}
}

func (c *call) setSilent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent = true
}

// freshToken returns a token that was never handed out.
func (c *call) freshToken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serial++
	return "fresh-" + strconv.Itoa(c.serial)
}

// emptyPagesBefore returns how many pages without progress this list has had.
func (c *call) emptyPagesBefore() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.handedOut {
		if !t.progress {
			n++
		}
	}
	return n
}

// errorEvent answers a watch with an ERROR event.
func (c *call) errorEvent(object string) {
	c.w.WriteHeader(http.StatusOK)
	c.event(watchTweak{}, watch.Error, object)
}
