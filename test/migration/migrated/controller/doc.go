// Package controller gives each Foo the Deployment that it asks for, and writes into the
// status of the Foo how many replicas are available:
//
//	FooInformer ───────── its name ─────────┐
//	                                        ▼
//	DeploymentInformer ── owner's name ──▶ queue ──▶ workers ──▶ Deployment, status, Event
//	                                                    │ read
//	                                                    ▼
//	                                                 listers
//
//	operator.go    Run: clients to factories to Controller
//	controller.go  Controller: events to queue, queue to workers
//	reconcile.go   what a worker does with one Foo
package controller
