package crcache

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestFields reads objects in each form, of which some fields are kept, after a list, an event and a write of the program.
func TestFields(t *testing.T) {
	for name, also := range map[string][]Option{
		"plain":                      nil,
		"packed":                     {WithPackedObjects(prefixes{}, &widget{})},
		"without managed fields too": nil,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "listed", "red"))
			s.put("widgets", newWidget("a", "changed", "blue"))
			s.put("gadgets", newObjectOf("Gadget", "a", "whole", map[string]any{"color": "red", "sizes": []any{int64(1)}}))
			own := &writes.Observer{}
			httpClient := s.client()
			httpClient.Transport = own.Transport(httpClient.Transport)
			options := ctrlcache.Options{HTTPClient: httpClient, Mapper: testMapper(), Scheme: testScheme()}
			if name == "without managed fields too" {
				options.DefaultTransform = ctrlcache.TransformStripManagedFields()
			}
			made, err := NewFunc(append(also, WithReadYourWrites(own), WithFields(&widget{}, "metadata.labels[color]", "spec.color"))...)(s.config(), options)
			if err != nil {
				t.Fatal(err)
			}
			c := made.(*Cache)
			start(t, c)
			ctx := timeout(t)
			direct, err := client.New(s.config(), client.Options{HTTPClient: httpClient, Mapper: options.Mapper, Scheme: options.Scheme})
			if err != nil {
				t.Fatal(err)
			}
			check := func(name, color string) {
				t.Helper()
				key := client.ObjectKey{Namespace: "a", Name: name}
				for f := range form(numForms) {
					var labels map[string]string
					want := newWidgetOf("a", name, color)
					eventually(t, func() error {
						got, list := emptyWidget(f), emptyWidgets(f)
						if err := errors.Join(c.Get(ctx, key, got), c.List(ctx, list, client.InNamespace("a"))); err != nil {
							return err
						}
						if labels = got.GetLabels(); labels["color"] != color {
							return fmt.Errorf("%s: the labels are %v", f, labels)
						}
						listed, err := meta.ExtractList(list)
						if err != nil {
							return err
						}
						isListed := false
						for _, each := range listed {
							isListed = isListed || reflect.DeepEqual(each, got)
						}
						if !isListed {
							return fmt.Errorf("%s: the list does not have %+v", f, got)
						}
						if !reflect.DeepEqual(labels, map[string]string{"color": color}) || got.GetUID() == "" || got.GetResourceVersion() == "" {
							return fmt.Errorf("%s: the metadata is wrong in %+v", f, got)
						}
						switch got := got.(type) {
						case *widget:
							if !reflect.DeepEqual(got.Spec, widgetSpec{Color: want.Spec.Color}) {
								return fmt.Errorf("the spec is %+v", got.Spec)
							}
						case *unstructured.Unstructured:
							if !reflect.DeepEqual(got.Object["spec"], map[string]any{"color": want.Spec.Color}) {
								return fmt.Errorf("the spec is %v", got.Object["spec"])
							}
						}
						return nil
					})
				}
			}
			check("listed", "red")
			s.put("widgets", newWidget("a", "changed", "green"))
			check("changed", "green")
			s.hold()
			if err := direct.Create(ctx, newWidget("a", "own", "black")); err != nil {
				t.Fatal(err)
			}
			check("own", "black")
			s.release()
			for f := range form(numForms) {
				list := emptyWidgets(f)
				if err := c.List(ctx, list, client.MatchingLabels{"color": "red"}); err != nil || meta.LenList(list) != 1 {
					t.Errorf("%s: %d widgets have the color, %v", f, meta.LenList(list), err)
				}
				if err := c.List(ctx, list, client.MatchingLabels{"color": "red", "name": "listed"}); err == nil || !strings.Contains(err.Error(), `add "metadata.labels[name]"`) {
					t.Errorf("%s: a List by a label that is left out: %v", f, err)
				}
			}
			var whole gadget
			if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "whole"}, &whole); err != nil || len(whole.Spec.Sizes) != 1 {
				t.Errorf("another kind is %+v, %v", whole, err)
			}
		})
	}
}

// TestFieldDetector reads fields that are left out, in each form.
func TestFieldDetector(t *testing.T) {
	for name, also := range map[string][]Option{"plain": nil, "packed": {WithPackedObjects(prefixes{}, &widget{})}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			s.put("gadgets", newObjectOf("Gadget", "a", "whole", map[string]any{"color": "red"}))
			options := ctrlcache.Options{HTTPClient: s.client(), Mapper: testMapper(), Scheme: testScheme()}
			made, err := NewFunc(append(also, WithFieldDetector(), WithFields(&widget{}, "metadata.labels[color]", "spec.sizes"))...)(s.config(), options)
			if err != nil {
				t.Fatal(err)
			}
			c := made.(*Cache)
			start(t, c)
			const left = "left out by WithFields: "
			var whole gadget
			if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "whole"}, &whole); err != nil || whole.Spec.Color != "red" || whole.Spec.Parts != nil {
				t.Errorf("another kind is %+v, %v", whole, err)
			}
			for f := range form(numForms) {
				obj := emptyWidget(f)
				if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
					t.Fatal(err)
				}
				want, annotated := map[string]string{"color": "red", left + "metadata.labels": left + "metadata.labels"}, map[string]string{left + "metadata.annotations": left + "metadata.annotations"}
				switch obj := obj.(type) {
				case *widget:
					if want := (widgetSpec{Color: left + "spec.color", Sizes: []int{1, 2}, Parts: map[string]string{left + "spec.parts": left + "spec.parts"}}); !reflect.DeepEqual(obj.Spec, want) {
						t.Errorf("the spec is %+v, want %+v", obj.Spec, want)
					}
				case *unstructured.Unstructured:
					want, annotated = map[string]string{"color": "red", "name": left + "metadata.labels[name]"}, nil
					if want := map[string]any{"color": left + "spec.color", "unknown": left + "spec.unknown", "sizes": []any{int64(1), int64(2)}}; !reflect.DeepEqual(obj.Object["spec"], want) {
						t.Errorf("the spec is %v, want %v", obj.Object["spec"], want)
					}
				}
				if !reflect.DeepEqual(obj.GetLabels(), want) || !reflect.DeepEqual(obj.GetAnnotations(), annotated) {
					t.Errorf("%s: the metadata is %v, %v, want %v, %v", f, obj.GetLabels(), obj.GetAnnotations(), want, annotated)
				}
			}
		})
	}
}

// TestFieldDetectorOfServer reads pods of a server that asks for the detector.
func TestFieldDetectorOfServer(t *testing.T) {
	server := apitest.Start(t, apitest.WithScheme(testScheme()), apitest.WithFieldDetector())
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", Labels: map[string]string{"app": "web"}}}
	if err := server.Add(pod); err != nil {
		t.Fatal(err)
	}
	for name, also := range map[string][]Option{"plain": nil, "packed": {WithPackedObjects(prefixes{}, &corev1.Pod{})}} {
		t.Run(name, func(t *testing.T) {
			made, err := NewFunc(append(also, WithFields(&corev1.Pod{}, "metadata.labels"))...)(&rest.Config{Host: server.URL(), Transport: server}, ctrlcache.Options{Scheme: testScheme(), HTTPClient: &http.Client{Transport: server}})
			if err != nil {
				t.Fatal(err)
			}
			start(t, made.(*Cache))
			got := &corev1.Pod{}
			if err := made.Get(timeout(t), client.ObjectKeyFromObject(pod), got); err != nil || got.Labels["app"] != "web" || got.Spec.NodeName != "left out by WithFields: spec.nodeName" {
				t.Errorf("the pod is %+v, %v", got, err)
			}
		})
	}
}

// newObjectOf returns an object of the test's group.
func newObjectOf(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": kind, "spec": spec}}
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// TestFieldsRefusesUpdates makes a manager, and writes with its client and others. The HTTP client is that which cluster.New makes.
func TestFieldsRefusesUpdates(t *testing.T) {
	for name, test := range map[string]struct {
		set     func(o *ctrl.Options, own *writes.Observer, transport http.RoundTripper)
		writer  func(mgr ctrl.Manager) (client.Client, error)
		refuses bool
	}{
		"its client": {refuses: true},
		"a client with its HTTP client": {writer: func(mgr ctrl.Manager) (client.Client, error) {
			return client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), HTTPClient: mgr.GetHTTPClient()})
		}, refuses: true},
		"a client of its config": {writer: func(mgr ctrl.Manager) (client.Client, error) {
			return client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
		}},
		"a client of its config, observed": {set: func(o *ctrl.Options, own *writes.Observer, _ http.RoundTripper) {
			o.NewCache = NewFunc(WithFields(&corev1.Node{}, "metadata.labels"), WithReadYourWrites(own))
		}, writer: func(mgr ctrl.Manager) (client.Client, error) {
			return client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
		}, refuses: true},
		"other HTTP client of the options": {set: func(o *ctrl.Options, _ *writes.Observer, transport http.RoundTripper) {
			o.Client.HTTPClient = &http.Client{Transport: transport}
		}},
		"other HTTP client of the cache, observed": {set: func(o *ctrl.Options, own *writes.Observer, transport http.RoundTripper) {
			o.Cache.HTTPClient = &http.Client{Transport: transport}
			o.NewCache = NewFunc(WithFields(&corev1.Node{}, "metadata.labels"), WithReadYourWrites(own))
		}, refuses: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			node := newObject("Node", "", "n")
			node.SetLabels(map[string]string{"zone": "z"})
			node.SetAnnotations(map[string]string{"note": "kept"})
			s.put("nodes", node)
			own := &writes.Observer{}
			config := s.config()
			config.ContentType, config.Transport = "application/json", s.client().Transport // the server has no protobuf
			transport := config.Transport
			config.Wrap(own.Transport)
			options := ctrl.Options{
				Scheme:         testScheme(),
				Metrics:        metricsserver.Options{BindAddress: "0"},
				MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return testMapper(), nil },
				NewCache:       NewFunc(WithFields(&corev1.Node{}, "metadata.labels")),
			}
			if test.set != nil {
				test.set(&options, own, transport)
			}
			mgr, err := ctrl.NewManager(config, options)
			if err != nil {
				t.Fatal(err)
			}
			startManager(t, mgr)
			writer := mgr.GetClient()
			if test.writer != nil {
				if writer, err = test.writer(mgr); err != nil {
					t.Fatal(err)
				}
			}
			ctx, key := timeout(t), client.ObjectKey{Name: "n"}
			cached := &corev1.Node{}
			if err := mgr.GetClient().Get(ctx, key, cached); err != nil || cached.Labels["zone"] != "z" || cached.Annotations != nil {
				t.Fatalf("the cached node is %+v, %v", cached, err)
			}
			read := func() *corev1.Node {
				t.Helper()
				s.mu.Lock()
				defer s.mu.Unlock()
				node := &corev1.Node{}
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s.objects["nodes//n"].Object, node); err != nil {
					t.Fatal(err)
				}
				return node
			}
			cached.Labels["zone"] = "y"
			err = writer.Update(ctx, cached.DeepCopy())
			if isRefused := errors.Is(err, writes.ErrFieldsLeftOut); isRefused != test.refuses || !isRefused && err != nil {
				t.Errorf("the error of an update is %v", err)
			}
			if now := read(); test.refuses != (now.Annotations["note"] == "kept") {
				t.Errorf("after the update the server has %+v", now)
			}
			if !test.refuses {
				return
			}
			untyped, err := dynamic.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
			if err != nil {
				t.Fatal(err)
			}
			lacking := newObject("Node", "", "n")
			if _, err := untyped.Resource(corev1.SchemeGroupVersion.WithResource("nodes")).Update(ctx, lacking, metav1.UpdateOptions{}); !errors.Is(err, writes.ErrFieldsLeftOut) {
				t.Errorf("the error of an update by a dynamic client is %v", err)
			}
			whole := read()
			whole.Labels["zone"] = "x"
			if err := writer.Update(writes.Whole(ctx), whole); err != nil {
				t.Errorf("update of a whole object: %v", err)
			}
			if now := read(); now.Labels["zone"] != "x" || now.Annotations["note"] != "kept" {
				t.Errorf("after the update of a whole object the server has %+v", now)
			}
		})
	}
}

// TestFieldsOfReferenced reads an object of the cache, and one that nothing refers to, from the server: both lack the same fields.
func TestFieldsOfReferenced(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, name := range []string{"one", "two"} {
			s := secret("a", name, 1)
			s.Labels, s.Annotations = map[string]string{"team": "web"}, map[string]string{"note": "x"}
			w.put(s)
		}
		w.put(site("a", "s1", "one"))
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, ofSites), WithFields(&corev1.Secret{}, "metadata.labels", "type"))
		w.listenTo(c, &corev1.Secret{})
		start(w.T, c)
		w.settle()
		for _, name := range []string{"one", "two"} {
			var s corev1.Secret
			if err := c.Get(w.Context(), client.ObjectKey{Namespace: "a", Name: name}, &s); err != nil {
				t.Fatal(err)
			}
			if s.Labels["team"] != "web" || s.UID == "" || s.Data != nil || s.Annotations != nil || s.ManagedFields != nil {
				t.Errorf("%s is %+v", name, s)
			}
		}
		if n := w.liveReads(c); n != 1 {
			t.Errorf("%d live reads, want 1", n)
		}
	})
}

// TestIndexOfAFieldThatIsLeftOut adds indexes of fields that are kept, of others, and by other names.
func TestIndexOfAFieldThatIsLeftOut(t *testing.T) {
	inWorld(t, func(w *world) {
		c := w.newCache(ctrlcache.Options{}, WithFields(&corev1.Pod{}, "metadata.labels[app]", "spec.containers.image", "status"))
		none := func(client.Object) []string { return nil }
		for field, want := range map[string]string{
			"spec.nodeName": `the cache has no spec.nodeName, because WithFields leaves it out; add "spec.nodeName" to it`, "metadata.labels[tier]": "because WithFields leaves it out",
			"spec": "", "spec.containers": "", "spec.containers.image": "", "status.phase": "", "metadata.name": "", "metadata.labels[app]": "", "byOwner": "",
		} {
			for _, obj := range []client.Object{&corev1.Pod{}, untypedOf("Pod")} {
				w.want(fmt.Sprintf("%T %s", obj, field), c.IndexField(w.Context(), obj, field, none), want)
			}
		}
		w.want("another kind", c.IndexField(w.Context(), &corev1.Service{}, "spec.type", none), "")
	})
}

// TestMistakesInFields passes what cannot work.
func TestMistakesInFields(t *testing.T) {
	s := newServer(t)
	options := ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()}
	unknown := newObjectOf("Unknown", "", "", nil)
	_, err := NewFunc(
		WithFields(nil, "spec"), WithFields(&runtimeOnly{}, "spec"), WithFields(&corev1.Pod{}), WithFields(&corev1.Secret{}, "data"), WithFields(&corev1.Secret{}, "type"),
		WithFields(&corev1.Node{}, "spec.providerId", "status..x", "metadata.labels"), WithFields(unknown, "spec.any", "metadata.label"),
	)(s.config(), options)
	wantMistakes(t, err, "such as &corev1.Node{}", "Fields(*crcache.runtimeOnly)", "Fields(Pod) has no path", "twice for Secret",
		"did you mean spec.providerID?", "is no path", "did you mean metadata.labels?")

	for _, client := range []*http.Client{nil, http.DefaultClient} {
		options.HTTPClient = client
		_, err = NewFunc(WithFields(&corev1.Node{}, "spec"))(s.config(), options)
		wantMistakes(t, err, "add crcache.WithReadYourWrites(own)")
		own := &writes.Observer{}
		own.Transport(nil)
		if _, err = NewFunc(WithFields(&corev1.Node{}, "spec"), WithReadYourWrites(own))(s.config(), options); err != nil {
			t.Errorf("with WithReadYourWrites: %v", err)
		}
	}
}
