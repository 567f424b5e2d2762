package hostile

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listTweak is how a LIST differs from that of a sane server.
type listTweak struct {
	// version is that of the list, in the place of the true one.
	version *string
	// token is handed out in the place of the true one, and comes back as it is.
	token func(c *call) string
	// noItems leaves out the member, and empty its objects.
	noItems, empty bool
	// older sends an older state of each object before the true one, of the first of a
	// page on the page before.
	older bool
	// bomb has a long member in the first object, and a lot of space after it.
	bomb bool
	// atStart answers each page with the first one.
	atStart bool
	// before stands in front of the members of the list.
	before string
}

// output is how a body is written.
type output struct {
	w http.ResponseWriter
	// slowly is how many bytes are written one at a time.
	slowly int
	// left is how many bytes are written before the connection is cut, if cut is set.
	cut  bool
	left int
	zip  *gzip.Writer
}

func (o *output) Write(text []byte) (int, error) {
	var to io.Writer = o.w
	if o.zip != nil {
		to = o.zip
	}
	if o.cut && len(text) > o.left {
		_, _ = to.Write(text[:o.left])
		o.flush()
		panic(http.ErrAbortHandler)
	}
	o.left -= len(text)
	singly := min(o.slowly, len(text))
	for i := range singly {
		if _, err := to.Write(text[i : i+1]); err != nil {
			return i, err
		}
		o.flush()
	}
	o.slowly -= singly
	n, err := to.Write(text[singly:])
	return singly + n, err
}

func (o *output) flush() {
	if o.zip != nil {
		_ = o.zip.Flush()
	}
	_ = http.NewResponseController(o.w).Flush()
}

// compress makes the answer one that is encoded with gzip.
func (c *call) compress() {
	c.w.Header().Set("Content-Encoding", "gzip")
	c.out.zip = gzip.NewWriter(c.w)
}

// status answers with a Status.
func (c *call) status(code int, reason metav1.StatusReason, details *metav1.StatusDetails) {
	text, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "the server says " + strconv.Itoa(code), Details: details,
	})
	if err != nil {
		panic(err)
	}
	c.fail()
	c.w.Header().Del("Content-Encoding")
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(code)
	_, _ = c.w.Write(text)
}

// serveList answers with one page. A token is version:position:serial.
func (c *call) serveList(tweak listTweak) {
	all, version := c.collection.snapshot()
	start := 0
	if c.token != "" && !tweak.atStart {
		if _, err := fmt.Sscanf(c.token, "%d:%d:", &version, &start); err != nil {
			if c.fault == nil {
				c.status(http.StatusBadRequest, metav1.StatusReasonBadRequest, nil)
				return
			}
			start = 0
		} else if old, ok := c.collection.snapshotAt(version); ok {
			all = old
		} else {
			c.status(http.StatusGone, metav1.StatusReasonExpired, nil)
			return
		}
	}
	end := len(all)
	if size := c.pageLimit(); size > 0 {
		end = min(end, start+size)
	}
	if tweak.empty {
		end = start
	}
	items := slices.Clone(all[min(start, end):end])
	next := ""
	if end < len(all) {
		next = c.handOut(fmt.Sprintf("%d:%d", version, end), items)
	}
	if tweak.token != nil {
		next = c.handOutAs(tweak.token(c), items)
	}
	if tweak.older && end < len(all) && end > start {
		items = append(items, older(all[end]))
	}
	c.writeList(tweak, items, version, next)
}

// older returns a state that s has never had, as an earlier one.
func older(s state) state {
	s.class, s.storageGi, s.version = "older", 1, 1
	return s
}

func (c *call) pageLimit() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pageSize > 0 && (c.limit == 0 || c.pageSize < c.limit) {
		return c.pageSize
	}
	return c.limit
}

// handOut returns a token for a position, another one each time.
func (c *call) handOut(position string, items []state) string {
	c.mu.Lock()
	c.serial++
	next := position + ":" + strconv.Itoa(c.serial)
	c.mu.Unlock()
	return c.handOutAs(next, items)
}

// handOutAs notes that a page with items has that token.
func (c *call) handOutAs(next string, items []state) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	progress := false
	for _, item := range items {
		progress = progress || !c.seen[item.name]
		c.seen[item.name] = true
	}
	if t := c.handedOut[next]; t != nil {
		t.progress = t.progress && progress
	} else {
		c.handedOut[next] = &token{progress: progress}
	}
	return next
}

func (c *call) writeList(tweak listTweak, items []state, version int, next string) {
	said := strconv.Itoa(version)
	if tweak.version != nil {
		said = *tweak.version
	}
	c.w.Header().Set("Content-Type", "application/json")
	text := fmt.Appendf(nil, `{%s"kind":"DatabaseList","apiVersion":"data.example.com/v1","metadata":{"resourceVersion":%q,"continue":%q}`, tweak.before, said, next)
	if !tweak.noItems {
		text = append(text, `,"items":[`...)
		for i, item := range items {
			if i > 0 {
				text = append(text, ',')
			}
			if tweak.older {
				text = append(c.collection.appendJSON(text, older(item), "1"), ',')
			}
			text = c.collection.appendJSON(text, item, strconv.Itoa(item.version))
			if tweak.bomb && i == 0 {
				_, _ = c.out.Write(text[:len(text)-1])
				c.explode()
				text = text[:0]
			}
			if len(text) > 32<<10 {
				_, _ = c.out.Write(text)
				text = text[:0]
			}
		}
		text = append(text, ']')
	}
	_, _ = c.out.Write(append(text, '}'))
	if c.out.zip != nil {
		_ = c.out.zip.Close()
	}
}
