package shards

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/test/shards/fleet"
	"github.com/typedinformers/informer-gen/testserver"
)

var (
	binary  = flag.String("server", "", "`FILE` of the command server of test/kube; testserver for the API server of that module; without it all tests are skipped")
	objects = flag.Int("objects", 300, "`number` of databases")
	members = flag.Int("members", 3, "`number` of processes")
	rounds  = flag.Int("rounds", 1, "`number` of times that each fault happens")
	rate    = flag.Int("rate", 20, "`number` of changes per second")
	lease   = flag.Duration("lease", 10*time.Second, "`time` that the Lease of a process is valid; on a machine that is busy, a process loses it in less than 5s")
	seed    = flag.Uint64("seed", 1, "seed of the changes and of the choice of processes")
)

const operator = "../../examples/operator"

// inProcess is the value of -server for the API server of module testserver.
const inProcess = "testserver"

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" {
		fmt.Println("skipped without -server; run make test-shards")
		return
	}
	if *binary != inProcess {
		file, err := filepath.Abs(*binary)
		if err != nil {
			panic(err)
		}
		*binary = file
	}
	code := m.Run()
	if code == 0 {
		http.DefaultClient.CloseIdleConnections()
		if err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// cluster is an API server with the CRDs and rights of the operator.
type cluster struct {
	admin *rest.Config
	// robot is the operator's ServiceAccount, if the server knows any.
	robot *rest.Config
	// etcd is a client of the etcd of the server. Nil if only the server itself can reach it.
	etcd *clientv3.Client
}

// open starts a server for one test. gate sets ShardedListAndWatch, which only a whole
// kube-apiserver has.
func open(t *testing.T, gate bool) cluster {
	t.Helper()
	if *binary == inProcess {
		if gate {
			t.Skip("the gate needs a kube-apiserver; run make test-shards")
		}
		server := testserver.Start(t, testserver.WithCRDs(operator+"/config/crd"), testserver.WithBuiltIn(&corev1.ConfigMap{}))
		c := cluster{admin: server.Config(), robot: server.Config()}
		c.createNamespace(t, fleet.Namespace)
		return c
	}
	gates := "--feature-gates=ShardedListAndWatch=false"
	if gate {
		gates = "--feature-gates=ShardedListAndWatch=true"
	}
	server, err := kubeserver.Start(progress.Context(t), kubeserver.Options{Binary: *binary, Args: []string{gates}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cpu, err := server.CPUTime()
		if err := errors.Join(err, server.Stop()); err != nil {
			t.Error(err)
		}
		t.Logf("the API server with its etcd: %.1f s of CPU time, %d MB of peak RSS", cpu.Seconds(), server.PeakRSS()/1e6)
	})
	access := server.Access()
	c := cluster{
		admin: &rest.Config{Host: access.URL, BearerToken: access.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: access.CA}},
		etcd:  connect(t, access.Etcd),
	}
	files, err := filepath.Glob(operator + "/config/crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, operator+"/config/rbac.yaml") {
		c.create(t, file)
	}
	c.robot = c.serviceAccount(t)
	return c
}

// connect returns a client of etcd.
func connect(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// put returns the func by which processes write records, or nil.
func (c cluster) put() fleet.PutFunc {
	if c.etcd == nil {
		return nil
	}
	return func(ctx context.Context, key, value string) (int64, error) {
		response, err := c.etcd.Put(ctx, key, value)
		if err != nil {
			return 0, err
		}
		return response.Header.Revision, nil
	}
}

func (c cluster) kube(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	client, err := rest.HTTPClientFor(rest.CopyConfig(c.admin))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	kube, err := kubernetes.NewForConfigAndClient(rest.CopyConfig(c.admin), client)
	if err != nil {
		t.Fatal(err)
	}
	return kube
}

func (c cluster) createNamespace(t *testing.T, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := c.kube(t).CoreV1().Namespaces().Create(progress.Context(t), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// serviceAccount returns a configuration with the rights of config/rbac.yaml.
func (c cluster) serviceAccount(t *testing.T) *rest.Config {
	t.Helper()
	ctx, kube := progress.Context(t), c.kube(t)
	token, err := kube.CoreV1().ServiceAccounts(fleet.Namespace).CreateToken(ctx, fleet.Namespace, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	robot := rest.CopyConfig(c.admin)
	robot.BearerToken = token.Status.Token
	return robot
}

// grantLeases gives the processes the rights to Leases in one more namespace, as config/rbac.yaml does in their own.
func (c cluster) grantLeases(t *testing.T, namespace string) {
	t.Helper()
	if *binary == inProcess {
		return // everyone may do everything
	}
	ctx, rbac := progress.Context(t), c.kube(t).RbacV1()
	role, err := rbac.Roles(fleet.Namespace).Get(ctx, fleet.Namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	binding, err := rbac.RoleBindings(fleet.Namespace).Get(ctx, fleet.Namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.ObjectMeta = metav1.ObjectMeta{Name: role.Name}
	binding.ObjectMeta = metav1.ObjectMeta{Name: binding.Name}
	if _, err := rbac.Roles(namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rbac.RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// create creates the objects of a file, and waits until CRDs are served.
func (c cluster) create(t *testing.T, file string) {
	t.Helper()
	ctx, kube := progress.Context(t), c.kube(t)
	groups, err := restmapper.GetAPIGroupResources(kube.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	client, err := rest.HTTPClientFor(rest.CopyConfig(c.admin))
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	objects, err := dynamic.NewForConfigAndClient(c.admin, client)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(obj); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		kind := obj.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Fatal(err)
		}
		var of dynamic.ResourceInterface = objects.Resource(mapping.Resource)
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			of = objects.Resource(mapping.Resource).Namespace(obj.GetNamespace())
		}
		if _, err := of.Create(ctx, obj, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}
