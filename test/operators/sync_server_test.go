package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// TestSyncServer requires that each way to read all objects gives them once, as valid JSON.
func TestSyncServer(t *testing.T) {
	for _, o := range operators {
		if o.first.kind == "" {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			server := httptest.NewServer(newSyncServer(o.first, 5))
			defer server.Close()
			want := []string{"object-0", "object-1", "object-2", "object-3", "object-4"}
			lists := []struct {
				query string
				want  []string
				next  string
			}{
				{"?resourceVersion=0&limit=2", want, ""},
				{"", want, ""},
				{"?limit=2", want[:2], "2"},
				{"?limit=2&continue=2", want[2:4], "4"},
				{"?limit=2&continue=4", want[4:], ""},
			}
			for _, list := range lists {
				names, next := readList(t, server.URL+list.query)
				if !slices.Equal(names, list.want) || next != list.next {
					t.Errorf("%q: got %v and continue %q, want %v and %q", list.query, names, next, list.want, list.next)
				}
			}
			if names := readInitialEvents(t, server.URL+"?watch=true&sendInitialEvents=true"); !slices.Equal(names, want) {
				t.Errorf("watch: got %v, want %v", names, want)
			}
		})
	}
}

type syncedObject struct {
	APIVersion, Kind string
	Metadata         struct {
		Name, Continue string
		Annotations    map[string]string
	}
}

func readList(t *testing.T, url string) (names []string, next string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct {
		syncedObject
		Items []syncedObject
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
		if item.APIVersion != list.APIVersion || item.Kind+"List" != list.Kind {
			t.Errorf("%s is a %s of %s in a %s of %s", item.Metadata.Name, item.Kind, item.APIVersion, list.Kind, list.APIVersion)
		}
	}
	return names, list.Metadata.Continue
}

// readInitialEvents returns the names of the objects that come before the bookmark that ends the initial events.
func readInitialEvents(t *testing.T, url string) (names []string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	for {
		var event struct {
			Type   string
			Object syncedObject
		}
		if err := decoder.Decode(&event); err != nil {
			t.Fatal(err)
		}
		if event.Type == "BOOKMARK" && event.Object.Metadata.Annotations["k8s.io/initial-events-end"] == "true" {
			return names
		}
		names = append(names, event.Object.Metadata.Name)
	}
}

// TestCheck requires that a result names the tests that ended differently, and counts them with and without subtests.
func TestCheck(t *testing.T) {
	before := tests{"p TestA": "pass", "p TestA/x": "pass", "p TestB": "fail", "p TestC": "skip"}
	if err := (result{before: before, after: before}).check(); err != nil {
		t.Errorf("equal results: %v", err)
	}
	after := tests{"p TestA": "pass", "p TestA/x": "fail", "p TestB": "fail"}
	err := result{before: before, after: after}.check()
	want := "p TestA/x: before \"pass\", after \"fail\"\np TestC: before \"skip\", after \"\""
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if all, top := before.count("pass", true), before.count("pass", false); all != 2 || top != 1 {
		t.Errorf("%d tests pass, and %d without subtests", all, top)
	}
	if (result{}).check() == nil {
		t.Error("a result without tests is accepted")
	}
	if row := (result{before: before, after: after}).row(operator{name: "n", module: "m/n@v1"}); row != "| n v1 | 0.0 | 0 | 0, 0 | 1, 1 |  |  |" {
		t.Error(row)
	}
}
