package hostile

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchTweak is how a WATCH differs from that of a sane server.
type watchTweak struct {
	// version is what an event claims, in the place of the true version.
	version func(c *call, true int) string
	// noBookmark leaves out the end of the initial events.
	noBookmark bool
	// after is called behind each event, and returns whether the watch goes on.
	after func(c *call) bool
	// then is the object of an ERROR event behind the initial events of a stream.
	then string
	// twice sends each event again.
	twice bool
	// silentAfter is how many events come before silence, if it is not zero.
	silentAfter int
}

// serveWatch answers with changes until the watch's time is over.
func (c *call) serveWatch(tweak watchTweak) {
	next, ok := c.open(tweak)
	if !ok {
		return
	}
	over := time.NewTimer(c.timeout)
	defer over.Stop()
	// Bookmarks come each minute, as from an API server.
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	for {
		changes, changed, gone, _ := c.collection.since(next)
		if gone {
			if time.Since(c.opened) < ofUse {
				c.fail()
			}
			c.event(watchTweak{}, watch.Error, expired)
			return
		}
		for _, ch := range changes {
			if !c.change(tweak, ch) {
				return
			}
			next = ch.version
		}
		select {
		case <-changed:
		case <-minute.C:
			if !c.bookmark(tweak, next) {
				return
			}
		case <-over.C:
			c.finish()
			return
		case how := <-c.cut:
			c.endAs(how)
			return
		case <-c.r.Context().Done():
			return
		}
	}
}

const expired = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}`

// open answers the request, sends the initial events of a streaming list, and returns
// the version that changes follow.
func (c *call) open(tweak watchTweak) (version int, ok bool) {
	c.mu.Lock()
	refused := c.verb == stream && c.noStream
	c.mu.Unlock()
	if refused {
		c.status(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, nil)
		c.excuse() // it is no error to have no streaming lists
		return 0, false
	}
	initial := c.verb == stream || c.version == "" || c.version == "0"
	if !initial {
		var err error
		if version, err = strconv.Atoi(c.version); err != nil {
			c.status(http.StatusBadRequest, metav1.StatusReasonBadRequest, nil)
			return 0, false
		}
		if _, _, _, tooLarge := c.collection.since(version); tooLarge {
			c.status(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, &metav1.StatusDetails{
				RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}})
			return 0, false
		}
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(http.StatusOK)
	c.out.flush()
	c.mark(!initial)
	if !initial {
		return version, true
	}
	all, version := c.collection.snapshot()
	for _, s := range all {
		if !c.change(tweak, change{watch.Added, s, s.version}) {
			return 0, false
		}
	}
	if c.verb != stream {
		c.mark(true)
	} else if !tweak.noBookmark {
		c.event(tweak, watch.Bookmark, fmt.Sprintf(`{"kind":"Database","apiVersion":"data.example.com/v1","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}`, version))
		c.mark(true)
	}
	if c.verb == stream && tweak.then != "" {
		c.event(watchTweak{}, watch.Error, tweak.then)
		return 0, false
	}
	return version, true
}

// mark notes that the watch is answered, and whether it follows the collection.
func (c *call) mark(following bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.answered {
		c.opened = time.Now()
	}
	c.answered, c.following = true, following
}

// change sends an event, and reports whether the watch goes on.
func (c *call) change(tweak watchTweak, ch change) bool {
	if ch.kind == watch.Bookmark {
		return c.bookmark(tweak, ch.version)
	}
	said := strconv.Itoa(ch.version)
	if tweak.version != nil {
		said = tweak.version(c, ch.version)
	}
	text := string(c.collection.appendJSON(nil, ch.state, said))
	if tweak.twice && !c.event(tweak, ch.kind, text) {
		return false
	}
	return c.event(tweak, ch.kind, text)
}

func (c *call) bookmark(tweak watchTweak, version int) bool {
	said := strconv.Itoa(version)
	if tweak.version != nil {
		said = tweak.version(c, version)
	}
	return c.event(tweak, watch.Bookmark, fmt.Sprintf(`{"kind":"Database","apiVersion":"data.example.com/v1","metadata":{"resourceVersion":%q}}`, said))
}

// event writes one event, and reports whether the watch goes on.
func (c *call) event(tweak watchTweak, kind watch.EventType, object string) bool {
	if tweak.silentAfter > 0 && c.events >= tweak.silentAfter {
		if !c.following {
			c.fail()
		}
		c.hang()
		return false
	}
	if _, err := fmt.Fprintf(&c.out, `{"type":%q,"object":%s}`+"\n", kind, object); err != nil {
		return false
	}
	c.out.flush()
	c.events++
	return tweak.after == nil || tweak.after(c)
}

// finish ends a body in good order.
func (c *call) finish() {
	if c.out.zip != nil {
		_ = c.out.zip.Close()
	}
}

func (c *call) endAs(how ending) {
	switch how {
	case asExpired:
		if time.Since(c.opened) < ofUse {
			c.fail()
		}
		c.event(watchTweak{}, watch.Error, expired)
	case abruptly:
		c.abort()
	default:
		c.finish()
	}
}
