package controller

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
)

// What statusOf says in each case is in the tests of the Controller; this is what
// keeps them from writing for ever.
func TestStatusOfIsStable(t *testing.T) {
	db := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", Generation: 1}}
	db.Spec = datav1.DatabaseSpec{ClassName: "postgres", StorageGi: 20, Replicas: 1}
	class := &viewsv1.DatabaseClassSummary{ObjectMeta: metav1.ObjectMeta{Name: "postgres"}}
	class.Spec = viewsv1.DatabaseClassTerms{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}

	seen := observation{class: class, servers: []*datav1.DatabaseServer{{Status: datav1.DatabaseServerStatus{Ready: true}}}}

	pristine := db.DeepCopy()
	first := statusOf(db, seen)
	if !equality.Semantic.DeepEqual(db, pristine) {
		t.Error("statusOf has changed the Database that it was given")
	}

	longAgo := metav1.NewTime(time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC))
	db.Status = *first.DeepCopy()
	db.Status.Conditions[0].LastTransitionTime = longAgo
	if again := statusOf(db, seen); !equality.Semantic.DeepEqual(again, db.Status) {
		t.Errorf("the status of an unchanged Database has changed\nfrom %+v\nto   %+v", db.Status, again)
	}

	db.Generation = 2
	edited := statusOf(db, seen)
	if edited.ObservedGeneration != 2 || edited.Conditions[0].ObservedGeneration != 2 {
		t.Errorf("the status is not about the new generation: %+v", edited)
	}
	if !edited.Conditions[0].LastTransitionTime.Equal(&longAgo) {
		t.Error("the condition has a new transition time, but made no transition")
	}
	if gone := statusOf(db, observation{}); gone.Conditions[0].LastTransitionTime.Equal(&longAgo) {
		t.Error("the condition made a transition, but its time is the old one")
	}
}
