package apitest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest"
)

// family creates ConfigMaps that own each other.
type family struct {
	client
	uids map[string]types.UID
}

func newFamily(t *testing.T, options ...apitest.Option) *family {
	return &family{client{t, apitest.Start(t, options...)}, map[string]types.UID{}}
}

func configMapPath(name string) string { return "/api/v1/namespaces/a/configmaps/" + name }

// reference names an owner, which need not exist. A name that ends with ! blocks its deletion.
func (f *family) reference(name string) metav1.OwnerReference {
	name, blocks := strings.CutSuffix(name, "!")
	uid := f.uids[name]
	if uid == "" {
		uid = types.UID("uid-of-" + name)
	}
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: uid, BlockOwnerDeletion: &blocks}
}

// create creates an object with owners.
func (f *family) create(name string, owners ...string) {
	f.Helper()
	var references []metav1.OwnerReference
	for _, owner := range owners {
		references = append(references, f.reference(owner))
	}
	f.createWith(name, references...)
}

func (f *family) createWith(name string, owners ...metav1.OwnerReference) {
	f.Helper()
	object := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
	object.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("ConfigMap"))
	object.APIVersion = "v1"
	body, err := json.Marshal(object)
	if err != nil {
		f.Fatal(err)
	}
	f.uids[name] = f.do("POST", "/api/v1/namespaces/a/configmaps", string(body), http.StatusCreated).GetUID()
}

func (f *family) get(name string) *unstructured.Unstructured {
	f.Helper()
	return f.do("GET", configMapPath(name), "", http.StatusOK)
}

// update changes an object.
func (f *family) update(name string, change func(*unstructured.Unstructured)) {
	f.Helper()
	object := f.get(name)
	change(object)
	body, err := object.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.do("PUT", configMapPath(name), string(body), http.StatusOK)
}

func (f *family) delete(name string, policy metav1.DeletionPropagation) {
	f.Helper()
	f.do("DELETE", configMapPath(name), `{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"`+string(policy)+`"}`, http.StatusOK)
}

// wantLeft checks which objects exist.
func (f *family) wantLeft(names ...string) {
	f.Helper()
	for name := range f.uids {
		code := http.StatusNotFound
		if slices.Contains(names, name) {
			code = http.StatusOK
		}
		f.do("GET", configMapPath(name), "", code)
	}
}

func (f *family) owners(name string) []string {
	f.Helper()
	var owners []string
	for _, reference := range f.get(name).GetOwnerReferences() {
		owners = append(owners, reference.Name)
	}
	return owners
}

const (
	background = metav1.DeletePropagationBackground
	foreground = metav1.DeletePropagationForeground
	orphan     = metav1.DeletePropagationOrphan
)

func TestCollectorDeletesChainsInTheBackground(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.create("middle", "top")
	f.create("leaf", "middle!")
	f.create("other")
	f.create("shared", "top", "other")
	f.delete("top", background)
	f.wantLeft("other", "shared")
	if owners := f.owners("shared"); !slices.Equal(owners, []string{"other"}) {
		t.Errorf("owners of shared: %v, want other only", owners)
	}
}

func TestCollectorWaitsForFinalizers(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.update("top", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.com/x"}) })
	f.create("leaf", "top")
	f.delete("top", background)
	f.wantLeft("top", "leaf")
	f.update("top", func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
	f.wantLeft()
}

func TestCollectorForeground(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.create("blocking", "top!")
	f.create("leaf", "blocking!")
	f.create("loose", "top")
	held := []string{"example.com/x"}
	f.update("leaf", func(o *unstructured.Unstructured) { o.SetFinalizers(held) })
	f.update("loose", func(o *unstructured.Unstructured) { o.SetFinalizers(held) })
	f.delete("top", foreground)
	f.wantLeft("top", "blocking", "leaf", "loose")
	for _, name := range []string{"top", "blocking", "leaf", "loose"} {
		if f.get(name).GetDeletionTimestamp() == nil {
			t.Errorf("%s is not being deleted", name)
		}
	}
	if finalizers := f.get("blocking").GetFinalizers(); !slices.Equal(finalizers, []string{metav1.FinalizerDeleteDependents}) {
		t.Errorf("finalizers of blocking: %v", finalizers)
	}
	f.update("leaf", func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
	f.wantLeft("loose") // which does not block
	f.update("loose", func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
	f.wantLeft()
}

func TestCollectorForegroundSparesWhatHasAnotherOwner(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.create("other")
	f.create("shared", "top!", "other")
	f.delete("top", foreground)
	f.wantLeft("other", "shared")
	if owners := f.owners("shared"); !slices.Equal(owners, []string{"other"}) {
		t.Errorf("owners of shared: %v, want other only", owners)
	}
}

func TestCollectorReleasesAnOwnerThatIsUnblocked(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.create("blocking", "top!")
	f.update("blocking", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.com/x"}) })
	f.delete("top", foreground)
	f.wantLeft("top", "blocking")
	f.update("blocking", func(o *unstructured.Unstructured) {
		o.SetOwnerReferences([]metav1.OwnerReference{f.reference("top")})
	})
	f.wantLeft("blocking")
}

func TestCollectorOrphans(t *testing.T) {
	f := newFamily(t)
	f.create("top")
	f.create("leaf", "top!")
	f.delete("top", orphan)
	f.wantLeft("leaf")
	if owners := f.owners("leaf"); len(owners) > 0 {
		t.Errorf("owners of leaf: %v, want none", owners)
	}
}

func TestCollectorBreaksCircles(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{background, foreground} {
		t.Run(string(policy), func(t *testing.T) {
			f := newFamily(t)
			f.create("one")
			f.create("two", "one!")
			f.update("one", func(o *unstructured.Unstructured) {
				o.SetOwnerReferences([]metav1.OwnerReference{f.reference("two!")})
			})
			f.create("self")
			f.update("self", func(o *unstructured.Unstructured) {
				o.SetOwnerReferences([]metav1.OwnerReference{f.reference("self!")})
			})
			f.wantLeft("one", "two", "self")
			f.delete("one", policy)
			f.wantLeft("self")
			f.delete("self", background)
			f.wantLeft()
		})
	}
}

func TestCollectorLooksAtReferences(t *testing.T) {
	f := newFamily(t, apitest.WithKinds(widget))
	f.create("top")
	// What never existed, or has another UID, is no owner.
	f.create("child-of-nobody", "nobody")
	wrong := f.reference("top")
	wrong.UID = "another"
	f.createWith("wrong-uid", wrong)
	// An owner is in the namespace of its dependent, or in none.
	elsewhere := f.do("POST", "/api/v1/namespaces/b/configmaps", `{"metadata":{"name":"elsewhere"}}`, http.StatusCreated)
	f.createWith("cross-namespace", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "elsewhere", UID: elsewhere.GetUID()})
	node := f.do("POST", "/api/v1/nodes", `{"metadata":{"name":"node"}}`, http.StatusCreated)
	f.createWith("on-node", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "node", UID: node.GetUID()})
	// The collector leaves alone what it cannot resolve.
	f.createWith("unknown-kind", metav1.OwnerReference{APIVersion: "example.com/v7", Kind: "Gadget", Name: "x", UID: "x"})
	f.wantLeft("top", "on-node", "unknown-kind")
	body := `{"metadata":{"name":"pv","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"top","uid":"x"}]}}`
	f.do("POST", "/api/v1/persistentvolumes", body, http.StatusCreated)
	f.do("GET", "/api/v1/persistentvolumes/pv", "", http.StatusOK)
	// A reference that is added later counts like one from the start.
	f.create("late")
	f.update("late", func(o *unstructured.Unstructured) {
		o.SetOwnerReferences([]metav1.OwnerReference{f.reference("nobody")})
	})
	f.do("DELETE", "/api/v1/nodes/node", "", http.StatusOK)
	f.wantLeft("top", "unknown-kind")
}

func TestCollectorLeavesSeeds(t *testing.T) {
	server := apitest.Start(t)
	f := &family{client{t, server}, map[string]types.UID{}}
	child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	child.SetName("child")
	child.SetNamespace("a")
	child.SetOwnerReferences([]metav1.OwnerReference{f.reference("owner")})
	owner := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	owner.SetName("owner")
	owner.SetNamespace("a")
	owner.SetUID("uid-of-owner")
	lost := child.DeepCopy()
	lost.SetName("lost")
	lost.SetOwnerReferences([]metav1.OwnerReference{f.reference("nobody")})
	if err := server.Add(child, lost, owner); err != nil {
		t.Fatal(err)
	}
	f.uids = map[string]types.UID{"child": "", "owner": "", "lost": ""}
	f.update("lost", func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "b"}) })
	f.wantLeft("child", "owner", "lost")
	f.delete("owner", background)
	f.wantLeft("lost")
}

func TestWithoutGarbageCollection(t *testing.T) {
	f := newFamily(t, apitest.WithoutGarbageCollection())
	f.create("top")
	f.create("leaf", "top")
	f.create("child-of-nobody", "nobody")
	f.delete("top", background)
	f.wantLeft("leaf", "child-of-nobody")
}
