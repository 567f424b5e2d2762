package decoding

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// viewOf is a view of some kind that has a specification.
type viewOf[Spec any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec Spec `json:"spec"`
}

// No test writes to what a copy shares with a view.
func (v *viewOf[Spec]) DeepCopyObject() runtime.Object { copied := *v; return &copied }

// podView has some fields of a Pod, in an order of its own.
type podView struct {
	Status struct {
		Phase      string          `json:"phase"`
		Conditions []viewCondition `json:"conditions"`
		StartTime  *metav1.Time    `json:"startTime"`
	} `json:"status"`
	Spec podViewSpec `json:"spec"`

	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (v *podView) DeepCopyObject() runtime.Object { copied := *v; return &copied }

type viewCondition struct {
	Type               corev1.PodConditionType `json:"type"`
	LastTransitionTime metav1.Time             `json:"lastTransitionTime"`
	Status             string                  `json:"status"`
	Unknown            string                  `json:"notInAPod"`
}

type podViewSpec struct {
	Grace        *int64              `json:"terminationGracePeriodSeconds"`
	HostNetwork  bool                `json:"hostNetwork"`
	NodeSelector map[labelKey]string `json:"nodeSelector"`
	Containers   []viewContainer     `json:"containers"`
	Volumes      []viewVolume        `json:"volumes"`
	Tolerations  []corev1.Toleration `json:"-"`
	Overhead     corev1.ResourceList `json:"overhead"`
	PullSecrets  []viewName          `json:"imagePullSecrets"`
	Affinity     *struct {
		Node *struct {
			Preferred []struct {
				Weight int32 `json:"weight"`
			} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
		} `json:"nodeAffinity"`
	} `json:"affinity"`
}

type labelKey string

// viewName is the field of a struct that others embed without a message of its own.
type viewName struct {
	Name string `json:"name"`
}

type viewContainer struct {
	Image     string   `json:"image"`
	Command   []string `json:"command"`
	Resources struct {
		Limits map[string]resource.Quantity `json:"limits"`
	} `json:"resources"`
	LivenessProbe *struct {
		ViewHandler
		PeriodSeconds int32 `json:"periodSeconds"`
	} `json:"livenessProbe"`
	EnvFrom []struct {
		Secret *struct {
			viewName
			Optional *bool `json:"optional"`
		} `json:"secretRef"`
	} `json:"envFrom"`
}

// ViewHandler is embedded, as it is in a Probe.
type ViewHandler struct {
	HTTPGet *struct {
		Port intstr.IntOrString `json:"port"`
		Path string             `json:"path"`
	} `json:"httpGet"`
}

// viewVolume has fields of the struct that a Volume embeds, around one of its own.
type viewVolume struct {
	Secret *struct {
		Mode *int32 `json:"defaultMode"`
		Name string `json:"secretName"`
	} `json:"secret"`
	Name     string                       `json:"name"`
	EmptyDir *corev1.EmptyDirVolumeSource `json:"emptyDir"`
}

// viewByJSON decodes the whole object, and takes the fields of the view by their names.
func viewByJSON[V any](raw []byte, whole message) (*V, error) {
	view := new(V)
	if err := whole.Unmarshal(raw); err != nil {
		return nil, err
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return view, kjson.UnmarshalCaseSensitivePreserveInts(text, view)
}

// checkView decodes random objects of a kind, and mutated ones, as a view. It returns how many
// were decoded.
func checkView[V any, P interface {
	*V
	wire.Object
}](t *testing.T, whole message, usable bool) (decoded int) {
	t.Helper()
	k := kind{typ: reflect.TypeOf(whole).Elem()}
	decoder := wire.NewDecoder(reflect.TypeFor[P](), wire.Options{Protobuf: whole}, nil)
	limited := wire.NewDecoder(reflect.TypeFor[P](), wire.Options{Protobuf: whole, WithoutFields: []string{"metadata.managedFields", "metadata.annotations[" + droppedAnnotation + "]"}}, nil)
	if asks := strings.Contains(decoder.Accept(false), "protobuf"); asks != usable {
		t.Errorf("%T: Accept is %q", *new(V), decoder.Accept(false))
	}
	r := rand.New(rand.NewSource(1))
	for round := range 60 {
		raw := k.message(t, k.filled(r))
		if round%2 == 1 {
			raw = mutatedMessage(r, raw)
		}
		want, wantErr := viewByJSON[V](raw, k.new().(message))
		got, err := decoder.Decode(wrapped(raw))
		if (err != nil) != (wantErr != nil) {
			if err == nil {
				continue // what is wrong is in a field that the view does not have
			}
			t.Fatalf("%T, round %d: error %v, want %v", *new(V), round, err, wantErr)
		}
		if err != nil {
			continue
		}
		decoded++
		if !reflect.DeepEqual(withoutEmpty(t, got), withoutEmpty(t, want)) {
			t.Fatalf("%T, round %d: decoded\n%+v\nwant\n%+v", *want, round, got, want)
		}
		if fast := cap(any(got).(metav1.Object).GetFinalizers()) == len(finalizers); round%2 == 0 && usable && !fast {
			t.Errorf("%T, round %d: the fast path has given up", *want, round)
		}
		if got, err = limited.Decode(wrapped(raw)); err != nil {
			t.Fatalf("%T, round %d: limited: %v", *want, round, err)
		}
		leaveOut(any(want).(runtime.Object))
		if !reflect.DeepEqual(withoutEmpty(t, got), withoutEmpty(t, want)) {
			t.Fatalf("%T, round %d: limited:\n%+v\nwant\n%+v", *want, round, got, want)
		}
	}
	return decoded
}

// withoutEmpty returns the JSON of an object. JSON does not tell nil from empty in all fields,
// and has U+FFFD for bytes that are no text.
func withoutEmpty(t *testing.T, obj any) any {
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(":null", ":0", "[]", "0", "{}", "0", `\ufffd`, "\ufffd").Replace(string(text))
}

// TestMessageViews decodes views by the fields that they have.
func TestMessageViews(t *testing.T) {
	pod := &corev1.Pod{}
	for name, decoded := range map[string]int{
		"some fields": checkView[podView](t, pod, true),
		"own types":   checkView[viewOf[corev1.PodSpec]](t, pod, true),
		"nothing":     checkView[viewOf[struct{}]](t, pod, true),
		"inlined": checkView[viewOf[struct {
			Volumes []struct{ corev1.VolumeSource }
		}]](t, pod, true),
		"data":            checkView[configView](t, &corev1.ConfigMap{}, true),
		"contains itself": checkView[viewOf[crdViewSpec]](t, &apiextensionsv1.CustomResourceDefinition{}, true),
		"the same type":   checkView[corev1.Pod](t, pod, true),
	} {
		if decoded < 40 {
			t.Errorf("%s: %d of 60 messages were decoded", name, decoded)
		}
	}
}

type configView struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Binary map[string]octets `json:"binaryData"`
	Data   map[string]string `json:"data"`
}

func (v *configView) DeepCopyObject() runtime.Object { copied := *v; return &copied }

type octets []byte

type crdViewSpec struct {
	Versions []struct {
		Name   string `json:"name"`
		Schema *struct {
			Root *schemaView `json:"openAPIV3Schema"`
		} `json:"schema"`
	} `json:"versions"`
}

type schemaView struct {
	Type       string                `json:"type"`
	Properties map[string]schemaView `json:"properties"`
	Not        *schemaView           `json:"not"`
	AllOf      []schemaView          `json:"allOf"`
}

// loud is a string that is not decoded like one.
type loud string

func (l *loud) UnmarshalText(text []byte) error {
	*l = loud(strings.ToUpper(string(text)) + "!")
	return nil
}

// loudSpec, loudNumber and loudNames have a method, too.
type (
	loudSpec   struct{ NodeName string }
	loudNumber int64
	loudNames  []string
)

func (l *loudSpec) UnmarshalJSON([]byte) error   { l.NodeName = "loud"; return nil }
func (l *loudNumber) UnmarshalJSON([]byte) error { *l = 42; return nil }
func (l *loudNames) UnmarshalJSON([]byte) error  { *l = loudNames{"loud"}; return nil }

// loudView is a view with a method for all of it.
type loudView struct{ viewOf[struct{}] }

func (l *loudView) UnmarshalJSON(text []byte) error {
	l.Name = "loud"
	l.Finalizers = []string{fmt.Sprint(len(text) > 0)}
	return nil
}

// TestMessageViewsOfOtherTypes: where a field has another type than in the kind, an answer in
// protobuf is decoded by way of JSON, so a server is not asked for it. A value in place of a
// pointer is not another type.
func TestMessageViewsOfOtherTypes(t *testing.T) {
	pod := &corev1.Pod{}
	checkView[viewOf[struct {
		Grace int64 `json:"terminationGracePeriodSeconds"` // a pointer in the kind
	}]](t, pod, true)
	checkView[viewOf[struct {
		HostNetwork *bool `json:"hostNetwork"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Priority *int64 `json:"priority"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Affinity any `json:"affinity"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Affinity json.RawMessage `json:"affinity"`
	}]](t, pod, false)
	checkView[viewOf[map[string]any]](t, pod, false)
	checkView[viewOf[struct {
		Overhead map[string]string `json:"overhead"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Volumes []*corev1.Volume `json:"volumes"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Volumes [2]corev1.Volume `json:"volumes"`
	}]](t, pod, false)
	// Methods decide how a value is decoded, whichever fields it has.
	checkView[viewOf[struct {
		NodeName loud `json:"nodeName"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		NodeSelector map[loud]string `json:"nodeSelector"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		NodeSelector map[string]loud `json:"nodeSelector"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Grace *loudNumber `json:"terminationGracePeriodSeconds"`
	}]](t, pod, false)
	checkView[viewOf[struct {
		Containers []struct {
			Command loudNames `json:"command"`
		} `json:"containers"`
	}]](t, pod, false)
	checkView[viewOf[loudSpec]](t, pod, false)
	checkView[loudView](t, pod, false)
	// Types whose text in JSON is not that of their fields.
	checkView[viewOf[struct {
		Ports []struct {
			Target struct{ Type, IntVal int32 } `json:"targetPort"`
		} `json:"ports"`
	}]](t, &corev1.Service{}, false)
}

// TestUntypedObjectsAreNotAskedForAsProtobuf: their fields have no numbers.
func TestUntypedObjectsAreNotAskedForAsProtobuf(t *testing.T) {
	decoder := wire.NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), wire.Options{Protobuf: &corev1.Pod{}}, nil)
	if accept := decoder.Accept(false); accept != "application/json" {
		t.Errorf("Accept is %q", accept)
	}
}
