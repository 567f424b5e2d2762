package main

import (
	"context"
	"fmt"
	"slices"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	eventsinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/events/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// event is what a typed handler heard.
type event struct {
	what     string // add, update or delete
	class    *datav1.DatabaseClass
	database *datav1.Database
	server   *datav1.DatabaseServer
	note     *eventsv1.Event // which the operator wrote
}

// String tells the event to a person.
func (e event) String() string {
	if note := e.note; note != nil {
		return fmt.Sprintf("%-6s %T %s: %s, %s/%s: %s", e.what, note, note.Type, note.Reason, note.Regarding.Namespace, note.Regarding.Name, note.Note)
	}
	if class := e.class; class != nil {
		return fmt.Sprintf("%-6s %T %s: up to %d GiB at %s:%d", e.what, class, class.Name, class.Spec.MaxStorageGi, class.Spec.Domain, class.Spec.Port)
	}
	if server := e.server; server != nil {
		state := "not ready"
		if server.Status.Ready {
			state = "ready"
		}
		return fmt.Sprintf("%-6s %T %s/%s: %d GiB, %s, controlled by %s", e.what, server, server.Namespace, server.Name, server.Spec.StorageGi, state, metav1.GetControllerOf(server).Name)
	}
	db := e.database
	text := fmt.Sprintf("%-6s %T %s/%s: %d GiB, %s", e.what, db, db.Namespace, db.Name, db.Spec.StorageGi, phase(db))
	if db.Status.Endpoint != "" {
		text += " at " + db.Status.Endpoint
	}
	return text
}

func phase(db *datav1.Database) string {
	switch {
	case db.Status.Phase != "":
		return string(db.Status.Phase)
	case len(db.Finalizers) > 0:
		return "finalizer " + db.Finalizers[0]
	}
	return "no status yet"
}

// startInformers listens to all kinds through one factory: the generated ones, and Events.
func (s *stage) startInformers(ctx context.Context) error {
	s.factory = informers.NewSharedInformerFactory(s.client, 0)
	data := s.factory.Data().V1()
	if err := listen(s, data.DatabaseClasses().Informer(), func(e *event, class *datav1.DatabaseClass) { e.class = class }); err != nil {
		return err
	}
	if err := listen(s, data.Databases().Informer(), func(e *event, db *datav1.Database) { e.database = db }); err != nil {
		return err
	}
	if err := listen(s, data.DatabaseServers().Informer(), func(e *event, server *datav1.DatabaseServer) { e.server = server }); err != nil {
		return err
	}
	notes := cache.InformerFor(s.factory.Inner(), eventsinformers.EventKind(s.kube))
	if err := listen(s, notes, func(e *event, note *eventsv1.Event) { e.note = note }); err != nil {
		return err
	}
	s.factory.Start(context.WithoutCancel(ctx)) // until close
	return s.factory.WaitForCacheSync(ctx)
}

// listen sends what happens to the objects of an informer.
func listen[T cache.Object](s *stage, informer *cache.SharedIndexInformer[T], set func(*event, T)) error {
	send := func(what string, obj T) {
		e := event{what: what}
		set(&e, obj)
		s.events <- e
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(obj T, _ bool) { send("add", obj) },
		UpdateFunc: func(_, obj T) { send("update", obj) },
		DeleteFunc: func(obj T, _ bool) { send("delete", obj) },
	})
	return err
}

// await prints events until each of those that are expected has come.
func (s *stage) await(ctx context.Context, expected ...func(event) bool) error {
	for len(expected) > 0 {
		select {
		case e := <-s.events:
			say("event", "%v", e)
			expected = slices.DeleteFunc(expected, func(is func(event) bool) bool { return is(e) })
		case <-s.ended:
			return s.endedByItself()
		case <-ctx.Done():
			return fmt.Errorf("an event that was expected did not come: %w", ctx.Err())
		}
	}
	return nil
}

// isOrders expects the operator to have brought team-a/orders to a phase.
func isOrders(phase datav1.DatabasePhase) func(event) bool {
	return func(e event) bool {
		return e.database != nil && e.database.Name == "orders" && e.database.Status.Phase == phase
	}
}

// isNote expects an Event of the operator.
func isNote(reason string) func(event) bool {
	return func(e event) bool { return e.note != nil && e.note.Reason == reason }
}
