package faults

import (
	"net/http"
	"strings"
)

// Match is a set of requests.
type Match uint8

const (
	// Lists are the requests for a collection.
	Lists Match = 1 << iota
	// Watches are the requests for the changes of a collection.
	Watches
	// Streams are the streaming lists: requests for a collection that go on as a watch.
	Streams
	// Others are all the rest: reads of one object, writes, discovery.
	Others

	// All is every request.
	All = Lists | Watches | Streams | Others
)

// Rule says which requests are spoiled, how, and how often.
type Rule struct {
	// Match are the requests that the rule is for; the zero value is All.
	Match Match
	// Fault is what becomes of them.
	Fault Fault
	// Times is how many requests the rule is for; 0 is every one until Clear.
	Times int
}

// armed is a Rule in force. The Proxy's mutex guards it.
type armed struct {
	Rule
	taken   int           // requests that it was applied to
	strikes int           // of these, those where the fault has taken place
	done    chan struct{} // closed by the last strike, or by the first where Times is 0
}

func (a *armed) takes(verb Match) bool {
	return a.Match&verb != 0 && (a.Times == 0 || a.taken < a.Times)
}

func (a *armed) strike() {
	a.strikes++
	if a.strikes == max(a.Times, 1) {
		close(a.done)
	}
}

// verbOf says which of Lists, Watches, Streams and Others a request is.
func verbOf(request *http.Request) Match {
	if request.Method != http.MethodGet || !isCollection(request.URL.Path) {
		return Others
	}
	query := request.URL.Query()
	switch {
	case !isTrue(query.Get("watch")):
		return Lists
	case isTrue(query.Get("sendInitialEvents")):
		return Streams
	}
	return Watches
}

// isCollection recognises /apis/GROUP/VERSION/RESOURCE and /api/VERSION/RESOURCE, either with
// namespaces/NAMESPACE before the resource.
func isCollection(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	default:
		return false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return len(parts) == 1
}

func isTrue(parameter string) bool { return parameter == "true" || parameter == "1" }
