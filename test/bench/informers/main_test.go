package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// TestMain lets the test binary be the command: the mode of client-go's informers
// is one for a whole process.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_INFORMERS") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const objects = 1000

func runClient(t *testing.T, args ...string) (result report.Client) {
	t.Helper()
	server, err := podserver.New(objects)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	defer web.Close()
	command := exec.CommandContext(t.Context(), os.Args[0], append(args, "--server="+web.URL, fmt.Sprintf("--objects=%d", objects), fmt.Sprintf("--updates=%d", objects/2), "--timeout=10m")...)
	command.Env = append(os.Environ(), "BENCH_INFORMERS=1")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if err := json.Unmarshal(output, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestChanges lets both sides follow the same collection in both modes, and ends
// in the same state.
func TestChanges(t *testing.T) {
	modes, sides := []string{report.Streaming, report.List}, []string{report.Ours, report.Theirs}
	results := make([]report.Client, len(modes)*len(sides))
	t.Run("clients", func(t *testing.T) {
		for i := range results {
			mode, side := modes[i/len(sides)], sides[i%len(sides)]
			t.Run(mode+"/"+side, func(t *testing.T) {
				t.Parallel() // most of the time they wait before they list again
				results[i] = runClient(t, "client", "--scenario=changes", "--mode="+mode, "--side="+side)
				checkChanges(t, mode, side, results[i])
			})
		}
	})
	for _, got := range results[1:] {
		if want := results[0]; got.State != want.State || fmt.Sprint(got.Contents) != fmt.Sprint(want.Contents) {
			t.Errorf("one has %s\n%v,\nthe first had %s\n%v", got.State, got.Contents, want.State, want.Contents)
		}
	}
}

func checkChanges(t *testing.T, mode, side string, got report.Client) {
	if got.Sync.Adds != objects || got.Updates.Updates != objects/2+1 {
		t.Errorf("its handler has heard of %d adds, and %d updates", got.Sync.Adds, got.Updates.Updates)
	}
	want := 1 // the sentinel
	if side == report.Theirs {
		want += objects
	}
	if got.Unchanged.Updates != want {
		t.Errorf("after a relist of the same its handler has heard of %d updates, and not of %d", got.Unchanged.Updates, want)
	}
	for name, phase := range map[string]report.Phase{"sync": got.Sync, "unchanged": got.Unchanged, "changed": got.Changed, "updates": got.Updates} {
		if phase.Seconds <= 0 || phase.Seconds > 30 {
			t.Errorf("%s took %v s", name, phase.Seconds)
		}
	}
	if lists, streams := got.Requests.Lists, got.Requests.Streams; lists+streams != 3 || (streams == 3) != (mode == report.Streaming) {
		t.Errorf("%d lists and %d streams", lists, streams)
	}
}

// TestFields keeps parts of the same objects on both sides.
func TestFields(t *testing.T) {
	for _, fields := range []string{report.AllFields, report.Unmanaged, report.View} {
		ours := runClient(t, "client", "--fields="+fields)
		theirs := runClient(t, "client", "--fields="+fields, "--side=theirs")
		if ours.Contents[fields] == "" || ours.Contents[fields] != theirs.Contents[fields] {
			t.Errorf("%s fields: %s and %s", fields, ours.Contents[fields], theirs.Contents[fields])
		}
		if ours.HeapPerObject <= 0 || theirs.HeapPerObject <= 0 {
			t.Errorf("%s fields: an object takes %v and %v bytes", fields, ours.HeapPerObject, theirs.HeapPerObject)
		}
	}
}
