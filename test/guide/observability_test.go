package guide

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/observe/healthz"
	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestTurnOn serves what docs/observability.md says, and reads it.
func TestTurnOn(t *testing.T) {
	client := fake.NewClientset(&v1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "orders"},
		Spec:       v1.DatabaseSpec{ClassName: "postgres", StorageGi: 20},
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Data().V1().Databases().Informer()
	mux, registry := http.NewServeMux(), prometheus.NewRegistry()
	mux.Handle("GET /debug/informers", debugpage.New(factory))   // a page for people, text for curl, JSON for tools
	registry.MustRegister(informermetrics.NewCollector(factory)) // metrics for Prometheus
	mux.Handle("GET /readyz", healthz.Handler(factory))          // fails with the reasons until all informers are synced
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	get := func(path string) (code int, body string) {
		response := httptest.NewRecorder()
		mux.ServeHTTP(response, httptest.NewRequest(http.MethodGet, path, nil))
		return response.Code, response.Body.String()
	}
	if code, body := get("/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "not started") {
		t.Errorf("before the start /readyz is %d:\n%s", code, body)
	}
	start(t.Context(), factory)
	t.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/readyz":          "[+] databases.data.example.com",
		"/debug/informers": "databases.data.example.com",
		"/metrics":         `informer_objects{group="data.example.com",name="",resource="databases",version="v1"} 1`,
	} {
		if code, body := get(path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s is %d without %q:\n%s", path, code, want, body)
		}
	}
	look(factory)
}

func start(ctx context.Context, factory informers.SharedInformerFactory) {
	ctx = klog.NewContext(ctx, logr.FromSlogHandler(slog.Default().Handler()))
	factory.Start(ctx)
}

func look(factory informers.SharedInformerFactory) {
	for i := range factory.Statuses() {
		if i.Status.Phase != status.Watching {
			fmt.Println(i.Resource.GroupResource(), i.Status, i.Stats.Staleness.Round(time.Second))
			for _, advice := range i.Advice() {
				fmt.Println(advice.Text, advice.Manifest)
			}
		}
	}
}

// inAManager is compiled only.
func inAManager(mgr manager.Manager, mux *http.ServeMux, factory informers.SharedInformerFactory, informers *crcache.Cache) error {
	mux.Handle("/debug/informers", debugpage.New(factory, debugpage.WithTitle("database-operator")))
	err := mgr.AddMetricsServerExtraHandler("/debug/informers", debugpage.New(informers)) // the crcache.Cache of the manager
	if err != nil {
		return err
	}
	return check(mgr, mux, factory)
}

// inKubebuilder is the code of docs/controller-runtime.md.
func inKubebuilder(mgr manager.Manager) {
	setupLog := ctrl.Log.WithName("setup")
	if c, ok := mgr.GetCache().(*crcache.Cache); ok { // not if Options.NewInformer is set
		metrics.Registry.MustRegister(informermetrics.NewCollector(c))
		if err := mgr.AddMetricsServerExtraHandler("/debug/informers", debugpage.New(c)); err != nil {
			setupLog.Error(err, "unable to serve the page of the informers")
			os.Exit(1)
		}
	}
}

func check(mgr manager.Manager, mux *http.ServeMux, factory informers.SharedInformerFactory) error {
	metrics.Registry.MustRegister(informermetrics.NewCollector(factory))
	mux.Handle("/readyz", healthz.Handler(factory))
	err := mgr.AddReadyzCheck("informers", healthz.Readiness(factory)) // in a manager of controller-runtime, for a factory of your own
	return err
}

var _, _ = inAManager, inKubebuilder

// TestRunbook compares the headings of docs/observability.md with all reasons, with the other
// results of Advice.Runbook, and with the links of the alerts.
func TestRunbook(t *testing.T) {
	text := readText(t, "../../docs/observability.md")
	headings := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchor := strings.ReplaceAll(strings.ToLower(match[1]), " ", "-")
		if headings[anchor] {
			t.Errorf("there are two headings %q, so one has another anchor", match[1])
		}
		headings[anchor] = true
	}
	wanted := reasons(t)
	if len(wanted) < 14 {
		t.Fatalf("package status has only the reasons %q", wanted)
	}
	for i, reason := range wanted {
		wanted[i] = status.Advice{Reason: cache.Reason(reason)}.Runbook()
	}
	for _, status := range []status.Informer{
		{Status: cache.Status{Phase: status.Pending}},
		{Status: cache.Status{Phase: status.Listing, Since: time.Now().Add(-time.Hour)}},
		{Status: cache.Status{Phase: status.Stopped}},
		{Status: cache.Status{Phase: status.Watching}, Stats: status.Stats{Handlers: []status.HandlerStats{{Running: time.Hour}}}},
	} {
		advice := status.Advice()
		if len(advice) != 1 {
			t.Errorf("%v has the advice %v", status.Status, advice)
		}
		for i := range advice {
			wanted = append(wanted, advice[i].Runbook())
		}
	}
	alerts := readText(t, "../../observe/metrics/alerts.yaml")
	for _, match := range regexp.MustCompile(`runbook_url:.*docs/observability\.md#([a-z-]+)`).FindAllStringSubmatch(alerts, -1) {
		wanted = append(wanted, match[1])
	}
	for _, match := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		wanted = append(wanted, match[1])
	}
	slices.Sort(wanted)
	for _, anchor := range slices.Compact(wanted) {
		if !headings[anchor] {
			t.Errorf("docs/observability.md has no heading with the anchor #%s", anchor)
		}
	}
}

// reasons returns the values of all constants of type Reason.
func reasons(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../runtime/cache/status/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.CONST {
				continue
			}
			for _, spec := range general.Specs {
				value := spec.(*ast.ValueSpec)
				if kind, ok := value.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
					continue
				}
				text, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, text)
			}
		}
	}
	return all
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
