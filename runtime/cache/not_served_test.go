package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestResourceThatIsNotServed reads what a 404 means: in Status, in an error of WaitForCacheSync, in the advice and
// in the log. For a resource of Kubernetes there is no CRD to install.
func TestResourceThatIsNotServed(t *testing.T) {
	const builtIn, custom = "the server is too old or too new for ", "is its CRD installed?"
	for resource, want := range map[schema.GroupVersionResource]string{
		{Version: "v1", Resource: "services"}:                                          builtIn + "v1",
		{Group: "apps", Version: "v1", Resource: "deployments"}:                        builtIn + "apps/v1",
		{Group: "networking.k8s.io", Version: "v1beta1", Resource: "ingresses"}:        builtIn + "networking.k8s.io/v1beta1",
		{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshots"}: custom,
		widgets: custom,
	} {
		for name, options := range map[string][]SharedInformerOption{"all": nil, "namespaces": {WithNamespaces("a", "b")}} {
			t.Run(resource.Resource+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					src, log := cachetest.NewSource(), &cachetest.ShownLog{}
					src.FailWith(func(cachetest.Request) error { return apierrors.NewNotFound(resource.GroupResource(), "") })
					kind := Kind[object]{Resource: resource, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }}
					s, err := kind.NewInformer(options...)
					if err != nil {
						t.Fatal(err)
					}
					cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					synced := WaitForCacheSync(ctx, s)
					observed, reflector := inside(s).observed(), inside(s).set.reflectors()[0].Status()
					texts := map[string]string{"Status": s.Status().String(), "Reflector": reflector.String(), "InformerStatus": observed.String(), "WaitForCacheSync": synced.Error()}
					for _, scope := range observed.Status.Scopes {
						texts["scope "+scope.Namespace] = scope.Status.String()
					}
					for from, text := range texts {
						if !strings.Contains(text, want) || want != custom && strings.Contains(text, "CRD") {
							t.Errorf("%s: %s", from, text)
						}
					}
					advice := observed.Advice()
					if isCustom := strings.Contains(advice[0].Text, "Install the CustomResourceDefinition"); len(advice) != 1 || isCustom != (want == custom) {
						t.Errorf("the advice is %v", advice)
					}
					cachetest.WantLog(t, log, advice[0].Text)
				})
			})
		}
	}
}

// TestSourceThatFindsNothing has sources of scopes that fail with a 404. It is not about the resource of the
// informer.
func TestSourceThatFindsNothing(t *testing.T) {
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		s := w.informer(t, WithScopesLater())
		cachetest.Run(t, s.Run)
		synctest.Wait()
		s.SetScopesError(apierrors.NewNotFound(configMaps.GroupResource(), "scopes"))
		synctest.Wait()
		if text := s.Status().String(); !strings.Contains(text, `configmaps "scopes" not found)`) {
			t.Errorf("the file of the scopes is missing: %s", text)
		}

		missing := cachetest.NewSource()
		missing.FailWith(func(cachetest.Request) error { return apierrors.NewNotFound(configMaps.GroupResource(), "") })
		of := informerOf(Config[object]{Resource: configMaps, ListerWatcher: missing, WatchErrorHandler: quiet})
		cachetest.Run(t, of.Run)
		next := w.informer(t, WithScopesLater())
		followNames(t, next, of)
		cachetest.Run(t, next.Run)
		time.Sleep(time.Second)
		if text := next.Status().String(); !strings.Contains(text, "the server is too old or too new for v1") {
			t.Errorf("the objects that are the scopes are not served: %s", text)
		}
		of.Stop()
		time.Sleep(time.Second)
		observed := inside(next).observed()
		if advice := observed.Advice(); !errors.Is(observed.Status.Err, ErrStopped) || len(advice) != 1 || !strings.HasPrefix(advice[0].Text, "The scopes cannot be set") {
			t.Errorf("after the end of that informer: %v, %v", observed.Status, advice)
		}
	})
}
