package cache

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestOverBodies runs the tests of this package again that read what a ListerWatcher has, this time with objects that
// are decoded from bodies.
func TestOverBodies(t *testing.T) {
	if os.Getenv(cachetest.OverBodies) != "" {
		t.Skip("this is that run")
	}
	timeout := "-test.timeout=0"
	if deadline, ok := t.Deadline(); ok {
		timeout = "-test.timeout=" + time.Until(deadline).String()
	}
	for encoding, choice := range map[string]struct {
		reach []string
		skip  string
	}{
		"JSON": {[]string{"via"}, "^$"},
		// What takes long, and is not about objects. An outage of bodies is in the run with JSON.
		"protobuf": {[]string{"via", "OpenerOf", "ServesProtobuf"}, "ManyUndecodable|OneName|Idle|Allocate|Writes|Coalesced|Backlog|Queue|Indexer"},
	} {
		run := "^(" + strings.Join(testsThatReach(t, choice.reach...), "|") + ")$"
		cmd := exec.CommandContext(t.Context(), os.Args[0], timeout, "-test.run="+run, "-test.skip="+choice.skip)
		cmd.Env = append(os.Environ(), cachetest.OverBodies+"="+encoding)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", encoding, err, output)
		}
	}
}

// testsThatReach returns the tests that call one of some functions of the tests, or call others that do.
func testsThatReach(t *testing.T, functions ...string) (tests []string) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]bool{} // the names in each function
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			if f, is := declared.(*ast.FuncDecl); is && f.Recv == nil { // methods of several types have one name
				names := map[string]bool{}
				ast.Inspect(f, func(n ast.Node) bool {
					if id, is := n.(*ast.Ident); is {
						names[id.Name] = true
					}
					return true
				})
				uses[f.Name.Name] = names
			}
		}
	}
	reach := map[string]bool{}
	for _, name := range functions {
		reach[name] = true
	}
	for isNew := true; isNew; {
		isNew = false
		for name, uses := range uses {
			for used := range uses {
				if !reach[name] && reach[used] {
					reach[name], isNew = true, true
				}
			}
		}
	}
	for name := range reach {
		if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
			tests = append(tests, name)
		}
	}
	if len(tests) < 50 {
		t.Fatalf("only %d tests reach %v", len(tests), functions)
	}
	return tests
}

// via returns a config that reads what its ListerWatcher has as bodies, if the tests
// run over these.
func via(config Config[object]) Config[object] {
	if os.Getenv(cachetest.OverBodies) != "" {
		config.Open, config.ListerWatcher = cachetest.OpenerOf(config.ListerWatcher), nil
	}
	return config
}

func TestRelistKeepsUnchangedObjects(t *testing.T) {
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.Streams = streams
			for i := range 10 {
				src.Set("a", fmt.Sprint(i), map[string]string{"n": fmt.Sprint(i)})
			}
			transformed := 0
			s := informerOf(Config[object]{
				Open: cachetest.OpenerOf(src), Resource: widgets, WatchErrorHandler: quiet, Settings: Settings{StreamingList: streams},
				Transform: func(obj object) (object, error) {
					transformed++
					obj.Labels["seen"] = "yes"
					return obj, nil
				},
			})
			cachetest.Run(t, s.Run)
			synctest.Wait()
			before := map[string]object{}
			for obj := range s.GetStore().All() {
				before[obj.Name] = obj
			}
			src.Set("a", "3", map[string]string{"n": "changed"})
			src.Forget()
			src.EndWatches(cachetest.ErrGone)
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(before) != 10 || transformed < 11 || transformed > 12 { // the watch may have seen the change too
				t.Errorf("%d objects before, the transform was called %d times", len(before), transformed)
			}
			for obj := range s.GetStore().All() {
				if packingtest.IsState(obj, before[obj.Name]) != (obj.Name != "3") {
					t.Errorf("streams %v, object %s: is the one from before: %v", streams, obj.Name, before[obj.Name] == obj)
				}
			}
		})
	}
}

// TestRelistFindsOtherContentAtTheSameVersion has a server that adds a default to an object
// without a new version, as after a change of its CRD.
func TestRelistFindsOtherContentAtTheSameVersion(t *testing.T) {
	for _, streams := range []bool{false, true} {
		for _, typed := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.Streams = streams
				for i := range 10 {
					src.Set("a", fmt.Sprint(i), map[string]string{"n": fmt.Sprint(i)})
				}
				config := Config[object]{
					Resource: widgets, WatchErrorHandler: quiet, Settings: Settings{StreamingList: streams},
					Transform: func(obj object) (object, error) {
						obj.Labels["seen"] = "yes"
						return obj, nil
					},
				}
				if config.ListerWatcher = src; !typed {
					config.Open, config.ListerWatcher = cachetest.OpenerOf(src), nil
				}
				s := informerOf(config)
				heard, _ := listen(t, s)
				cachetest.Run(t, s.Run)
				synctest.Wait()
				heard.Drain()
				before := map[string]object{}
				for obj := range s.GetStore().All() {
					before[obj.Name] = obj
				}
				src.AnswerWith("a", "3", map[string]string{"n": "3", "replicas": "1"})
				for _, want := range [][]string{{"update a/3@104->104"}, nil} {
					time.Sleep(time.Minute)
					synctest.Wait()
					cachetest.WantLines(t, heard.Drain(), want...)
					for obj := range s.GetStore().All() {
						if packingtest.IsState(obj, before[obj.Name]) != (obj.Name != "3") {
							t.Errorf("streams %v, typed %v, object %s: is the one from before: %v", streams, typed, obj.Name, before[obj.Name] == obj)
						}
					}
					if obj, _ := s.GetStore().Get(ObjectName{"a", "3"}); obj.Labels["replicas"] != "1" {
						t.Errorf("streams %v, typed %v: cached is %v", streams, typed, obj)
					}
					src.Forget()
					src.EndWatches(cachetest.ErrGone)
				}
			})
		}
	}
}

func TestOptionsOfDecodingApplyToEveryClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		obj := src.Set("a", "x", nil)
		obj.Annotations = map[string]string{"note": "long", "keep": "yes"}
		obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
		for name, kind := range map[string]Kind[object]{
			"bodies":  {Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }},
			"typed":   {ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }},
			"no body": {Open: func(string) bodies.OpenFunc { return nil }, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }},
		} {
			factory := NewSharedInformerFactory(0, WithoutFields("metadata.managedFields", "metadata.annotations[note]"))
			s := InformerFor(factory, kind)
			factory.Start(t.Context())
			synctest.Wait()
			got, ok := s.GetStore().Get(ObjectName{"a", "x"})
			if !ok || got.ManagedFields != nil || len(got.Annotations) != 1 || got.Annotations["keep"] != "yes" {
				t.Errorf("%s: %+v", name, got)
			}
			factory.Shutdown()
		}
		factory := NewSharedInformerFactory(0, WithListerWatcher(func(string) ListerWatcher[object] { return listWatchOf[object](src) }))
		s := InformerFor(factory, Kind[object]{Open: func(string) bodies.OpenFunc { panic("is not to be used") }})
		factory.Start(t.Context())
		synctest.Wait()
		if s.Status().Objects != 1 {
			t.Error(s.Status())
		}
		factory.Shutdown()
	})
}

// TestFactoryRefusesAnotherKind is about a server that answers with other objects.
func TestFactoryRefusesAnotherKind(t *testing.T) {
	for kind, want := range map[string]int{"": 1, "Widget": 1, "Gadget": 0} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.Set("a", "x", nil).TypeMeta = metav1.TypeMeta{Kind: "Widget", APIVersion: "test.example.com/v1"}
			factory := NewSharedInformerFactory(0)
			s := InformerFor(factory, Kind[object]{Resource: widgets, Kind: kind, Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }})
			factory.Start(t.Context())
			synctest.Wait()
			status := s.Status()
			if status.Objects != want {
				t.Errorf("kind %q: %v", kind, status)
			}
			if err := fmt.Sprint(status.Err); want == 0 && (!strings.Contains(err, `kind "Widget`) || !strings.Contains(err, `expected "Gadget`)) {
				t.Errorf("kind %q: %v", kind, err)
			}
			factory.Shutdown()
		})
	}
}
