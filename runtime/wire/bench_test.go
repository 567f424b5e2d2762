package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// workload resembles a Pod, which this module does not know.
type workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Containers []struct {
			Name  string `json:"name"`
			Image string `json:"image"`
			Ports []struct {
				Name          string `json:"name,omitempty"`
				ContainerPort int32  `json:"containerPort"`
				Protocol      string `json:"protocol,omitempty"`
			} `json:"ports,omitempty"`
			Env []struct {
				Name  string `json:"name"`
				Value string `json:"value,omitempty"`
			} `json:"env,omitempty"`
			Resources struct {
				Limits   map[string]resource.Quantity `json:"limits,omitempty"`
				Requests map[string]resource.Quantity `json:"requests,omitempty"`
			} `json:"resources"`
		} `json:"containers"`
		RestartPolicy                 string            `json:"restartPolicy,omitempty"`
		TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds,omitempty"`
		NodeSelector                  map[string]string `json:"nodeSelector,omitempty"`
		NodeName                      string            `json:"nodeName,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase      string             `json:"phase,omitempty"`
		Conditions []metav1.Condition `json:"conditions,omitempty"`
		StartTime  *metav1.Time       `json:"startTime,omitempty"`
	} `json:"status"`
}

func workloadText(i int) []byte {
	return fmt.Appendf(nil, `{"kind":"Workload","apiVersion":"example.com/v1","metadata":{"name":"app-%[1]d","namespace":"team-%[2]d","uid":"3f6c1b5e-9a7d-4c2e-8f10-%012[1]d","resourceVersion":"%[1]d","creationTimestamp":"2024-05-17T09:26:41Z","labels":{"app":"app-%[2]d","tier":"backend"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"app-%[2]d","uid":"b0a1c2d3-1111-2222-3333-444455556666","controller":true}],`+
		`"managedFields":[{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2024-05-17T09:26:55Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:phase":{},"f:startTime":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}},"subresource":"status"}]},`+
		`"spec":{"containers":[{"name":"main","image":"registry.example.com/app:v1.2.3","ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"A","value":"b"},{"name":"C","value":"d"}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"256Mi"}}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"nodeName":"node-%[2]d"},`+
		`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-05-17T09:26:55Z","reason":"Started","message":""}],"startTime":"2024-05-17T09:26:41Z"}}`, i, i%40)
}

func BenchmarkPlan(b *testing.B) {
	var texts [1000][]byte
	for i := range texts {
		texts[i] = workloadText(i)
	}
	plan := plan.For(reflect.TypeFor[workload](), nil)
	for name, decode := range map[string]func(text []byte) bool{
		"plan": func(text []byte) bool {
			_, ok := plan.Decode(text, 0)
			return ok
		},
		"plan-shared": func(text []byte) bool {
			_, ok := plan.Decode(text, 1)
			return ok
		},
		"apimachinery": func(text []byte) bool {
			_, err := plan.Unmarshal(text)
			return err == nil
		},
		"encoding-json": func(text []byte) bool { return json.Unmarshal(text, new(workload)) == nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(texts[0])))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !decode(texts[i%len(texts)]) {
					b.Fatal("not decoded")
				}
			}
		})
	}
}
