package cachetest

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// ResponseTo returns the content of the response to a write.
func ResponseTo(obj Object) writes.Write {
	obj = obj.DeepCopy()
	obj.TypeMeta = metav1.TypeMeta{APIVersion: Widgets.GroupVersion().String(), Kind: "Widget"}
	body, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	return writes.Write{Object: *obj, Body: append(body, '\n')}
}

// Deletion returns the content of the response to a delete of an object without finalizers.
func Deletion(obj Object) writes.Write {
	return writes.Write{Gone: true, Object: metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID}}}
}
