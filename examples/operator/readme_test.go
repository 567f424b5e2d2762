package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// follow is the code of the repository's README, to the letter.
func follow(ctx context.Context, client versioned.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute, informers.WithNamespace("team-a"))
	databases := factory.Data().V1().Databases()
	if _, err := databases.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{
		AddFunc:    func(db *v1.Database, isInInitialList bool) { fmt.Println("new:", db.Name) },
		UpdateFunc: func(oldDB, newDB *v1.Database) { fmt.Println("now:", newDB.Spec.StorageGi, "GiB") },
		DeleteFunc: func(db *v1.Database, finalStateUnknown bool) { fmt.Println("gone:", db.Name) },
	}); err != nil {
		return err
	}
	factory.Start(ctx)
	defer factory.Shutdown() // returns when every goroutine has ended
	if err := factory.WaitForCacheSync(ctx); err != nil {
		return err // names each informer that is not synced, and the reason
	}
	db, err := databases.Lister().Databases("team-a").Get("orders") // *v1.Database; apierrors.IsNotFound(err) works
	if err != nil {
		return err
	}
	fmt.Println("has:", db.Spec.StorageGi, "GiB")
	return nil
}

func Example() {
	client := fake.NewClientset(&v1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "orders"},
		Spec:       v1.DatabaseSpec{ClassName: "postgres", StorageGi: 20},
	})
	if err := follow(context.Background(), client); err != nil {
		log.Fatal(err)
	}
	// Output:
	// new: orders
	// has: 20 GiB
}

// TestREADME keeps the README's code the one that is compiled here.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```\n")
	self, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(block) {
		if !strings.Contains(string(self), "\t"+line) {
			t.Errorf("the README has a line that readme_test.go has not:\n%s", line)
		}
	}
}
