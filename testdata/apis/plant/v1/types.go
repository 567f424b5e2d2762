package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Phase is what a robot does.
type Phase string

// Tool is what a robot holds.
type Tool struct {
	Name  string   `json:"name"`
	Parts []string `json:"parts,omitempty"`
}

// Place is where a robot stands.
type Place struct {
	Hall string `json:"hall,omitempty"`
	Row  int32  `json:"row,omitempty"`
}

// RobotSpec is what a robot is to do.
type RobotSpec struct {
	Place    `json:",inline"`
	NodeName string            `json:"nodeName,omitempty"`
	Color    *string           `json:"color,omitempty"`
	Priority int64             `json:"priority,omitempty"`
	Paused   *bool             `json:"paused,omitempty"`
	Replicas *int32            `json:"replicas,omitempty"`
	Charger  *Charger          `json:"charger,omitempty"`
	Tools    []*Tool           `json:"tools,omitempty"`
	Spares   map[string][]Tool `json:"spares,omitempty"`
	Speed    float64           `json:"speed,omitempty"`

	// These encode themselves.
	Pause    metav1.Duration    `json:"pause,omitempty"`
	Since    *metav1.Time       `json:"since,omitempty"`
	Tick     metav1.MicroTime   `json:"tick,omitempty"`
	Port     intstr.IntOrString `json:"port,omitempty"`
	Capacity *resource.Quantity `json:"capacity,omitempty"`
}

// Charger loads a robot.
type Charger struct {
	Volts uint16 `json:"volts,omitempty"`
}

// RobotStatus is what a robot does.
type RobotStatus struct {
	Phase    Phase `json:"phase,omitempty"`
	Replicas int32 `json:"replicas,omitempty"`
}

// Robot works. It has an index over each form of a field.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=robots,scope=Namespaced,shortName=rb;rbt,categories={all,plant}
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:selectablefield:JSONPath=`.spec.color`
// +kubebuilder:selectablefield:JSONPath=.spec.priority
// +kubebuilder:selectablefield:JSONPath=.status.phase
// +kubebuilder:selectablefield:JSONPath=.spec.pause
// +kubebuilder:selectablefield:JSONPath=.spec.since
// +kubebuilder:selectablefield:JSONPath=.spec.tick
// +kubebuilder:selectablefield:JSONPath=.spec.port
// +kubebuilder:selectablefield:JSONPath=.spec.capacity
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].status",description="a, b; c"
// +informer:index:name=byNodeName,path=spec.nodeName
// +informer:index:name=byColor,path=.spec.color
// +informer:index:name=byHall,path=spec.hall
// +informer:index:name=byPriority,path=spec.priority
// +informer:index:name=byPaused,path=spec.paused
// +informer:index:name=byPhase,path=status.phase
// +informer:index:name=byVolts,path=spec.charger.volts
// +informer:index:name=byTool,path=spec.tools[*].name
// +informer:index:name=byPart,path=spec.tools.parts
// +informer:index:name=bySpare,path=spec.spares[left].name
// +informer:index:name=byApp,path=metadata.labels[app.kubernetes.io/name]
type Robot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RobotSpec   `json:"spec,omitempty"`
	Status RobotStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// RobotList is a list of Robot.
type RobotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Robot `json:"items"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,path=factoryhalls

// Hall is where robots work. It has a status, but none of its own on the server.
//
// Deprecated: Robots find their way without one, which is why nothing reads a Hall
// since version 3.
type Hall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status RobotStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// HallList is a list of Hall.
type HallList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Hall `json:"items"`
}

// PlantConfig is a configuration file, which no server keeps: it has no list type.
//
// +kubebuilder:object:root=true
type PlantConfig struct {
	metav1.TypeMeta `json:",inline"`

	Addr string `json:"addr,omitempty"`
}

// Sketch is not served.
//
// +kubebuilder:object:root=true
// +kubebuilder:skip
type Sketch struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// SketchList is a list of Sketch.
//
// +kubebuilder:object:root=true
type SketchList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Sketch `json:"items"`
}
