package apply

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	kitv1 "github.com/typedinformers/informer-gen/testdata/applied/api/kit/v1"
	"github.com/typedinformers/informer-gen/testdata/applied/generated/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/testdata/applied/generated/configs"
	applykitv1 "github.com/typedinformers/informer-gen/testdata/applied/generated/configs/kit/v1"
)

// kit returns an apply configuration that sets each field.
func kit() *applykitv1.KitApplyConfiguration {
	hammer := &kitv1.Tool{Name: "hammer"}
	return applykitv1.Kit("blue", "shed").
		WithLabels(map[string]string{"a": "1"}).
		WithFinalizers("example.com/lock").
		WithSpec(applykitv1.KitSpec().
			WithOwner("ann").
			WithTags("x", "y").
			WithName("header").
			WithColor("blue").
			WithParts(applykitv1.Tool().WithName("knob")).
			WithTools(applykitv1.Tool().WithName("saw").WithNext(applykitv1.Tool().WithName("blade"))).
			WithSpares(applykitv1.Tool().WithName("nail")).
			WithLinks(&hammer).
			WithByName(map[string]applykitv1.ToolApplyConfiguration{"file": *applykitv1.Tool().WithName("file")}).
			WithGrid([]kitv1.Tool{{Name: "bolt"}}).
			WithLimits(corev1.ResourceList{"cpu": resource.MustParse("1")}).
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(map[string]string{"b": "2"})).
			WithTolerations(applycorev1.Toleration().WithKey("wet")).
			WithContainer(corev1.Container{Name: "main"}).
			WithLabels(map[string]string{"c": "3"}).
			WithSizes(1, 2).
			WithVolume(resource.MustParse("2")).
			WithPort(intstr.FromString("http")).
			WithUntil(metav1.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)).
			WithRaw(runtime.RawExtension{Raw: []byte(`{"any":true}`)}).
			WithPhase("new").
			WithSize(3).
			WithAnywhere(false).
			WithPoint(struct {
				X int32 `json:"x"`
			}{4})).
		WithStatus(applykitv1.KitStatus().WithReady(true).WithConditions(applymetav1.Condition().WithType("Ready")))
}

// TestJSON compares what a server gets. Fields that are not set must be absent, and set ones present even if
// they are zero.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		config any
		want   string
	}{
		{kit(), `{"kind":"Kit","apiVersion":"kit.example.com/v1","metadata":{"name":"blue","namespace":"shed","labels":{"a":"1"},"finalizers":["example.com/lock"]},` +
			`"spec":{"owner":"ann","tags":["x","y"],"name":"header","options":{"color":"blue","parts":[{"name":"knob"}]},` +
			`"tools":[{"name":"saw","next":{"name":"blade"}}],"spares":[{"name":"nail"}],"links":[{"name":"hammer"}],"byName":{"file":{"name":"file"}},` +
			`"grid":[[{"name":"bolt"}]],"limits":{"cpu":"1"},"selector":{"matchLabels":{"b":"2"}},"tolerations":[{"key":"wet"}],` +
			`"container":{"name":"main","resources":{}},"labels":{"c":"3"},"sizes":[1,2],"volume":"2","port":"http",` +
			`"until":"2030-01-01T00:00:00Z","raw":{"any":true},"phase":"new","size":3,"anywhere":false,"point":{"x":4}},` +
			`"status":{"ready":true,"conditions":[{"type":"Ready"}]}}`},
		{applykitv1.Drawer("top"), `{"kind":"Drawer","apiVersion":"kit.example.com/v1","metadata":{"name":"top"}}`},
		{applykitv1.Scale(), `{"kind":"Scale","apiVersion":"kit.example.com/v1"}`},
		{applykitv1.KitSpec(), `{}`},
		{applykitv1.KitSpec().WithLabels(nil).WithSizes().WithParts(), `{"options":{}}`},
		{applykitv1.KitSpec().WithSpares(), `{"spares":[]}`},
		{&applykitv1.KitApplyConfiguration{}, `{}`},
	} {
		got, err := json.Marshal(c.config)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
		}
	}
}

// TestWithTwice calls methods a second time: slices and maps grow, and the arguments stay as they are.
func TestWithTwice(t *testing.T) {
	names, labels := make([]string, 1, 8), map[string]string{"a": "1"}
	names[0] = "first"
	spec := applykitv1.KitSpec().WithTags(names...).WithTags("second").WithLabels(labels).WithLabels(map[string]string{"a": "2", "b": "3"}).WithColor("red").WithColor("green")
	if !slices.Equal(spec.Tags, []string{"first", "second"}) || names[:2][1] != "" {
		t.Errorf("got the tags %q from %q", spec.Tags, names[:2])
	}
	if !reflect.DeepEqual(spec.Labels, map[string]string{"a": "2", "b": "3"}) || len(labels) != 1 || labels["a"] != "1" {
		t.Errorf("got the labels %v from %v", spec.Labels, labels)
	}
	if *spec.Color != "green" {
		t.Errorf("got the color %s", *spec.Color)
	}
	part := applykitv1.Tool().WithName("one")
	spec.WithTools(part)
	part.WithName("two")
	if *spec.Tools[0].Name != "one" {
		t.Error("the tool is not a copy")
	}
}

// TestWithNil checks that a nil element is reported by the method that gets it.
func TestWithNil(t *testing.T) {
	defer func() {
		if got := recover(); got != "nil value passed to WithParts" {
			t.Errorf("got the panic %v", got)
		}
	}()
	applykitv1.KitSpec().WithParts(nil)
}

// TestGetters reads metadata that is not set. That does not change the configuration.
func TestGetters(t *testing.T) {
	config := &applykitv1.KitApplyConfiguration{}
	if config.GetName() != nil || config.GetNamespace() != nil || config.GetKind() != nil || config.GetAPIVersion() != nil || config.ObjectMetaApplyConfiguration != nil {
		t.Errorf("got %+v", config)
	}
	if name, kind := kit().GetName(), kit().GetKind(); *name != "blue" || *kind != "Kit" {
		t.Errorf("got %s %s", *kind, *name)
	}
}

func TestForKind(t *testing.T) {
	gv := kitv1.SchemeGroupVersion
	for kind, want := range map[string]any{"Kit": &applykitv1.KitApplyConfiguration{}, "KitSpec": &applykitv1.KitSpecApplyConfiguration{}, "KitList": nil} {
		if got := configs.ForKind(gv.WithKind(kind)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %T for %s, want %T", got, kind, want)
		}
	}
	if got := configs.ForKind(corev1.SchemeGroupVersion.WithKind("Kit")); got != nil {
		t.Errorf("got %T for a kind of another group", got)
	}
	scheme := runtime.NewScheme()
	if err := kitv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	value, err := configs.NewTypeConverter(scheme).ObjectToTyped(&kitv1.Kit{TypeMeta: metav1.TypeMeta{Kind: "Kit", APIVersion: gv.String()}, Spec: kitv1.KitSpec{Phase: "new"}})
	if err != nil {
		t.Fatal(err)
	}
	if field, ok := value.AsValue().AsMap().Get("spec"); !ok || !field.IsMap() {
		t.Errorf("got %v", value.AsValue())
	}
}

// TestExtract applies as two managers, extracts what one of them owns, changes it and applies it again.
func TestExtract(t *testing.T) {
	kits := fake.NewClientset().KitV1().Kits("shed")
	ann, bob := metav1.ApplyOptions{FieldManager: "ann"}, metav1.ApplyOptions{FieldManager: "bob"}
	if _, err := kits.Apply(t.Context(), applykitv1.Kit("blue", "shed").WithSpec(applykitv1.KitSpec().
		WithOwner("ann").WithTools(applykitv1.Tool().WithName("saw"), applykitv1.Tool().WithName("plane"))), ann); err != nil {
		t.Fatal(err)
	}
	both, err := kits.Apply(t.Context(), applykitv1.Kit("blue", "shed").WithSpec(applykitv1.KitSpec().
		WithColor("red").WithTools(applykitv1.Tool().WithName("hammer"))), bob)
	if err != nil {
		t.Fatal(err)
	}
	config, err := applykitv1.ExtractKit(both, "ann")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := encoded(t, config), `{"kind":"Kit","apiVersion":"kit.example.com/v1","metadata":{"name":"blue","namespace":"shed"},"spec":{"owner":"ann","tools":[{"name":"saw"},{"name":"plane"}]}}`; got != want {
		t.Errorf("ann owns %s\nwant     %s", got, want)
	}
	config.Spec.Tools = config.Spec.Tools[:1]
	result, err := kits.Apply(t.Context(), config, ann)
	if err != nil {
		t.Fatal(err)
	}
	var tools []string
	for _, tool := range result.Spec.Tools {
		tools = append(tools, tool.Name)
	}
	if slices.Sort(tools); !slices.Equal(tools, []string{"hammer", "saw"}) || result.Spec.Owner != "ann" || result.Spec.Options == nil || result.Spec.Color != "red" {
		t.Errorf("got %+v", result.Spec)
	}
	if nobody, err := applykitv1.ExtractKit(result, "nobody"); err != nil || encoded(t, nobody) != encoded(t, applykitv1.Kit("blue", "shed")) {
		t.Errorf("nobody owns %s, %v", encoded(t, nobody), err)
	}
}

// TestExtractHidden extracts an object whose Go fields have the names of its metadata. The methods With belong to the metadata.
func TestExtractHidden(t *testing.T) {
	stickers, ann := fake.NewClientset().KitV1().Stickers("shed"), metav1.ApplyOptions{FieldManager: "ann"}
	title, kind := "fragile", "paper"
	config := applykitv1.Sticker("blue", "shed")
	config.Name, config.Kind = &title, &kind
	result, err := stickers.Apply(t.Context(), config, ann)
	if err != nil {
		t.Fatal(err)
	}
	if result.Name != title || result.Kind != kind || result.GetName() != "blue" || result.GetNamespace() != "shed" {
		t.Errorf("got %+v", result)
	}
	want := `{"kind":"Sticker","apiVersion":"kit.example.com/v1","title":"fragile","metadata":{"name":"blue","namespace":"shed"},"type":"paper"}`
	if got := encoded(t, config); got != want || *config.GetName() != "blue" || *config.GetKind() != "Sticker" {
		t.Errorf("applied   %s\nwant %s", got, want)
	}
	extracted, err := applykitv1.ExtractSticker(result, "ann")
	if err != nil {
		t.Fatal(err)
	}
	if got := encoded(t, extracted); got != want {
		t.Errorf("extracted %s\nwant %s", got, want)
	}
}

// TestExtractForms extracts values that apimachinery cannot read from Go values, only from JSON.
func TestExtractForms(t *testing.T) {
	kits, ann := fake.NewClientset().KitV1().Kits("shed"), metav1.ApplyOptions{FieldManager: "ann"}
	applied := applykitv1.Kit("blue", "shed").WithSpec(applykitv1.KitSpec().
		WithSerial(1 << 40).WithPair([2]string{"left", "right"}).WithCodes(map[int32]string{-7: "minus seven"}))
	result, err := kits.Apply(t.Context(), applied, ann)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := applykitv1.ExtractKit(result, "ann"); err != nil || encoded(t, config) != encoded(t, applied) {
		t.Errorf("got  %s, %v\nwant %s", encoded(t, config), err, encoded(t, applied))
	}
}

// TestExtractStatus extracts what a manager has applied through a subresource.
func TestExtractStatus(t *testing.T) {
	kits, ann := fake.NewClientset().KitV1().Kits("shed"), metav1.ApplyOptions{FieldManager: "ann"}
	if _, err := kits.Apply(t.Context(), applykitv1.Kit("blue", "shed").WithSpec(applykitv1.KitSpec().WithOwner("ann")), ann); err != nil {
		t.Fatal(err)
	}
	result, err := kits.ApplyStatus(t.Context(), applykitv1.Kit("blue", "shed").WithStatus(applykitv1.KitStatus().WithReady(true)), ann)
	if err != nil {
		t.Fatal(err)
	}
	const begin = `{"kind":"Kit","apiVersion":"kit.example.com/v1","metadata":{"name":"blue","namespace":"shed"}`
	for want, extract := range map[string]func(*kitv1.Kit, string) (*applykitv1.KitApplyConfiguration, error){
		begin + `,"spec":{"owner":"ann"}}`:  applykitv1.ExtractKit,
		begin + `,"status":{"ready":true}}`: applykitv1.ExtractKitStatus,
		begin + `}`:                         applykitv1.ExtractKitScale,
	} {
		if config, err := extract(result, "ann"); err != nil || encoded(t, config) != want {
			t.Errorf("got %s, %v\nwant %s", encoded(t, config), err, want)
		}
	}
}

// TestExtractWithoutManagedFields checks that an object whose managed fields were dropped is not taken for one
// without owners.
func TestExtractWithoutManagedFields(t *testing.T) {
	object := &kitv1.Kit{ObjectMeta: metav1.ObjectMeta{Name: "blue", Namespace: "shed", ResourceVersion: "1"}}
	if _, err := applykitv1.ExtractKit(object, "ann"); err == nil || !strings.Contains(err.Error(), `cannot extract what "ann" has applied to Kit shed/blue: the object has no managedFields; read it with a client`) {
		t.Errorf("got the error %v", err)
	}
	object.ResourceVersion = "" // it is not from a server
	if config, err := applykitv1.ExtractKit(object, "ann"); err != nil || *config.GetName() != "blue" {
		t.Errorf("got %v, %v", config, err)
	}
}

func encoded(t *testing.T, config any) string {
	t.Helper()
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
