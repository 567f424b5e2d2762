package decide

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// restClientMethod is the method of a client that returns its REST client.
const restClientMethod = "RESTClient"

// checkClientset refuses a clientset that exists and lacks a client that an informer needs. It sets the
// client of each view whose kind is not in the packages.
func (a *assembly) checkClientset() {
	clientset := a.clientset
	if clientset == nil {
		return
	}
	if clientset.Problem != "" {
		a.errs.Add(token.Position{}, "--versioned-clientset-package=%s cannot be used: %s", clientset.Path, clientset.Problem)
		return
	}
	if reason, fix := a.notImportable(&input.Package{Path: clientset.Path, Name: clientset.Name}); reason != "" {
		a.errs.Add(token.Position{}, "generated code in %s cannot import --versioned-clientset-package=%s, because %s; %s",
			cmp.Or(a.Layout.OutputPackage, "the output folder"), clientset.Path, reason,
			strings.Replace(fix, "its types", "the clientset", 1))
		return
	}
	if clientset.Clients[input.DiscoveryMethod] == nil {
		a.errs.Add(token.Position{}, "--versioned-clientset-package=%s cannot be used: its Interface has no method %s; "+
			"name a package that client-gen or informer-gen has written", clientset.Path, input.DiscoveryMethod)
		return
	}
	for _, group := range a.sortedGroups() {
		for _, gv := range group.Versions {
			a.checkClient(gv)
			for _, view := range gv.Views {
				a.linkClient(view)
			}
		}
	}
}

// checkClient refuses a group version without a client, and its kinds without one.
func (a *assembly) checkClient(gv *model.GroupVersion) {
	informed := slices.DeleteFunc(slices.Clone(gv.Kinds), func(k *model.Kind) bool { return !k.HasInformer() })
	if len(informed) == 0 {
		return
	}
	client := a.clientset.Clients[gv.GoName()]
	a.pkg = a.described(informed[0].Package.Path)
	if client == nil {
		lacks, fix := a.otherClients(gv)
		var paths []string
		for _, p := range gv.Packages {
			paths = append(paths, p.Path)
		}
		a.errs.Add(gv.Pos(), "package %s has no client for version %s of group %q: its Interface has no method %s%s; "+
			"use a clientset with this group and version, %sor leave the package out with --exclude=%s",
			a.clientset.Path, gv.Version, gv.Group.Name, gv.GoName(), lacks, fix, strings.Join(paths, ","))
		return
	}
	if client.Problem != "" {
		a.errs.Add(gv.Pos(), "cannot read %s, which %s of package %s returns: %s", client.Type.Name, gv.GoName(), a.clientset.Path,
			client.Problem)
		return
	}
	if !hasMethod(client, restClientMethod, 0) {
		a.errs.Add(gv.Pos(), "%s has no method %s, with which informers request %s of group %q; "+
			"use a clientset that client-gen has written", client.Type.Name, restClientMethod, gv.Version, gv.Group.Name)
		return
	}
	for _, k := range informed {
		a.pkg = a.described(k.Package.Path)
		a.checkGetter(k, client)
	}
}

// checkGetter refuses a kind for which the client of its group version has no method, or one with another
// scope.
func (a *assembly) checkGetter(k *model.Kind, client *input.Client) {
	leaveOut := "leave it out with --exclude=" + k.Package.Path + "." + k.Name
	params, ok := client.Params[k.Plural]
	switch {
	case !ok:
		lacks, getters := "", slices.DeleteFunc(slices.Sorted(maps.Keys(client.Params)),
			func(name string) bool { return name == restClientMethod })
		if len(getters) > 0 {
			lacks = ", only " + strings.Join(getters, ", ")
		}
		fix := fmt.Sprintf("if %s has another plural there, use --plural-exceptions=%s:SomePlural", k.Name, k.Name)
		if meant := spelling.Nearest(k.Plural, getters); meant != "" {
			fix = fmt.Sprintf("use --plural-exceptions=%s:%s if that is its client", k.Name, meant)
		}
		a.errs.Add(k.Pos, "kind %s has no client in package %s: %s has no method %s%s; %s, or %s", k.Name, a.clientset.Path,
			client.Type.Name, k.Plural, lacks, fix, leaveOut)
	case params > 1:
		a.errs.Add(k.Pos, "method %s of %s has %d parameters, but the client of a kind needs a namespace or nothing; "+
			"use a clientset that client-gen has written, or %s", k.Plural, client.Type.Name, params, leaveOut)
	case k.Namespaced && params == 0:
		a.errs.Add(k.Pos, "kind %s is namespaced, but method %s of %s has no parameter for the namespace; %s", k.Name, k.Plural,
			client.Type.Name, a.advice("make the kind cluster-scoped by its markers, or "+leaveOut, leaveOut))
	case !k.Namespaced && params == 1:
		a.errs.Add(k.Pos, "kind %s is cluster-scoped, but method %s of %s takes a namespace; %s", k.Name, k.Plural, client.Type.Name,
			a.advice("make the kind namespaced by its markers, or "+leaveOut, leaveOut))
	}
}

// otherClients returns the methods that the clientset has instead of the one for gv, and the fix if one of
// them is for its group. It prefers methods for the same version.
func (a *assembly) otherClients(gv *model.GroupVersion) (instead, fix string) {
	var same, all []string
	ofGroup := "use " + groupGoNameFlag(gv.Group.Name) + " if one of them is for this group, "
	for _, name := range slices.Sorted(maps.Keys(a.clientset.Clients)) {
		if name == input.DiscoveryMethod {
			continue
		}
		all = append(all, name)
		goName, isVersion := strings.CutSuffix(name, gv.GoVersion)
		if !isVersion || goName == "" {
			continue
		}
		same = append(same, name)
		if strings.HasSuffix(a.clientset.Clients[name].Type.Path, "/typed/"+gv.Group.Dir+"/"+gv.Dir) {
			ofGroup = "use --group-go-names=" + gv.Group.Name + ":" + goName + " if " + name + " is for it, "
		}
	}
	switch {
	case len(same) > 0:
		return ", only " + strings.Join(same, ", "), ofGroup
	case len(all) > 0:
		return ", only " + strings.Join(all, ", "), ""
	}
	return "", ""
}

// linkClient sets the Client of a view whose kind is not in the packages.
func (a *assembly) linkClient(view *model.Kind) {
	v := view.View
	if v.Kind != nil {
		return
	}
	pkg := a.described(v.Of.Path)
	goName, _, ok := a.elsewhere(pkg).groupGoName(pkg, v.Group)
	if !ok {
		return
	}
	gv := &model.GroupVersion{Group: &model.Group{Name: v.Group, GoName: goName}, Version: v.Version, GoVersion: goVersion(v.Version)}
	kind := &model.Kind{GroupVersion: gv, Name: v.Of.Name, Plural: a.naming.goPlural(v.Of.Name), Namespaced: view.Namespaced}
	params := 0
	if kind.Namespaced {
		params = 1
	}
	client := a.clientset.Clients[gv.GoName()]
	if client != nil && hasMethod(client, restClientMethod, 0) && hasMethod(client, kind.Plural, params) {
		v.Client = kind
	}
}

// hasMethod reports whether a client has a method with that number of parameters.
func hasMethod(client *input.Client, name string, params int) bool {
	n, ok := client.Params[name]
	return ok && n == params
}
