package builtin

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

// Kinds are the built-in kinds of a server. They do not change.
type Kinds struct {
	kinds  []kind
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
}

// New returns Namespaces, Events, Leases, and the kinds of more, which are empty objects of k8s.io/api. The error
// names all objects that cannot be served.
func New(more []runtime.Object, withDefaults bool) (*Kinds, error) {
	kinds, err := kindsOf(slices.Concat(always, more))
	if err != nil {
		return nil, err
	}
	scheme, err := newScheme(kinds, withDefaults)
	if err != nil {
		return nil, err
	}
	return &Kinds{kinds: kinds, scheme: scheme, codecs: serializer.NewCodecFactory(scheme)}, nil
}

// Serves reports whether a group has built-in kinds.
func (k *Kinds) Serves(group string) bool {
	return group == eventsv1.GroupName || slices.ContainsFunc(k.kinds, func(kind kind) bool { return kind.Group == group })
}

// Paths returns the path by which all objects of a kind are listed, for each kind.
func (k *Kinds) Paths() []string {
	var paths []string
	for _, kind := range k.kinds {
		prefix := genericapiserver.APIGroupPrefix + "/" + kind.Group
		if kind.Group == corev1.GroupName {
			prefix = genericapiserver.DefaultLegacyAPIPrefix
		}
		paths = append(paths, prefix+"/"+kind.Version+"/"+kind.resource)
	}
	return paths
}

// Has reports whether a kind is among them.
func (k *Kinds) Has(gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(k.kinds, func(kind kind) bool { return kind.GroupVersionKind == gvk })
}

// Observers follow writes.
type Observers struct {
	Namespaces *Presence
	// Webhooks is called before a write of a webhook configuration is answered. It may be nil.
	Webhooks func(written runtime.Object)
}

// Install adds the kinds to a server. They are kept in the etcd of the options.
func (k *Kinds) Install(server *genericapiserver.GenericAPIServer, etcd genericoptions.EtcdOptions, observers Observers) (*Namespaces, error) {
	storages, err := k.storages(etcd, observers)
	if err != nil {
		return nil, err
	}
	for _, group := range k.groups() {
		info := genericapiserver.NewDefaultAPIGroupInfo(group, k.scheme, runtime.NewParameterCodec(k.scheme), k.codecs)
		for _, version := range info.PrioritizedVersions {
			info.VersionedResourcesStorageMap[version.Version] = storages[version]
		}
		if group == corev1.GroupName {
			err = server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, &info)
		} else {
			err = server.InstallAPIGroup(&info)
		}
		if err != nil {
			return nil, fmt.Errorf("install the built-in kinds of group %q: %w", group, err)
		}
	}
	return storages[corev1.SchemeGroupVersion]["namespaces"].(*Namespaces), nil
}

// groups are the groups of the kinds, each once.
func (k *Kinds) groups() []string {
	groups := []string{corev1.GroupName, eventsv1.GroupName}
	for _, kind := range k.kinds {
		if !slices.Contains(groups, kind.Group) {
			groups = append(groups, kind.Group)
		}
	}
	return groups
}

// storages returns the storage of each resource and subresource, by version.
func (k *Kinds) storages(etcd genericoptions.EtcdOptions, observers Observers) (map[schema.GroupVersion]map[string]rest.Storage, error) {
	options := k.restOptions(etcd)
	storages := map[schema.GroupVersion]map[string]rest.Storage{}
	for _, kind := range k.kinds {
		resource, err := newResource(kind, k.scheme, options)
		if err != nil {
			return nil, err
		}
		version := storages[kind.GroupVersion()]
		if version == nil {
			version = map[string]rest.Storage{}
			storages[kind.GroupVersion()] = version
		}
		version[kind.resource] = resource
		switch kind.GroupKind() {
		case namespaceKind:
			version[kind.resource] = newNamespaces(resource, observers.Namespaces)
		case MutatingWebhooks.GroupKind(), ValidatingWebhooks.GroupKind():
			if observers.Webhooks != nil {
				resource.observe(observers.Webhooks)
			}
		case eventKind:
			storages[eventsv1.SchemeGroupVersion] = map[string]rest.Storage{kind.resource: resource}
		}
		if kind.hasStatus {
			version[kind.resource+"/status"] = resource.status()
		}
	}
	return storages, nil
}

// restOptions says where and how the kinds are stored: in their versions, as protobuf.
func (k *Kinds) restOptions(etcd genericoptions.EtcdOptions) generic.RESTOptionsGetter {
	var versions schema.GroupVersions
	for _, kind := range k.kinds {
		versions = append(versions, kind.GroupVersion())
	}
	protobuf, ok := runtime.SerializerInfoForMediaType(k.codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		panic("builtin: k8s.io/apimachinery no longer encodes protobuf")
	}
	config := etcd.StorageConfig
	config.Codec = k.codecs.CodecForVersions(protobuf.Serializer, k.codecs.UniversalDeserializer(), versions, runtime.InternalGroupVersioner)
	return etcd.CreateRESTOptionsGetter(&genericoptions.SimpleStorageFactory{StorageConfig: config}, nil)
}
