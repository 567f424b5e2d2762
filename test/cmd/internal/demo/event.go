package demo

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Event is what a typed handler heard: one of the pointers is set.
type Event struct {
	What     string // add, update or delete
	Class    *datav1.DatabaseClass
	Database *datav1.Database
	Server   *datav1.DatabaseServer
}

// String describes the event to a person.
func (e Event) String() string {
	if class := e.Class; class != nil {
		return fmt.Sprintf("%-6s %T %s: up to %d GiB at %s:%d", e.What, class, class.Name, class.Spec.MaxStorageGi, class.Spec.Domain, class.Spec.Port)
	}
	if server := e.Server; server != nil {
		state := "not ready"
		if server.Status.Ready {
			state = "ready"
		}
		return fmt.Sprintf("%-6s %T %s/%s: %d GiB, %s, controlled by %s", e.What, server, server.Namespace, server.Name, server.Spec.StorageGi, state, metav1.GetControllerOf(server).Name)
	}
	db := e.Database
	text := fmt.Sprintf("%-6s %T %s/%s: %d GiB, %s", e.What, db, db.Namespace, db.Name, db.Spec.StorageGi, Phase(db))
	if db.Status.Endpoint != "" {
		text += " at " + db.Status.Endpoint
	}
	return text
}

// IsOrders reports whether the event has the Database orders in a phase.
func (e Event) IsOrders(phase datav1.DatabasePhase) bool {
	return e.Database != nil && e.Database.Name == "orders" && e.Database.Status.Phase == phase
}

// Waits reports whether the event has a server that is not ready yet.
func (e Event) Waits() bool { return e.What != "delete" && e.Server != nil && !e.Server.Status.Ready }

// Phase returns how far a Database is.
func Phase(db *datav1.Database) string {
	switch {
	case db.Status.Phase != "":
		return string(db.Status.Phase)
	case len(db.Finalizers) > 0:
		return "finalizer " + db.Finalizers[0]
	}
	return "no status yet"
}

// ListenToAll sends what happens to the objects of all kinds of examples/operator.
func ListenToAll(factory informers.SharedInformerFactory, send func(Event), options ...cache.HandlerOption) error {
	data := factory.Data().V1()
	if err := Listen(data.DatabaseClasses().Informer(), func(what string, class *datav1.DatabaseClass) { send(Event{What: what, Class: class}) }, options...); err != nil {
		return err
	}
	if err := Listen(data.Databases().Informer(), func(what string, db *datav1.Database) { send(Event{What: what, Database: db}) }, options...); err != nil {
		return err
	}
	return Listen(data.DatabaseServers().Informer(), func(what string, server *datav1.DatabaseServer) { send(Event{What: what, Server: server}) }, options...)
}

// Listen sends what happens to the objects of an informer.
func Listen[T cache.Object](informer *cache.SharedIndexInformer[T], send func(what string, obj T), options ...cache.HandlerOption) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(obj T, _ bool) { send("add", obj) },
		UpdateFunc: func(_, obj T) { send("update", obj) },
		DeleteFunc: func(obj T, _ bool) { send("delete", obj) },
	}, options...)
	return err
}
