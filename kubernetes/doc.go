// Package kubernetes has no code. The packages below it are the informers and the listers of all built-in
// kinds, which list and watch with the clientset of client-go, real or fake:
//
//	informers/externalversions            the factory of all kinds: NewSharedInformerFactory, Join
//	informers/externalversions/core/v1    PodInformer and PodKind, and those of the other kinds
//	listers/core/v1                       PodLister
//
// They have every kind of kubernetes.Interface that can be listed and watched. informer-gen generates them
// with --versioned-clientset-package, so that a program for built-in kinds has nothing to generate.
package kubernetes
