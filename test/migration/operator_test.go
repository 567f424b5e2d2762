package migration_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/typedinformers/informer-gen/test/migration"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
)

func TestScenarios(t *testing.T) {
	for _, scenario := range migration.Scenarios {
		t.Run(scenario.Name, func(t *testing.T) {
			forBoth(t, func(t *testing.T, c *cluster) { scenario.Run(c.world(t)) })
		})
	}
}

// createFoo creates the Foo web, which asks for three replicas of web-1.
func (c *cluster) createFoo(t *testing.T) {
	t.Helper()
	foo := &v1alpha1.Foo{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec:       v1alpha1.FooSpec{DeploymentName: "web-1", Replicas: new(int32(3))},
	}
	if _, err := c.foos(namespace).Create(t.Context(), foo, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// report writes the status of the Deployment web-1.
func (c *cluster) report(t *testing.T, available int32) {
	t.Helper()
	deployments := c.kube.AppsV1().Deployments(namespace)
	deployment, err := deployments.Get(t.Context(), "web-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	deployment.Status.AvailableReplicas = available
	if _, err := deployments.UpdateStatus(t.Context(), deployment, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// hasDeployment reports whether web-1 exists.
func (c *cluster) hasDeployment(ctx context.Context) error {
	_, err := c.kube.AppsV1().Deployments(namespace).Get(ctx, "web-1", metav1.GetOptions{})
	return err
}

// count returns how many requests of a verb were sent for a resource.
func (c *cluster) count(verb, resource, subresource string) (count int) {
	for _, action := range c.Actions() {
		if action.Matches(verb, resource) && action.GetSubresource() == subresource {
			count++
		}
	}
	return count
}

func TestFailedWritesAreRepeated(t *testing.T) {
	for name, failure := range map[string]error{
		"conflict":     apierrors.NewConflict(v1alpha1.Resource("foos"), "web", errors.New("it has changed")),
		"server error": apierrors.NewInternalError(errors.New("etcd is away")),
	} {
		t.Run(name, func(t *testing.T) {
			forBoth(t, func(t *testing.T, c *cluster) {
				var creations, updates int
				c.PrependReactor("create", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
					creations++ // the fake has a lock
					return creations <= 3, nil, failure
				})
				c.PrependReactor("update", "foos", func(clienttesting.Action) (bool, runtime.Object, error) {
					updates++
					return updates <= 3, nil, failure
				})
				c.start(t)
				c.createFoo(t)
				await(t, c.hasDeployment)
				c.report(t, 2)
				w := c.world(t)
				await(t, func(ctx context.Context) error {
					foo, err := w.Foos(namespace).Get(ctx, "web", metav1.GetOptions{})
					if err == nil && foo.Status.AvailableReplicas != 2 {
						err = errors.New("the status is not written")
					}
					return err
				})
				if creations := c.count("create", "deployments", ""); creations != 4 {
					t.Errorf("the Deployment was created %d times, want 3 in vain and 1 more", creations)
				}
				if updates := c.count("update", "foos", "status"); updates != 4 {
					t.Errorf("the status was written %d times, want 3 in vain and 1 more", updates)
				}
			})
		})
	}
}

// TestRetriesSlowDown lets a Foo fail for an hour.
func TestRetriesSlowDown(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		var attempts []time.Time
		c.PrependReactor("create", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
			attempts = append(attempts, time.Now())
			return true, nil, apierrors.NewForbidden(appsv1.Resource("deployments"), "web-1", errors.New("no role allows it"))
		})
		c.start(t)
		c.createFoo(t)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(attempts); n < 15 || n > 30 {
			t.Fatalf("there were %d attempts in an hour", n)
		}
		if first := attempts[1].Sub(attempts[0]); first > 100*time.Millisecond {
			t.Errorf("the second attempt was after %v", first)
		}
	})
}

// TestQuiet lets an hour pass, with resyncs, after which nothing may have been written.
func TestQuiet(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		c.start(t)
		c.createFoo(t)
		await(t, c.hasDeployment)
		c.report(t, 3)
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		count := func() []int {
			return []int{
				c.count("create", "deployments", ""), c.count("update", "deployments", ""),
				c.count("update", "foos", ""), c.count("update", "foos", "status"),
			}
		}
		if got, want := count(), []int{1, 0, 0, 1}; !slices.Equal(got, want) {
			t.Errorf("the operator has written %v, want %v", got, want)
		}
	})
}

// TestWaitsForBothCaches starts the operator without the right to list Deployments.
func TestWaitsForBothCaches(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		var allowed atomic.Bool
		c.PrependReactor("list", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
			return !allowed.Load(), nil, apierrors.NewForbidden(appsv1.Resource("deployments"), "", errors.New("no role allows it"))
		})
		c.createFoo(t)
		c.start(t)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if creations := c.count("create", "deployments", ""); creations != 0 {
			t.Errorf("the operator has created %d Deployments before it knew those that exist", creations)
		}
		allowed.Store(true)
		await(t, c.hasDeployment)
	})
}

// TestStopsBeforeTheCachesAreFilled returns an error, because nothing was reconciled.
func TestStopsBeforeTheCachesAreFilled(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		c.PrependReactor("list", "foos", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(v1alpha1.Resource("foos"), "", errors.New("no role allows it"))
		})
		ctx, cancel := context.WithTimeout(logging(t), time.Minute)
		defer cancel()
		if err := c.run(ctx, namespace); err == nil {
			t.Error("Run returned no error")
		}
	})
}

// TestMissedDeletion cuts the watch of Deployments. One is deleted before the next list.
func TestMissedDeletion(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		first := watch.NewFake()
		watches := 0
		c.PrependWatchReactor("deployments", func(clienttesting.Action) (bool, watch.Interface, error) {
			watches++
			return watches == 1, first, nil
		})
		c.createFoo(t)
		c.start(t)
		await(t, c.hasDeployment)
		created, err := c.kube.AppsV1().Deployments(namespace).Get(t.Context(), "web-1", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		first.Add(created)
		synctest.Wait()
		if err := c.kube.AppsV1().Deployments(namespace).Delete(t.Context(), "web-1", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := c.hasDeployment(t.Context()); !apierrors.IsNotFound(err) {
			t.Fatalf("the operator knows of the deletion before it lists: %v", err)
		}
		first.Error(&metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old"})
		await(t, c.hasDeployment)
	})
}

// TestStopsWatching looks at the watches when Run has returned.
func TestStopsWatching(t *testing.T) {
	forBoth(t, func(t *testing.T, c *cluster) {
		foos, deployments := watch.NewFake(), watch.NewFake()
		c.PrependWatchReactor("foos", clienttesting.DefaultWatchReactor(foos, nil))
		c.PrependWatchReactor("deployments", clienttesting.DefaultWatchReactor(deployments, nil))
		ctx, cancel := context.WithTimeout(logging(t), time.Minute)
		defer cancel()
		if err := c.run(ctx, namespace); err != nil {
			t.Errorf("Run: %v", err)
		}
		if !foos.IsStopped() || !deployments.IsStopped() {
			t.Errorf("Run has returned, and the watch of Foos is stopped: %t, that of Deployments: %t", foos.IsStopped(), deployments.IsStopped())
		}
	})
}
