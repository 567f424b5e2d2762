// Package discovery describes the resources of a server, in the documents that clients read at /api
// and /apis: one for each group and version, and the aggregated ones of
// [KEP-3352]. Its functions are pure.
//
// [KEP-3352]: https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/3352-aggregated-discovery
package discovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/typedinformers/informer-gen/apitest/internal/openapi"
)

// Resource is a resource in one version.
type Resource struct {
	schema.GroupVersionKind
	Name, Singular         string
	ShortNames, Categories []string
	Namespaced             bool
	Verbs                  []string
	Subresources           []Subresource
	// Virtual reports that the server does not store the objects.
	Virtual bool
}

// Subresource is a part of an object with a URL of its own. Its kind is the kind of the requests and
// responses.
type Subresource struct {
	schema.GroupVersionKind
	Name  string
	Verbs []string
}

// Groups are the resources of a server, by group and version. They do not change.
type Groups struct {
	groups []group
}

type group struct {
	name     string
	versions []groupVersion // the preferred one is the first
}

type groupVersion struct {
	name      string
	resources []Resource // by name
}

// New sorts resources into groups. Groups keep the order in which they come. The versions of a
// group begin with the newest stable one, as those of a CustomResourceDefinition do.
func New(resources []Resource) *Groups {
	g := &Groups{}
	for _, r := range resources {
		v := g.version(r.Group, r.Version)
		v.resources = append(v.resources, r)
	}
	for i := range g.groups {
		versions := g.groups[i].versions
		slices.SortStableFunc(versions, func(a, b groupVersion) int {
			return version.CompareKubeAwareVersionStrings(b.name, a.name)
		})
		for _, v := range versions {
			slices.SortStableFunc(v.resources, func(a, b Resource) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return g
}

// version returns the version of a group, which it adds if it is new.
func (g *Groups) version(groupName, name string) *groupVersion {
	i := slices.IndexFunc(g.groups, func(known group) bool { return known.name == groupName })
	if i < 0 {
		i = len(g.groups)
		g.groups = append(g.groups, group{name: groupName})
	}
	known := &g.groups[i]
	j := slices.IndexFunc(known.versions, func(v groupVersion) bool { return v.name == name })
	if j < 0 {
		j = len(known.versions)
		known.versions = append(known.versions, groupVersion{name: name})
	}
	return &known.versions[j]
}

func (g *Groups) find(name string) *group {
	i := slices.IndexFunc(g.groups, func(known group) bool { return known.name == name })
	if i < 0 {
		return nil
	}
	return &g.groups[i]
}

// serverAddresses tells every client to go on with the address it has.
func serverAddresses(host string) []metav1.ServerAddressByClientCIDR {
	return []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: host}}
}

// Versions is the document at /api.
func (g *Groups) Versions(host string) *metav1.APIVersions {
	return &metav1.APIVersions{
		TypeMeta:                   metav1.TypeMeta{Kind: "APIVersions"},
		Versions:                   []string{"v1"},
		ServerAddressByClientCIDRs: serverAddresses(host),
	}
}

// List is the document at /apis.
func (g *Groups) List() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for _, known := range g.groups {
		if known.name != "" {
			list.Groups = append(list.Groups, known.document())
		}
	}
	return list
}

// Group is the document at /apis/NAME. It is nil if there is no such group.
func (g *Groups) Group(name string) *metav1.APIGroup {
	known := g.find(name)
	if known == nil || name == "" {
		return nil
	}
	document := known.document()
	document.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
	return &document
}

func (g *group) document() metav1.APIGroup {
	document := metav1.APIGroup{Name: g.name}
	for _, v := range g.versions {
		document.Versions = append(document.Versions, metav1.GroupVersionForDiscovery{
			GroupVersion: schema.GroupVersion{Group: g.name, Version: v.name}.String(), Version: v.name,
		})
	}
	document.PreferredVersion = document.Versions[0]
	return document
}

// Resources is the document at /api/v1 and /apis/GROUP/VERSION. It is nil if there is no such
// version.
func (g *Groups) Resources(gv schema.GroupVersion) *metav1.APIResourceList {
	known := g.find(gv.Group)
	if known == nil {
		return nil
	}
	i := slices.IndexFunc(known.versions, func(v groupVersion) bool { return v.name == gv.Version })
	if i < 0 {
		return nil
	}
	list := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
		APIResources: []metav1.APIResource{},
	}
	if gv.Group == "" {
		list.APIVersion = "" // as kube-apiserver has it since Kubernetes 1.1
	}
	for _, r := range known.versions[i].resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.Name, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind, Verbs: r.Verbs,
			ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: known.storageVersionHash(r),
		})
		for _, sub := range r.Subresources {
			resource := metav1.APIResource{Name: r.Name + "/" + sub.Name, Namespaced: r.Namespaced, Kind: sub.Kind, Verbs: sub.Verbs}
			if sub.GroupVersion() != gv {
				resource.Group, resource.Version = sub.Group, sub.Version
			}
			list.APIResources = append(list.APIResources, resource)
		}
	}
	return list
}

// storageVersionHash names the version in which objects are stored. A server of tests stores each
// in the version in which it was written, so that the preferred version stands for all of them.
func (g *group) storageVersionHash(r Resource) string {
	if r.Virtual {
		return ""
	}
	for _, v := range g.versions {
		if slices.ContainsFunc(v.resources, func(other Resource) bool { return other.Name == r.Name }) {
			hash := sha256.Sum256([]byte(strings.Join([]string{r.Group, v.name, r.Kind}, "/")))
			return base64.StdEncoding.EncodeToString(hash[:8])
		}
	}
	return ""
}

// Paths are the paths of all documents, in alphabetical order.
func (g *Groups) Paths() []string {
	paths := []string{"/api", "/apis", "/healthz", "/livez", openapi.Version2Path, openapi.Root, "/readyz", "/version"}
	for _, known := range g.groups {
		prefix := "/api"
		if known.name != "" {
			prefix = "/apis/" + known.name
			paths = append(paths, prefix)
		}
		for _, v := range known.versions {
			paths = append(paths, prefix+"/"+v.name)
		}
	}
	slices.Sort(paths)
	return paths
}
