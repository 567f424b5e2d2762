// These tests are in the package of the factory, so that the compiler reads the types of all kinds only once.

package externalversions

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// patience bounds each wait. It is long, because a test may run on a slow machine.
const patience = 5 * time.Minute

// pod returns a pod on a node.
func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "east", ResourceVersion: "1"}, Spec: corev1.PodSpec{NodeName: node}}
}

// start starts a factory and waits for its caches.
func start(t *testing.T, factory SharedInformerFactory) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestFake follows the pods of client-go's fake clientset.
func TestFake(t *testing.T) {
	client := fake.NewClientset(pod("web", "n1"))
	factory := NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	added := make(chan string, 2)
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.Pod]{
		AddFunc: func(pod *corev1.Pod, _ bool) { added <- pod.Name },
	}); err != nil {
		t.Fatal(err)
	}
	start(t, factory)
	found, err := pods.Lister().Pods("east").Get("web")
	if err != nil || found.Spec.NodeName != "n1" {
		t.Errorf("the lister has %v, %v", found, err)
	}
	if _, err := client.CoreV1().Pods("east").Create(t.Context(), pod("db", "n2"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"web", "db"} {
		select {
		case got := <-added:
			if got != want {
				t.Errorf("%s was added, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("%s was not added", want)
		}
	}
}

// TestServer lists pods from a server that has them as protobuf, and from one that has only JSON.
func TestServer(t *testing.T) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "2"}, Items: []corev1.Pod{*pod("web", "n1")}}
	for name, encode := range map[string]func(http.ResponseWriter) error{
		runtime.ContentTypeProtobuf: func(w http.ResponseWriter) error { return protobuf.NewSerializer(nil, nil).Encode(list, w) },
		runtime.ContentTypeJSON:     func(w http.ResponseWriter) error { return json.NewEncoder(w).Encode(list) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if accept := r.Header.Get("Accept"); !strings.Contains(accept, runtime.ContentTypeProtobuf) || !strings.Contains(accept, runtime.ContentTypeJSON) {
					t.Errorf("the request accepts %q", accept)
				}
				w.Header().Set("Content-Type", name)
				if r.URL.Query().Get("watch") != "" {
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				} else if err := encode(w); err != nil {
					t.Error(err)
				}
			}))
			t.Cleanup(server.Close)
			client := kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL})
			factory := NewSharedInformerFactory(client, 0)
			pods := factory.Core().V1().Pods()
			pods.Informer()
			start(t, factory)
			if found, err := pods.Lister().Pods("east").Get("web"); err != nil || found.Spec.NodeName != "n1" {
				t.Errorf("the lister has %v, %v", found, err)
			}
		})
	}
}

// TestEveryKindOfTheClientset compares the kinds that kubernetes.Interface can list and watch with those of the
// factory. It reads only their types.
func TestEveryKindOfTheClientset(t *testing.T) {
	want := map[string]bool{}
	clientset := reflect.TypeFor[kubernetes.Interface]()
	for method := range methods(clientset) {
		if method.Type.Out(0) == reflect.TypeFor[discovery.DiscoveryInterfaces]() {
			continue
		}
		for getter := range methods(method.Type.Out(0)) {
			client := getter.Type.Out(0)
			_, lists := client.MethodByName("List")
			_, watches := client.MethodByName("Watch")
			if lists && watches {
				want[method.Name+" "+getter.Name] = true
			}
		}
	}
	got := map[string]bool{}
	for group := range methods(reflect.TypeFor[SharedInformerFactory]()) {
		if group.Type.NumIn() > 0 || group.Type.NumOut() != 1 || group.Type.Out(0).Name() != "Interface" {
			continue // Start and others
		}
		for version := range methods(group.Type.Out(0)) {
			for kind := range methods(version.Type.Out(0)) {
				got[group.Name+version.Name+" "+kind.Name] = true
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the factory has %d kinds, and the clientset %d: %v", len(got), len(want), difference(got, want))
	}
	if len(got) < 140 {
		t.Errorf("only %d kinds are found", len(got))
	}
}

// methods returns the exported methods of an interface type that have a result.
func methods(of reflect.Type) func(yield func(reflect.Method) bool) {
	return func(yield func(reflect.Method) bool) {
		for i := range of.NumMethod() {
			if method := of.Method(i); method.Type.NumOut() > 0 && !yield(method) {
				return
			}
		}
	}
}

// difference returns what is in one of the sets only.
func difference(a, b map[string]bool) []string {
	var only []string
	for key := range a {
		if !b[key] {
			only = append(only, "+"+key)
		}
	}
	for key := range b {
		if !a[key] {
			only = append(only, "-"+key)
		}
	}
	slices.Sort(only)
	return only
}

// resourceCase is a resource in ForResource of client-go's factory.
var resourceCase = regexp.MustCompile(`case (\w+)\.SchemeGroupVersion\.WithResource\("(\w+)"\)`)

// TestForResource asks for each resource that the factory of client-go has. It reads the source of that factory,
// because compiling it takes long.
func TestForResource(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-find", "-f", "{{.Dir}}", "k8s.io/client-go/informers").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "generic.go"))
	if err != nil {
		t.Fatal(err)
	}
	groupVersions := map[string]schema.GroupVersion{} // by the import path of their types
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if path := goType.PkgPath(); strings.HasPrefix(path, "k8s.io/api/") && gvk.Version == filepath.Base(path) {
			groupVersions[path] = gvk.GroupVersion()
		}
	}
	factory := NewSharedInformerFactory(fake.NewClientset(), 0)
	cases := resourceCase.FindAllStringSubmatch(string(source), -1)
	for _, found := range cases {
		path := regexp.MustCompile(`(?m)^\s*(?:` + found[1] + ` )?"(k8s\.io/api/\S*)"$`)
		var importPath string
		for _, line := range path.FindAllStringSubmatch(string(source), -1) {
			if strings.Contains(line[0], found[1]+" ") || filepath.Base(line[1]) == found[1] {
				importPath = line[1]
			}
		}
		gv, ok := groupVersions[importPath]
		if !ok {
			t.Errorf("the group of %s is unknown", found[0])
			continue
		}
		if informer, err := factory.ForResource(gv.WithResource(found[2])); err != nil || informer == nil {
			t.Errorf("%v: %v", gv.WithResource(found[2]), err)
		}
	}
	if len(cases) < 140 {
		t.Errorf("only %d resources are found", len(cases))
	}
	if _, err := factory.ForResource(corev1.SchemeGroupVersion.WithResource("foos")); err == nil {
		t.Error("there is an informer of foos")
	}
}

// TestGroupsThatNeedNoCRD checks that the advice knows all groups of Kubernetes: no CRD has to be installed for
// their kinds.
func TestGroupsThatNeedNoCRD(t *testing.T) {
	for _, version := range scheme.Scheme.PrioritizedVersionsAllGroups() {
		switch version.Group {
		case "admission.k8s.io", "apidiscovery.k8s.io", "imagepolicy.k8s.io":
			continue // no server has objects of them
		}
		status := status.Informer{
			Resource: version.WithResource("things"),
			Status:   cache.Status{Phase: status.Degraded, Reason: status.NotFound, Err: apierrors.NewNotFound(version.WithResource("things").GroupResource(), "")},
		}
		text := status.String()
		for _, advice := range status.Advice() {
			text += " " + advice.String()
		}
		if strings.Contains(text, "is its CRD installed") || strings.Contains(text, "Install") || !strings.Contains(text, "too old or too new for "+version.String()) {
			t.Errorf("%v: %s", version, text)
		}
	}
}
