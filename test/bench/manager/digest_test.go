package main

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

func digestOf(t *testing.T, change func(*podserver.Database), names ...int) string {
	t.Helper()
	d := newDigester(len(names))
	for _, i := range names {
		db := podserver.ManagedDatabase(i)
		change(db)
		if err := d.add(db); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := d.sum()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestDigest(t *testing.T) {
	same := func(*podserver.Database) {}
	want := digestOf(t, same, 1, 2)
	if got := digestOf(t, same, 2, 1); got != want {
		t.Errorf("the order changes the digest from %s to %s", want, got)
	}
	for name, got := range map[string]string{
		"another object":  digestOf(t, same, 1, 3),
		"one less":        digestOf(t, same, 1),
		"another version": digestOf(t, func(db *podserver.Database) { db.ResourceVersion = "9" }, 1, 2),
		"another field":   digestOf(t, func(db *podserver.Database) { db.Spec.Users[0].Roles[0] = "none" }, 1, 2),
	} {
		if got == want {
			t.Errorf("%s does not change the digest", name)
		}
	}
	if got := digestOf(t, func(db *podserver.Database) { db.Kind = "Database" }, 1, 2); got != want {
		t.Error("the kind changes the digest")
	}
	d := newDigester(2)
	for range 2 {
		if err := d.add(podserver.ManagedDatabase(1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.sum(); err == nil {
		t.Error("an object is taken twice")
	}
}

// TestSpoil finds objects that share memory with the cache.
func TestSpoil(t *testing.T) {
	r := &reader{measurement: &measurement{kind: kinds["2 KB"]}}
	stored := podserver.ManagedDatabase(1)
	stored.SetGroupVersionKind(r.kind.GroupVersionKind)
	before := stored.Labels["app"]
	if err := r.spoil(stored.DeepCopyObject().(*podserver.Database), true); err != nil || stored.Labels["app"] != before {
		t.Errorf("a copy shares labels: %v, %v", stored.Labels, err)
	}
	if err := r.spoil(stored, true); err != nil || stored.Labels["app"] == before {
		t.Errorf("an object that is no copy would not be noticed: %v, %v", stored.Labels, err)
	}
	if err := r.spoil(new(podserver.Database), true); err == nil {
		t.Error("a copy without a kind is taken")
	}
}

func TestBuckets(t *testing.T) {
	m := &measurement{kind: kinds["2 KB"], objects: 2000}
	counts := map[string]int{}
	for i := range m.objects {
		counts[m.buckets(podserver.ManagedDatabase(i))[0]]++
	}
	if len(counts) != m.objects/perBucket {
		t.Errorf("there are %d buckets", len(counts))
	}
	for bucket, n := range counts {
		if n < perBucket/2 || n > 2*perBucket {
			t.Errorf("bucket %s has %d objects", bucket, n)
		}
	}
}
