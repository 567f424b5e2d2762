package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GroupList is an APIGroupDiscoveryList of apidiscovery.k8s.io/v2. The types
// of k8s.io/api are not used, because programs that need no built-in kinds should not get that module
// from here.
type GroupList struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ListMeta  `json:"metadata"`
	Items           []GroupDiscovery `json:"items"`
}

// GroupDiscovery is a group in a GroupList.
type GroupDiscovery struct {
	Metadata metav1.ObjectMeta  `json:"metadata"`
	Versions []VersionDiscovery `json:"versions,omitempty"`
}

// VersionDiscovery is a version in a GroupList.
type VersionDiscovery struct {
	Version   string              `json:"version"`
	Resources []ResourceDiscovery `json:"resources,omitempty"`
	Freshness string              `json:"freshness,omitempty"`
}

// ResourceDiscovery is a resource in a GroupList.
type ResourceDiscovery struct {
	Resource         string                   `json:"resource"`
	ResponseKind     *metav1.GroupVersionKind `json:"responseKind,omitempty"`
	Scope            string                   `json:"scope"`
	SingularResource string                   `json:"singularResource"`
	Verbs            []string                 `json:"verbs"`
	ShortNames       []string                 `json:"shortNames,omitempty"`
	Categories       []string                 `json:"categories,omitempty"`
	Subresources     []SubresourceDiscovery   `json:"subresources,omitempty"`
}

// SubresourceDiscovery is a subresource in a GroupList.
type SubresourceDiscovery struct {
	Subresource  string                   `json:"subresource"`
	ResponseKind *metav1.GroupVersionKind `json:"responseKind,omitempty"`
	Verbs        []string                 `json:"verbs"`
}

// Aggregated is the document at /api, which has the group without a name, or at /apis, which has
// all others.
func (g *Groups) Aggregated(legacy bool) *GroupList {
	list := &GroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
		Items:    []GroupDiscovery{},
	}
	for _, known := range g.groups {
		if (known.name == "") == legacy {
			list.Items = append(list.Items, known.aggregated())
		}
	}
	return list
}

func (g *group) aggregated() GroupDiscovery {
	discovered := GroupDiscovery{Metadata: metav1.ObjectMeta{Name: g.name}}
	for _, v := range g.versions {
		next := VersionDiscovery{Version: v.name, Freshness: "Current"}
		for _, r := range v.resources {
			next.Resources = append(next.Resources, r.aggregated())
		}
		discovered.Versions = append(discovered.Versions, next)
	}
	return discovered
}

func (r *Resource) aggregated() ResourceDiscovery {
	discovered := ResourceDiscovery{
		Resource: r.Name, SingularResource: r.Singular, Scope: "Cluster", Verbs: r.Verbs,
		ResponseKind: (*metav1.GroupVersionKind)(&r.GroupVersionKind), ShortNames: r.ShortNames, Categories: r.Categories,
	}
	if r.Namespaced {
		discovered.Scope = "Namespaced"
	}
	for i := range r.Subresources {
		sub := &r.Subresources[i]
		discovered.Subresources = append(discovered.Subresources, SubresourceDiscovery{
			Subresource: sub.Name, ResponseKind: (*metav1.GroupVersionKind)(&sub.GroupVersionKind), Verbs: sub.Verbs,
		})
	}
	return discovered
}
