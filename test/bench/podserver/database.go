package podserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DatabaseVersion is the group and version of databases.
var DatabaseVersion = schema.GroupVersion{Group: "databases.example.com", Version: "v1"}

// Database is a custom resource like those that operators have.
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DatabaseSpec   `json:"spec"`
	Status            DatabaseStatus `json:"status,omitempty"`
}

type DatabaseSpec struct {
	Engine     string            `json:"engine"`
	Replicas   *int32            `json:"replicas,omitempty"`
	Storage    DatabaseStorage   `json:"storage"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Users      []DatabaseUser    `json:"users,omitempty"`
}

type DatabaseStorage struct {
	ClassName string `json:"className,omitempty"`
	Gigabytes int64  `json:"gigabytes"`
	Encrypted bool   `json:"encrypted"`
}

type DatabaseUser struct {
	Name       string   `json:"name"`
	SecretName string   `json:"secretName"`
	Roles      []string `json:"roles,omitempty"`
	Limit      *int64   `json:"limit,omitempty"`
}

type DatabaseStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Members            []DatabaseMember   `json:"members,omitempty"`
}

type DatabaseMember struct {
	Name     string            `json:"name"`
	Node     string            `json:"node"`
	Address  string            `json:"address"`
	Leader   bool              `json:"leader"`
	LagBytes int64             `json:"lagBytes"`
	Since    metav1.Time       `json:"since"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// DatabaseList is a list of databases.
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Database `json:"items"`
}

func (d *Database) DeepCopyObject() runtime.Object {
	c := new(Database)
	d.DeepCopyInto(c)
	return c
}

// DeepCopyInto does what a generated method of this name does.
func (d *Database) DeepCopyInto(c *Database) {
	*c = *d
	d.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	c.Spec.Replicas, c.Spec.Parameters = pointed(d.Spec.Replicas), maps.Clone(d.Spec.Parameters)
	c.Spec.Users = slices.Clone(d.Spec.Users)
	for i, user := range c.Spec.Users {
		c.Spec.Users[i].Roles, c.Spec.Users[i].Limit = slices.Clone(user.Roles), pointed(user.Limit)
	}
	c.Status.Conditions, c.Status.Members = slices.Clone(d.Status.Conditions), slices.Clone(d.Status.Members)
	for i, member := range c.Status.Members {
		c.Status.Members[i].Labels = maps.Clone(member.Labels)
	}
}

func (l *DatabaseList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = slices.Clone(l.Items)
	for i := range c.Items {
		l.Items[i].DeepCopyInto(&c.Items[i])
	}
	return &c
}

// pointed returns a pointer to a copy.
func pointed[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// How many parts databases have, so that their JSON has 2 KB and 20 KB.
const (
	smallDatabase = 2
	largeDatabase = 42
)

// SmallDatabase makes database i, whose JSON has 2 KB.
func SmallDatabase(i int) *Database {
	return newDatabase(i, 1, firstVersion+uint64(i), smallDatabase)
}

// newDatabase makes database i with as many users, members and pairs of parameters as
// parts. Values differ between databases if they do in a cluster.
func newDatabase(i, generation int, version uint64, parts int) *Database {
	random := rand.New(rand.NewPCG(uint64(i), 2))
	namespace, name := Name(i)
	created := metav1.NewTime(began.Add(time.Duration(i) * 7 * time.Second))
	d := &Database{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: uid(random), Generation: int64(generation),
			ResourceVersion: strconv.FormatUint(version, 10), CreationTimestamp: created,
			Labels:     map[string]string{"app": "web-" + strconv.Itoa(i/replicas%500), "revision": strconv.Itoa(generation)},
			Finalizers: []string{"databases.example.com/backup"},
			ManagedFields: []metav1.ManagedFieldsEntry{
				managed("deployer", DatabaseVersion.String(), "", created, `{"f:spec":{"f:engine":{},"f:replicas":{},"f:storage":{"f:className":{},"f:gigabytes":{}},"f:users":{}}}`),
				managed("database-operator", DatabaseVersion.String(), "status", created, `{"f:status":{"f:conditions":{},"f:members":{}}}`),
			},
		},
		Spec: DatabaseSpec{
			Engine: "postgres-17." + strconv.Itoa(generation), Replicas: new(int32(parts)),
			Storage:    DatabaseStorage{ClassName: "fast", Gigabytes: random.Int64N(4000), Encrypted: true},
			Parameters: map[string]string{},
		},
		Status: DatabaseStatus{
			ObservedGeneration: int64(generation),
			Conditions: []metav1.Condition{
				{Type: "Ready", Status: metav1.ConditionTrue, ObservedGeneration: int64(generation), LastTransitionTime: created, Reason: "AllMembersReady", Message: fmt.Sprintf("%d of %[1]d members follow the leader", parts)},
				{Type: "BackedUp", Status: metav1.ConditionTrue, LastTransitionTime: created, Reason: "Uploaded", Message: fmt.Sprintf("the last backup has %d bytes", random.Int64())},
			},
		},
	}
	for part := range parts {
		d.Spec.Parameters[fmt.Sprintf("autovacuum_threshold_%d", part)] = strconv.Itoa(random.IntN(100_000))
		d.Spec.Parameters[fmt.Sprintf("log_filter_%d", part)] = "schema = 'tenant_" + strconv.Itoa(random.IntN(10_000)) + "' and \"level\" > 3"
		d.Spec.Users = append(d.Spec.Users, DatabaseUser{
			Name: fmt.Sprintf("service-%d", part), SecretName: name + "-service-" + suffix(random.Uint64(), 8),
			Roles: []string{"reader", "writer", "tenant-" + strconv.Itoa(random.IntN(1000))}, Limit: new(random.Int64N(200)),
		})
		d.Status.Members = append(d.Status.Members, DatabaseMember{
			Name: fmt.Sprintf("%s-%d", name, part), Node: fmt.Sprintf("node-%d", random.IntN(2000)), Address: address(10, random.Uint32()),
			Leader: part == 0, LagBytes: random.Int64N(1 << 30), Since: created,
			Labels: map[string]string{"zone": "zone-" + strconv.Itoa(random.IntN(3)), "volume": string(uid(random))},
		})
	}
	return d
}
