// Package demotest tests a demo that stays.
package demotest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// lines passes each line that the demo prints to a channel, and to the output of the test.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return os.Stdout.Write(p)
}

// Stay plays a demo to its end, looks at what it serves while it stays, and ends it as Ctrl-C does. What it prints before is for a
// person to judge. isPage reports whether a text is that of the page, and ready begins the text of readiness. Each change comes
// before timeout.
func Stay(t *testing.T, run func(context.Context) error, isPage func(text string) bool, ready string, timeout time.Duration) {
	printed := make(lines, 1000)
	demo.Output = printed
	t.Cleanup(func() { demo.Output = os.Stdout })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	urls := map[string]string{}
	for stays := false; !stays; {
		select {
		case err := <-done:
			t.Fatalf("the demo ended by itself: %v", err)
		case line := <-printed:
			topic, text, _ := strings.Cut(line, " ")
			if url, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.HasPrefix(url, "http://") {
				urls[topic] = url
			}
			stays = topic == "stay"
		}
	}
	if text := read(t, urls["page"]); !isPage(text) {
		t.Errorf("the page is\n%s", text)
	}
	if text := read(t, urls["readiness"]); !strings.HasPrefix(text, ready) {
		t.Errorf("/readyz is\n%s", text)
	}
	first := updates(t, urls["metrics"])
	for began := time.Now(); updates(t, urls["metrics"]) <= first; <-time.After(demo.Pause) {
		if time.Since(began) > timeout {
			t.Fatal("nothing changes while the demo stays")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if response, err := http.Get(urls["page"]); err == nil {
		response.Body.Close()
		t.Error("the page is still there after the end")
	}
}

// updates returns the number of updates of Databases that the informers have seen.
func updates(t *testing.T, url string) int {
	t.Helper()
	text := read(t, url)
	for line := range strings.Lines(text) {
		if match := updated.FindStringSubmatch(line); match != nil {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal(fmt.Errorf("the metrics have no updates of databases:\n%s", text))
	return 0
}

var updated = regexp.MustCompile(`^informer_events_total\{.*resource="databases".*type="updated".*\} (\d+)\n$`)

func read(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s is %s, %v:\n%s", url, response.Status, err, body)
	}
	return string(body)
}
