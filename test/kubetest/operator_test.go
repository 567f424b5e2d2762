package kubetest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// TestOperator runs the example operator as its ServiceAccount, which has the rights of the
// example's manifest and no others.
func TestOperator(t *testing.T) {
	ctx := within(t)
	server := start(t)
	config := configOf(server)
	kube := clientFor(t, config)
	client, err := versioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	inNamespace(t, kube, "shop")
	const manifests = "../../examples/operator/config/"
	crds, err := filepath.Glob(manifests + "crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(crds, manifests+"rbac.yaml") {
		newObjects(t, server).create(t, file)
	}
	stop := startOperator(t, server, kube)

	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 50, Domain: "db.example.com", Port: 5432}}
	if _, err := client.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	databases, servers := client.DataV1().Databases("shop"), client.DataV1().DatabaseServers("shop")
	orders := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 1, Replicas: 2}}
	if _, err := databases.Create(ctx, orders, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	isIn := func(phase datav1.DatabasePhase) func(*datav1.Database) bool {
		return func(db *datav1.Database) bool { return db.Status.Phase == phase }
	}
	for _, name := range []string{"orders-0", "orders-1"} {
		server := await(t, servers.Watch, name+" is created", func(server *datav1.DatabaseServer) bool { return server.Name == name })
		server.Status.Ready = true
		if _, err := servers.UpdateStatus(ctx, server, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	db := await(t, databases.Watch, "orders is ready", isIn(datav1.DatabaseReady))

	// An update and a delete of servers.
	db.Spec.StorageGi, db.Spec.Replicas = 2, 1
	if _, err := databases.Update(ctx, db, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, servers.Watch, "orders-0 is larger", func(server *datav1.DatabaseServer) bool { return server.Spec.StorageGi == 2 })
	await(t, databases.Watch, "orders has one server", func(db *datav1.Database) bool { return db.Status.ReadyReplicas == 1 })
	for _, limit := range []int32{1, 50, 1} { // a series of two Events
		current, err := client.DataV1().DatabaseClasses().Get(ctx, "small", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		current.Spec.MaxStorageGi = limit
		if _, err := client.DataV1().DatabaseClasses().Update(ctx, current, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		phase := datav1.DatabaseFailed
		if limit == 50 {
			phase = datav1.DatabaseReady
		}
		await(t, databases.Watch, "orders is "+string(phase), isIn(phase))
	}
	await(t, kube.EventsV1().Events("shop").Watch, "there is a series of Events", func(event *eventsv1.Event) bool {
		return event.Reason == datav1.ReasonTooLarge && event.Series != nil && event.Series.Count == 2
	})

	if err := databases.Delete(ctx, "orders", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, kube.EventsV1().Events("shop").Watch, "orders is deleted", func(event *eventsv1.Event) bool { return event.Reason == datav1.ReasonDeleted })
	if left, err := servers.List(ctx, metav1.ListOptions{}); err != nil || len(left.Items) > 0 {
		t.Errorf("%d servers are left, %v", len(left.Items), err)
	}
	stop()
	lease, err := kube.CoordinationV1().Leases("database-operator").Get(ctx, "database-operator", metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		t.Errorf("the Lease is not released: %+v, %v", lease, err)
	}
}

// await returns the first object, of those that exist and those that come, that is as wanted.
func await[T runtime.Object](t *testing.T, open func(context.Context, metav1.ListOptions) (watch.Interface, error), what string, wanted func(T) bool) T {
	t.Helper()
	ctx := within(t)
	w, err := open(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for {
		select {
		case event, isOpen := <-w.ResultChan():
			if !isOpen {
				t.Fatalf("the watch ended before %s", what)
			}
			progress.Step()
			if obj, ok := event.Object.(T); ok && wanted(obj) {
				return obj
			}
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// startOperator returns when the operator runs. The returned func stops it, and fails the
// test if the operator lacked a right, or did not end in good order.
func startOperator(t *testing.T, server *kubeserver.Server, kube kubernetes.Interface) (stop func()) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "operator")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = "../../examples/operator"
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the operator: %v\n%s", err, output)
	}
	var output bytes.Buffer
	command := exec.Command(binary, "--kubeconfig="+kubeconfigOf(t, server, kube, "database-operator"), "--leader-elect", "--health-address=127.0.0.1:0")
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := command.Wait(); err != nil || strings.Contains(strings.ToLower(output.String()), "forbidden") {
			t.Errorf("the operator ended with %v:\n%s", err, &output)
		}
	}
	t.Cleanup(stop)
	return stop
}

// kubeconfigOf returns a kubeconfig of a ServiceAccount, whose namespace has the same name.
func kubeconfigOf(t *testing.T, server *kubeserver.Server, kube kubernetes.Interface, account string) (file string) {
	t.Helper()
	token, err := kube.CoreV1().ServiceAccounts(account).CreateToken(within(t), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(fmt.Errorf("no token of the ServiceAccount: %w", err))
	}
	config := api.NewConfig()
	config.Clusters["kube"] = &api.Cluster{Server: server.Access().URL, CertificateAuthority: server.Access().CA}
	config.AuthInfos[account] = &api.AuthInfo{Token: token.Status.Token}
	config.Contexts["kube"] = &api.Context{Cluster: "kube", AuthInfo: account, Namespace: account}
	config.CurrentContext = "kube"
	file = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}
