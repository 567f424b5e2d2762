package behavior

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	acmev1 "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	monitoringv1alpha1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	monitoringv1beta1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayv1alpha2 "sigs.k8s.io/gateway-api/apis/v1alpha2"
	gatewayv1alpha3 "sigs.k8s.io/gateway-api/apis/v1alpha3"
	gatewayv1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"
	"sigs.k8s.io/randfill"
)

// kinds returns all kinds and lists of the modules.
func kinds(t testing.TB) map[schema.GroupVersionKind]reflect.Type {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kubescheme.AddToScheme, acmev1.AddToScheme, certmanagerv1.AddToScheme,
		monitoringv1.AddToScheme, monitoringv1alpha1.AddToScheme, monitoringv1beta1.AddToScheme,
		gatewayv1.Install, gatewayv1alpha2.Install, gatewayv1alpha3.Install, gatewayv1beta1.Install,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme.AllKnownTypes()
}

// filler fills objects with random values, with nil and empty slices, maps and pointers among them.
func filler(seed int64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(0.3).NumElements(0, 2).MaxDepth(14).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(fmt.Sprint(c.Int63n(1000), "."))
			if c.Bool() { // more digits than an int64 has, so that it refers to memory
				*q = resource.MustParse("123456789012345678901234567890")
			}
		},
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(r *runtime.RawExtension, c randfill.Continue) {
			c.Fill(&r.Raw)
			if c.Bool() {
				r.Object = &metav1.Status{Details: &metav1.StatusDetails{Name: c.String(5)}}
			}
		},
		func(o *runtime.Object, c randfill.Continue) {
			*o = &metav1.Status{Details: &metav1.StatusDetails{Name: c.String(5)}}
		},
	)
}

// TestCopies compares copies of random objects with the objects.
func TestCopies(t *testing.T) {
	tested := 0
	for gvk, of := range kinds(t) {
		if of.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
			continue
		}
		tested++
		for seed := range int64(20) {
			object := reflect.New(of).Interface().(runtime.Object)
			if seed > 0 { // the first one is empty
				filler(seed).Fill(object)
			}
			copied := object.DeepCopyObject()
			if !reflect.DeepEqual(object, copied) {
				t.Fatalf("the copy of %v with seed %d differs from it:\n%#v\n%#v", gvk, seed, object, copied)
			}
			if where := shared(object, copied); where != "" {
				t.Fatalf("the copy of %v with seed %d shares the memory of %s", gvk, seed, where)
			}
		}
	}
	if tested < 390 {
		t.Errorf("only %d kinds and lists were copied", tested)
	}
}

// TestNil copies nil pointers.
func TestNil(t *testing.T) {
	for gvk, of := range kinds(t) {
		object := reflect.Zero(reflect.PointerTo(of)).Interface().(runtime.Object)
		if gvk.Group == monitoringv1.SchemeGroupVersion.Group {
			continue // whose authors have written DeepCopyObject
		}
		if copied := object.DeepCopyObject(); copied != nil {
			t.Errorf("the copy of a nil %v is %#v", gvk, copied)
		}
	}
}

// shared returns the path to memory of a that b refers to, or "".
func shared(a, b any) string {
	memory := map[uintptr]string{}
	walk(reflect.ValueOf(a), "it", func(address uintptr, path string) { memory[address] = path })
	found := ""
	walk(reflect.ValueOf(b), "it", func(address uintptr, path string) {
		if where, ok := memory[address]; ok {
			found = where
		}
	})
	return found
}

// walk calls do for all memory that a value refers to and that may change.
func walk(v reflect.Value, path string, do func(address uintptr, path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*time.Location]() {
			return
		}
		if v.Type().Elem().Size() > 0 { // values without a size have one address
			do(v.Pointer(), path)
		}
		walk(v.Elem(), path, do)
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), path, do)
		}
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem().Size() > 0 {
			do(v.Pointer(), path)
		}
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), do)
		}
	case reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), do)
		}
	case reflect.Map:
		if !v.IsNil() {
			do(v.Pointer(), path)
		}
		for _, key := range v.MapKeys() {
			walk(v.MapIndex(key), fmt.Sprintf("%s[%v]", path, key), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	}
}

// TestShared checks that shared finds memory in every sort of value.
func TestShared(t *testing.T) {
	type value struct {
		Pointer *int
		Slice   []int
		Map     map[string]int
		Any     any
		Array   [1]*int
		hidden  *int
	}
	n := new(int)
	for name, v := range map[string]value{
		"Pointer": {Pointer: n}, "Slice": {Slice: []int{1}}, "Map": {Map: map[string]int{}}, "Any": {Any: n}, "Array": {Array: [1]*int{n}}, "hidden": {hidden: n},
	} {
		if shared(v, v) == "" {
			t.Errorf("%s is not found", name)
		}
		if where := shared(v, value{}); where != "" {
			t.Errorf("%s is found at %s in a value that has nothing", name, where)
		}
	}
}

// BenchmarkDeepCopy copies one object of a kind.
func BenchmarkDeepCopy(b *testing.B) {
	known := kinds(b)
	for _, gvk := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Pod"}, {Version: "v1", Kind: "Node"}, {Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}, {Group: "monitoring.coreos.com", Version: "v1", Kind: "Prometheus"},
		{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"},
	} {
		object := reflect.New(known[gvk]).Interface().(runtime.Object)
		filler(7).Fill(object)
		b.Run(gvk.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				object.DeepCopyObject()
			}
		})
	}
}
