package apitest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest"
)

const pods = "/api/v1/namespaces/a/pods"

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// podOn returns a pod on a node, which may be empty.
func podOn(node string, more ...func(pod *unstructured.Unstructured)) *unstructured.Unstructured {
	pod := named("v1", "Pod", "a", "one")
	if node != "" {
		pod.Object["spec"] = map[string]any{"nodeName": node}
	}
	for _, change := range more {
		change(pod)
	}
	return pod
}

// A pod on a node is deleted after its kubelet has stopped it. The rules are those of podStrategy and BeforeDelete in Kubernetes.
func TestDeletePod(t *testing.T) {
	t.Parallel()
	type pod = unstructured.Unstructured
	phase := func(phase string) func(*pod) {
		return func(p *pod) { p.Object["status"] = map[string]any{"phase": phase} }
	}
	grace := func(seconds int64) func(*pod) {
		return func(p *pod) { p.Object["spec"].(map[string]any)["terminationGracePeriodSeconds"] = seconds }
	}
	held := func(p *pod) { p.SetFinalizers([]string{"example.com/x"}) }
	for _, test := range []struct {
		name    string
		pod     *pod
		deletes []string // bodies; a duration is a wait before the next one
		want    string   // after each deletion: the time that the pod has, and when it ends after the beginning
	}{
		{"by default", podOn("n"), []string{``, ``}, "30 30s, 30 30s"},
		{"without a node", podOn(""), []string{``}, "gone"},
		{"without a node, with a time", podOn(""), []string{`{"gracePeriodSeconds": 5}`}, "gone"},
		{"failed", podOn("n", phase("Failed")), []string{``}, "gone"},
		{"succeeded", podOn("n", phase("Succeeded")), []string{``}, "gone"},
		{"running", podOn("n", phase("Running")), []string{``}, "30 30s"},
		{"its own time", podOn("n", grace(7)), []string{``}, "7 7s"},
		{"its own time is none", podOn("n", grace(0)), []string{``}, "gone"},
		{"a time that is asked for", podOn("n", grace(7)), []string{`{"gracePeriodSeconds": 5}`}, "5 5s"},
		{"a negative time", podOn("n"), []string{`{"gracePeriodSeconds": -5}`}, "1 1s"},
		{"at once", podOn("n"), []string{`{"gracePeriodSeconds": 0}`}, "gone"},
		{"the kubelet is done", podOn("n"), []string{``, `{"gracePeriodSeconds": 0}`}, "30 30s, gone"},
		{"shorter", podOn("n"), []string{``, `{"gracePeriodSeconds": 5}`, `{"gracePeriodSeconds": 20}`}, "30 30s, 5 5s, 5 5s"},
		{"longer", podOn("n"), []string{``, `{"gracePeriodSeconds": 50}`}, "30 30s, 30 30s"},
		{"shorter than the time that has passed", podOn("n"), []string{``, `20s`, `{"gracePeriodSeconds": 5}`}, "30 30s, 1 20s"},
		{"later, and at once", podOn("n"), []string{``, `20s`, `{"gracePeriodSeconds": 0}`}, "30 30s, gone"},
		{"a finalizer", podOn("n", held), []string{``, `{"gracePeriodSeconds": 0}`, ``}, "30 30s, 0 0s, 0 0s"},
		{"a finalizer, without a node", podOn("", held), []string{``, ``}, "0 0s, 0 0s"},
		{"dry run", podOn("n"), []string{`{"dryRun": ["All"]}`}, "stays"},
		{"dry run of a pod without a node", podOn(""), []string{`{"dryRun": ["All"]}`}, "stays"},
		{"foreground", podOn("n"), []string{`{"propagationPolicy": "Foreground"}`, `{"gracePeriodSeconds": 0, "propagationPolicy": "Background"}`}, "30 30s, gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.Start(t)
				add(t, server, test.pod)
				begin := time.Now()
				c := client{t, server}
				var got []string
				for _, body := range test.deletes {
					if wait, err := time.ParseDuration(body); err == nil {
						time.Sleep(wait)
						continue
					}
					answer := c.do("DELETE", pods+"/one", body, 200)
					if answer.GetKind() != "Pod" {
						t.Errorf("the answer is %v", answer.Object)
					}
					list := c.do("GET", pods, "", 200).Object["items"].([]any)
					if len(list) == 0 {
						got = append(got, "gone")
						continue
					}
					pod := &unstructured.Unstructured{Object: list[0].(map[string]any)}
					if pod.GetDeletionTimestamp() == nil {
						got = append(got, "stays")
						continue
					}
					if pod.GetGeneration() != 2 {
						t.Errorf("generation %d", pod.GetGeneration())
					}
					got = append(got, fmt.Sprintf("%d %v", *pod.GetDeletionGracePeriodSeconds(), pod.GetDeletionTimestamp().Sub(begin)))
				}
				if got := strings.Join(got, ", "); got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
			})
		})
	}
}

// Deletions by other paths leave a pod on a node to its kubelet too.
func TestDeletePodOtherwise(t *testing.T) {
	t.Parallel()
	owned := func(pod *unstructured.Unstructured) {
		pod.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Widget", Name: "owner", UID: "u"}})
	}
	owner := named("example.com/v1", "Widget", "a", "owner")
	owner.SetUID("u")
	for how, remove := range map[string]func(*testing.T, *apitest.Server) error{
		"a collection": func(t *testing.T, s *apitest.Server) error { client{t, s}.do("DELETE", pods, "", 200); return nil },
		"an eviction": func(t *testing.T, s *apitest.Server) error {
			client{t, s}.do("POST", pods+"/one/eviction", `{"metadata":{"name":"one"}}`, 201)
			return nil
		},
		"the owner": func(t *testing.T, s *apitest.Server) error {
			client{t, s}.do("DELETE", widgets+"/owner", "", 200)
			return nil
		},
		"the namespace": func(t *testing.T, s *apitest.Server) error {
			client{t, s}.do("DELETE", "/api/v1/namespaces/a", "", 200)
			return nil
		},
		"the tracker": func(_ *testing.T, s *apitest.Server) error { return s.Tracker(nil).Delete(podsResource, "a", "one") },
	} {
		server := apitest.Start(t, apitest.WithKinds(widget), apitest.WithNamespaceLifecycle())
		add(t, server, named("v1", "Namespace", "", "a"), owner, podOn("n", owned))
		c := client{t, server}
		if err := remove(t, server); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		pod := c.do("GET", pods+"/one", "", 200)
		if pod.GetDeletionTimestamp() == nil || *pod.GetDeletionGracePeriodSeconds() != 30 {
			t.Errorf("%s: %v", how, pod.Object)
		}
		// A write of the status, as the kubelet sends it, does not delete it.
		data, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		c.do("PUT", pods+"/one/status", string(data), 200)
		c.do("DELETE", pods+"/one", `{"gracePeriodSeconds": 0}`, 200)
		c.do("GET", pods+"/one", "", 404)
		if how == "the namespace" {
			c.do("GET", "/api/v1/namespaces/a", "", 404)
		}
	}
}

// Watches see that a pod is deleting before it is gone, also if it goes at once.
func TestWatchDeletedPod(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t)
	add(t, server, podOn(""))
	watcher, err := server.Tracker(nil).Watch(podsResource, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if err := server.Tracker(nil).Delete(podsResource, "a", "one"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []watch.EventType{watch.Modified, watch.Deleted} {
		event := <-watcher.ResultChan()
		if pod := event.Object.(metav1.Object); event.Type != want || pod.GetDeletionTimestamp() == nil {
			t.Errorf("event %s %v, want %s of a pod with a deletionTimestamp", event.Type, event.Object, want)
		}
	}
}

// A terminating pod can be there before the test.
func TestAddTerminatingPod(t *testing.T) {
	t.Parallel()
	now := metav1.NewTime(time.Now())
	deleting := func(pod *unstructured.Unstructured) { pod.SetDeletionTimestamp(&now) }
	for _, node := range []string{"n", ""} {
		server := apitest.Start(t)
		add(t, server, podOn(node, deleting))
		c := client{t, server}
		pod := c.do("GET", pods+"/one", "", 200)
		if *pod.GetDeletionGracePeriodSeconds() != 30 {
			t.Errorf("%v", pod.Object)
		}
		pod.SetLabels(map[string]string{"a": "b"})
		data, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		c.do("PUT", pods+"/one", string(data), 200)
		c.do("GET", pods+"/one", "", 200)
		c.do("DELETE", pods+"/one", `{"gracePeriodSeconds": 0}`, 200)
		c.do("GET", pods+"/one", "", 404)
	}
	server := apitest.Start(t)
	secret := named("v1", "Secret", "a", "one")
	deleting(secret)
	if err := server.Add(secret); err == nil {
		t.Error("a terminating Secret without finalizers was added")
	}
}
