package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the version of this package.
var SchemeGroupVersion = schema.GroupVersion{Group: "kit.example.com", Version: "v1"}

// AddToScheme adds the types to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Kit{}, &KitList{}, &Drawer{}, &DrawerList{}, &Locker{}, &LockerList{}, &Sticker{}, &StickerList{}, &Scale{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
