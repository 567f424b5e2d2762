package handlererr

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func dropped(informer cache.SharedIndexInformer) error {
	informer.AddIndexers(nil)                                   // want `the error of AddIndexers is dropped: without the index, each ByIndex of it fails`
	informer.SetTransform(nil)                                  // want `the error of SetTransform is dropped: an informer that runs already keeps whole objects`
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}) // only with -handlererr.all
	_ = informer.AddIndexers(nil)
	return informer.SetTransform(nil)
}

func own() cache.SharedIndexInformer {
	informer := cache.NewSharedIndexInformer()
	informer.SetTransform(nil)
	return informer
}

func late(factory informers.SharedInformerFactory, other informers.SharedInformerFactory, stop chan struct{}) error {
	if err := factory.Pods().Informer().AddIndexers(nil); err != nil {
		return err
	}
	factory.Start(stop)
	if err := other.Pods().Informer().AddIndexers(nil); err != nil {
		return err
	}
	if err := factory.Pods().Informer().SetTransform(nil); err != nil { // want `SetTransform returns an error, because line 26 has started the informer`
		return err
	}
	return factory.Pods().Informer().AddIndexers(nil) // want `AddIndexers returns an error, because line 26 has started the informer`
}

func pageWrong(informer cache.SharedIndexInformer, strip cache.TransformFunc) {
	informer.SetTransform(strip) // want `the error of SetTransform is dropped`
}

func pageRight(informer cache.SharedIndexInformer, strip cache.TransformFunc) error {
	err := informer.SetTransform(strip)
	return err
}
