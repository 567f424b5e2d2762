package smoke

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/scheme"
	typedshopv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"
)

// thief is a server with TLS that fails the test if it is asked for anything.
func thief(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was sent %s %s with the authorization %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server
}

// redirecting returns the configuration of a client with a token, for a server with TLS
// that redirects all requests to another one.
func redirecting(t *testing.T, to string) *rest.Config {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("the server itself was sent the authorization %q", r.Header.Get("Authorization"))
		}
		http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

// TestRedirectsToAnotherHost uses each client that can be made of a configuration, and
// Open also with the REST client of a program's own.
func TestRedirectsToAnotherHost(t *testing.T) {
	config := redirecting(t, thief(t).URL)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	group, err := typedshopv1.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	resource := shopv1.SchemeGroupVersion.WithResource("orders")
	own := rest.CopyConfig(config)
	own.APIPath, own.GroupVersion, own.NegotiatedSerializer = "/apis", &shopv1.SchemeGroupVersion, scheme.Codecs.WithoutConversion()
	ownClient, err := rest.RESTClientFor(own)
	if err != nil {
		t.Fatal(err)
	}
	open := func(client rest.Interface, watch bool) func() error {
		return func() error {
			body, err := bodies.Open(client, resource, "east")(t.Context(), metav1.ListOptions{Watch: watch}, "")
			if err == nil {
				_ = body.Close()
			}
			return err
		}
	}
	for name, request := range map[string]func() error{
		"a list":                     open(client.ShopV1().RESTClient(), false),
		"a watch":                    open(client.ShopV1().RESTClient(), true),
		"a list through discovery":   open(client.Discovery().RESTClient(), false),
		"a list of a program's own":  open(ownClient, false),
		"a watch of a program's own": open(ownClient, true),
		"a list of New":              open(versioned.New(ownClient).ShopV1().RESTClient(), false),
		"a typed list": func() error {
			_, err := client.ShopV1().Orders("east").List(t.Context(), metav1.ListOptions{})
			return err
		},
		"a typed watch": func() error {
			_, err := client.ShopV1().Orders("east").Watch(t.Context(), metav1.ListOptions{})
			return err
		},
		"a typed create": func() error {
			_, err := client.ShopV1().Orders("east").Create(t.Context(), order("tea", "ann"), metav1.CreateOptions{})
			return err
		},
		"a client of one group": func() error {
			_, err := group.Orders("east").Get(t.Context(), "tea", metav1.GetOptions{})
			return err
		},
		"discovery": func() error {
			_, err := client.Discovery().ServerVersion()
			return err
		},
	} {
		if err := request(); !redirect.Is(err) {
			t.Errorf("%s ends with %v", name, err)
		}
	}
}

// TestRedirectedInformer waits for an informer that never syncs. Its Status says why, and
// what to do.
func TestRedirectedInformer(t *testing.T) {
	other := thief(t)
	config := redirecting(t, other.URL)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	attempts := make(chan struct{}, 3)
	factory := externalversions.NewSharedInformerFactory(client, 0, cache.WithBackoff(status.Redirected, cache.Backoff{Initial: time.Millisecond, Max: time.Millisecond}),
		cache.WithTweakListOptions(func(*metav1.ListOptions) {
			select {
			case attempts <- struct{}{}:
			default:
			}
		}))
	informer := factory.Shop().V1().Orders().Informer()
	ctx, cancel := context.WithCancel(t.Context())
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx)
	for range 3 { // the third attempt follows two failures
		<-attempts
	}
	now := informer.Status()
	refused := (*redirect.Error)(nil)
	if !errors.As(now.Err, &refused) || now.Reason != status.Redirected || now.Phase != status.Degraded {
		t.Fatalf("the status is %v", now)
	}
	for _, want := range []string{config.Host, other.URL, "set it as the server's URL in the kubeconfig"} {
		if !strings.Contains(now.String(), want) {
			t.Errorf("the status does not say %q: %v", want, now)
		}
	}
}
