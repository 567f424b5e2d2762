package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"github.com/typedinformers/informer-gen/apitest"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// TestRights compares the requests of a run with the rights in config/rbac.yaml: there is
// none too few, and none too many.
func TestRights(t *testing.T) {
	want := map[string]bool{
		"update databases.data.example.com/finalizers": true, // see the comment in the file
		"get databaseservers.data.example.com":         true, // TestServerOfAnotherProcess needs it
	}
	for _, o := range []options{
		{leaderElect: true},
		{shards: true, shardKey: sharding.Owner, identity: "one", leaseDuration: leaseDuration},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, action := range record(t, o) {
				resource := action.GetResource().GroupResource().String()
				if sub := action.GetSubresource(); sub != "" {
					resource += "/" + sub
				}
				want[action.GetVerb()+" "+resource] = true
			}
		})
	}

	got := map[string]bool{}
	for _, object := range manifests(t, "config/rbac.yaml") {
		var rules []rbacv1.PolicyRule
		switch object := object.(type) {
		case *rbacv1.ClusterRole:
			rules = object.Rules
		case *rbacv1.Role:
			rules = object.Rules
			for _, rule := range rules {
				if !slices.Equal(rule.Resources, []string{"leases"}) {
					t.Errorf("the Role has a right to %q, which is needed in other namespaces too", rule.Resources)
				}
			}
		}
		for _, rule := range rules {
			for _, resource := range rule.Resources {
				resource, sub, _ := strings.Cut(resource, "/")
				if group := rule.APIGroups[0]; group != "" {
					resource += "." + group
				}
				if sub != "" {
					resource += "/" + sub
				}
				for _, verb := range rule.Verbs {
					got[verb+" "+resource] = true
				}
			}
		}
	}
	if needed, allowed := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(needed, allowed) {
		t.Errorf("config/rbac.yaml allows\n\t%s\nbut the operator needs\n\t%s", strings.Join(allowed, "\n\t"), strings.Join(needed, "\n\t"))
	}
}

// record runs the operator through all that it does, and returns its requests.
func record(t *testing.T, o options) []clienttesting.Action {
	server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
	// The test has a clientset of its own, so that its requests are not recorded.
	recorded := fake.NewClientsetFor(server, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	data := fake.NewClientsetFor(server)
	ctx, stop := context.WithCancel(t.Context())
	on, err := connectTo(recorded.Config(), "operators", o)
	if err != nil {
		t.Fatal(err)
	}
	o.workers, o.syncTimeout = 1, time.Minute
	ended := make(chan error, 1)
	go func() { ended <- operate(ctx, on, o) }()

	databases, servers := data.DataV1().Databases("shop"), data.DataV1().DatabaseServers("shop")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // of the bubble
	}
	edit := func(change func(*datav1.Database)) {
		t.Helper()
		db, err := databases.Get(ctx, "orders", metav1.GetOptions{})
		check(err)
		change(db)
		_, err = databases.Update(ctx, db, metav1.UpdateOptions{})
		check(err)
	}
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: datav1.DatabaseClassSpec{MaxStorageGi: 100, Port: 5432}}
	_, err = data.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{})
	check(err)
	_, err = databases.Create(ctx, &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"},
		Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 10, Replicas: 2},
	}, metav1.CreateOptions{})
	check(err)
	for range 2 { // the second time is a series of Events
		edit(func(db *datav1.Database) { db.Spec.StorageGi = 101 })
		edit(func(db *datav1.Database) { db.Spec.StorageGi = 20 })
	}
	edit(func(db *datav1.Database) { db.Spec.Replicas = 1 })
	check(databases.Delete(ctx, "orders", metav1.DeleteOptions{}))
	left, err := servers.List(ctx, metav1.ListOptions{})
	if check(err); len(left.Items) > 0 {
		t.Errorf("%d servers are left", len(left.Items))
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return recorded.Actions()
}

func TestDeployment(t *testing.T) {
	accounts := map[string]bool{}
	for _, object := range manifests(t, "config/rbac.yaml") {
		if account, ok := object.(*corev1.ServiceAccount); ok {
			accounts[account.Namespace+"/"+account.Name] = true
		}
	}
	deployment := manifests(t, "config/deployment.yaml")[0].(*appsv1.Deployment)
	pod := deployment.Spec.Template.Spec
	if account := deployment.Namespace + "/" + pod.ServiceAccountName; !accounts[account] {
		t.Errorf("config/rbac.yaml has no ServiceAccount %s", account)
	}
	container := pod.Containers[0]
	o, err := parse(container.Args)
	if err != nil {
		t.Fatal(err)
	}
	if port := container.Ports[0]; !strings.HasSuffix(o.healthAddress, ":8081") || port.ContainerPort != 8081 {
		t.Errorf("the operator serves %s, and the Deployment has port %d", o.healthAddress, port.ContainerPort)
	}
	for path, probe := range map[string]*corev1.Probe{"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != container.Ports[0].Name {
			t.Errorf("the probe of %s is %+v", path, probe.HTTPGet)
		}
	}
}

// manifests returns the objects in a file. An unknown field is an error.
func manifests(t *testing.T, file string) (objects []runtime.Object) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		objects = append(objects, object)
	}
}
