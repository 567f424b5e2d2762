package kubetest

import (
	"maps"
	"slices"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// TestKubebuilder runs the project in test/kubebuilder with controller-runtime's cache, with ours,
// and with ours when it reads the manager's writes, each with a server of its own. It compares all
// objects after each step, and what the controllers have logged.
func TestKubebuilder(t *testing.T) {
	binaries := buildManagers(t)
	plays := map[string]*play{}
	t.Run("with", func(t *testing.T) {
		for _, cache := range caches {
			p := &play{}
			plays[cache] = p
			t.Run(cache, func(t *testing.T) {
				t.Parallel()
				p.begin(t, binaries[cache])
				p.run(t)
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, cache := range caches[1:] {
		compare(t, caches[0], cache, plays[caches[0]], plays[cache])
	}
}

// compare compares the plays of two caches.
func compare(t *testing.T, theirName, ourName string, theirs, ours *play) {
	t.Helper()
	for i, step := range theirs.steps {
		if difference := udiff.Unified(theirName, ourName, step.objects, ours.steps[i].objects); difference != "" {
			t.Errorf("after the step %q the objects differ:\n%s", step.name, difference)
		}
	}
	outcomes, others := theirs.manager.outcomes, ours.manager.outcomes
	for _, object := range slices.Sorted(maps.Keys(outcomes)) {
		if !slices.Equal(outcomes[object], others[object]) {
			t.Errorf("outcomes of %s with\n%-18s %q\n%-18s %q", object, theirName, outcomes[object], ourName, others[object])
		}
	}
	if len(outcomes) != len(others) {
		t.Errorf("the controllers have reconciled %d objects with %s, and %d with %s", len(outcomes), theirName, len(others), ourName)
	}
}

// run is the scenario. The test writes the status of Deployments, because the server has no
// controllers. Each step ends when the status of all sites and themes is as written here.
func (p *play) run(t *testing.T) {
	// A CRD and a right are missing at first. Both caches log it, and go on when they are there.
	p.install(t, "sites")
	p.allow(t, allButSecrets)
	stop := p.start(t)
	p.manager.await(t, "themes cannot be watched", func() bool { return p.manager.logged("no matches for kind \"Theme\"") })
	p.manager.await(t, "secrets cannot be watched", func() bool { return p.manager.logged("secrets is forbidden") })
	p.site(t, "team-a/early", `{"theme": "none"}`)
	p.install(t, "themes")
	p.allow(t, all)
	p.step(t, "late CRD, late right", `
		team-a/early: ThemeNotFound 0`)

	p.theme(t, "team-a/dark", "black")
	p.theme(t, "team-a/light", "white")
	p.theme(t, "team-b/light", "yellow")
	p.step(t, "themes", `
		team-a/early: ThemeNotFound 0
		team-a/dark: [] 0
		team-a/light: [] 0
		team-b/light: [] 0`)

	p.site(t, "team-a/web", `{"theme": "light", "replicas": 2}`)
	p.site(t, "team-a/shop", `{"theme": "dark", "certificateSecret": "shop"}`)
	p.site(t, "team-b/web", `{"theme": "light"}`)
	p.step(t, "sites", `
		team-a/early: ThemeNotFound 0
		team-a/shop: CertificateNotFound 0
		team-a/web: Progressing 0
		team-b/web: Progressing 0
		team-a/dark: [shop] 0
		team-a/light: [web] 0
		team-b/light: [web] 0`)

	p.ready(t, "team-a/web", 2)
	p.ready(t, "team-b/web", 1)
	p.step(t, "status of an owned object", `
		team-a/early: ThemeNotFound 0
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 white
		team-b/web: Available 1 yellow
		team-a/dark: [shop] 0
		team-a/light: [web] 2
		team-b/light: [web] 1`)

	p.patch(t, "themes", "team-a/light", `{"spec": {"color": "gray"}}`)
	p.patch(t, "sites", "team-b/web", `{"spec": {"replicas": 3}}`)
	p.patch(t, "sites", "team-a/early", `{"spec": {"theme": "dark"}}`)
	p.step(t, "changes", `
		team-a/early: Progressing 0
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 gray
		team-b/web: Progressing 1
		team-a/dark: [early shop] 0
		team-a/light: [web] 2
		team-b/light: [web] 1`)

	// The cache has only Secrets with a label.
	p.create(t, "secrets", "team-a/shop", `{"stringData": {"tls.crt": "x"}}`)
	seen := p.manager.reconciles("site team-a/shop")
	p.patch(t, "sites", "team-a/shop", `{"metadata": {"annotations": {"try": "again"}}}`)
	p.manager.await(t, "the shop is tried again", func() bool { return p.manager.reconciles("site team-a/shop") > seen })
	p.patch(t, "secrets", "team-a/shop", `{"metadata": {"labels": {"web.example.com/certificate": "true"}}}`)
	p.ready(t, "team-a/early", 1)
	p.step(t, "object that begins to match a selector", `
		team-a/early: Available 1 black
		team-a/shop: Progressing 0
		team-a/web: Available 2 gray
		team-b/web: Progressing 1
		team-a/dark: [early shop] 1
		team-a/light: [web] 2
		team-b/light: [web] 1`)
	p.ready(t, "team-a/shop", 1)
	p.step(t, "status of one more object", `
		team-a/early: Available 1 black
		team-a/shop: Available 1 black
		team-a/web: Available 2 gray
		team-b/web: Progressing 1
		team-a/dark: [early shop] 2
		team-a/light: [web] 2
		team-b/light: [web] 1`)
	p.patch(t, "secrets", "team-a/shop", `{"metadata": {"labels": {"web.example.com/certificate": null}}}`)
	p.step(t, "object that ceases to match a selector", `
		team-a/early: Available 1 black
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 gray
		team-b/web: Progressing 1
		team-a/dark: [early shop] 2
		team-a/light: [web] 2
		team-b/light: [web] 1`)

	// The controller watches the metadata of ConfigMaps, and reads Deployments in two forms.
	page := p.uid(t, "configmaps", "team-a/web")
	p.delete(t, "configmaps", "team-a/web")
	p.manager.await(t, "the page is there again", func() bool { return p.replaced(t, "configmaps", "team-a/web", page) })
	deployment := p.uid(t, "deployments", "team-b/web")
	p.delete(t, "deployments", "team-b/web")
	p.manager.await(t, "the Deployment is there again", func() bool { return p.replaced(t, "deployments", "team-b/web", deployment) })
	p.patch(t, "deployments", "team-a/web", `{"spec": {"replicas": 7}}`)
	p.patch(t, "configmaps", "team-a/early", `{"data": {"index.html": "spoiled"}}`)
	p.manager.await(t, "the page and the Deployment are repaired", func() bool {
		return p.has(t, "deployments", "team-a/web", int64(2), "spec", "replicas") &&
			p.has(t, "configmaps", "team-a/early", `<body style="color:black">early</body>`, "data", "index.html")
	})
	p.step(t, "repairs", `
		team-a/early: Available 1 black
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 gray
		team-b/web: Progressing 0
		team-a/dark: [early shop] 2
		team-a/light: [web] 2
		team-b/light: [web] 0`)

	// The manager stops, and starts again with some namespaces only.
	stop()
	p.theme(t, "team-c/light", "white")
	p.site(t, "team-c/web", `{"theme": "light"}`)
	p.site(t, "team-b/new", `{"theme": "light"}`)
	p.patch(t, "themes", "team-b/light", `{"spec": {"color": "orange"}}`)
	p.delete(t, "sites", "team-a/early")
	p.delete(t, "themes", "team-a/light")
	p.delete(t, "configmaps", "team-a/web")
	stop = p.start(t, "--namespaces=team-a,team-b")
	p.step(t, "restart of the manager, with two namespaces", `
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 gray
		team-b/new: Progressing 0
		team-b/web: Progressing 0
		team-c/web: pending
		team-a/dark: [shop] 1
		team-a/light: [web] 2, deleted
		team-b/light: [new web] 0
		team-c/light: pending`)

	if err := p.server.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	p.patch(t, "sites", "team-a/web", `{"spec": {"theme": "dark"}}`)
	p.patch(t, "themes", "team-b/light", `{"spec": {"color": "red"}}`)
	p.delete(t, "sites", "team-b/new")
	p.delete(t, "configmaps", "team-b/web")
	p.ready(t, "team-b/web", 3)
	p.step(t, "restart of the server", `
		team-a/shop: CertificateNotFound 0
		team-a/web: Available 2 black
		team-b/web: Available 3 red
		team-c/web: pending
		team-a/dark: [shop web] 3
		team-b/light: [web] 3
		team-c/light: pending`)

	for _, theme := range []string{"team-a/dark", "team-b/light"} {
		p.delete(t, "themes", theme)
	}
	for _, site := range []string{"team-a/shop", "team-a/web", "team-b/web"} {
		p.delete(t, "sites", site)
	}
	p.step(t, "end", `
		team-c/web: pending
		team-c/light: pending`)
	stop()
}
