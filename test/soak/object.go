package main

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

const (
	namespaces = 50
	// tiers is how many values the label tier has. It follows from the content of an object.
	tiers = 4
	// spellings is how many names an object may have. When it is created again, it may get another one.
	spellings = 2
)

// own reports whether an object is one that the program itself creates and deletes: one of a hundred.
func own(slot int) bool { return slot%100 == 0 }

// nameOf returns the name of an object. The number of names is bounded, so that what is known of each of them is.
func nameOf(slot, spelling int) cache.ObjectName {
	return cache.ObjectName{Namespace: namespaceOf(slot % namespaces), Name: fmt.Sprintf("database-%06d-%c", slot, 'a'+spelling)}
}

func namespaceOf(n int) string { return fmt.Sprintf("team-%02d", n) }

func tierOf(content int32) string { return fmt.Sprintf("tier-%d", content%tiers) }

// indexOf returns the place of a name in a table.
func indexOf(name string) (int, error) {
	number, spelling, _ := strings.Cut(strings.TrimPrefix(name, "database-"), "-")
	slot, err := strconv.Atoi(number)
	if err != nil || len(spelling) != 1 {
		return 0, fmt.Errorf("%q is not a name of this program", name)
	}
	return slot*spellings + int(spelling[0]-'a'), nil
}

// newDatabase returns an object whose fields all follow from its name and its content, which is below a thousand. So all
// objects have the same size, and one that is made of two states shows.
func newDatabase(name cache.ObjectName, content int32) *datav1.Database {
	return &datav1.Database{
		TypeMeta:   metav1.TypeMeta{APIVersion: datav1.SchemeGroupVersion.String(), Kind: "Database"},
		ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{"tier": tierOf(content), "app": "soak"}},
		Spec:       datav1.DatabaseSpec{ClassName: fmt.Sprintf("class-%03d", content), StorageGi: content + 1000, Replicas: 3},
		Status: datav1.DatabaseStatus{
			Phase: datav1.DatabaseReady, Endpoint: name.Name + "." + name.Namespace + ".example.com:5432", ReadyReplicas: 3,
			Conditions: []metav1.Condition{{Type: datav1.ConditionReady, Status: metav1.ConditionTrue, Reason: datav1.ReasonProvisioned, Message: "all servers are ready"}},
		},
	}
}

// contentOf returns the content of an object, or -1 if its fields contradict each other.
func contentOf(class string, gigabytes int32, labels map[string]string) int32 {
	content := gigabytes - 1000
	if class != fmt.Sprintf("class-%03d", content) || labels["tier"] != tierOf(content) {
		return -1
	}
	return content
}

// summary is a view of a Database.
type summary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		ClassName string `json:"className"`
		StorageGi int32  `json:"storageGi"`
	} `json:"spec"`
}

func (s *summary) DeepCopyObject() runtime.Object {
	copied := *s
	s.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// state is what a table knows of an object. It has no pointer, so a table costs the same whatever happened.
type state struct {
	Version uint64
	// UID is the hash of the UID, by which a shard selects.
	UID     uint64
	Content int32
	IsAlive bool
}

func (s state) String() string {
	if !s.IsAlive {
		return fmt.Sprintf("gone since version %d", s.Version)
	}
	return fmt.Sprintf("version %d of UID %x with content %d", s.Version, s.UID, s.Content)
}

// stateOf returns the state of an object with that content.
func stateOf(obj metav1.Object, content int32) (state, error) {
	version, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	return state{version, sharding.HashOf(sharding.UID, string(obj.GetUID())), content, true}, err
}
