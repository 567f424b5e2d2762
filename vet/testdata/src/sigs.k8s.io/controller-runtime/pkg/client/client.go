package client

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type ObjectKey struct{ Namespace, Name string }

type Object interface {
	metav1.Object
	runtime.Object
}

type ObjectList interface{ runtime.Object }

type (
	GetOption    interface{ applyToGet() }
	ListOption   interface{ applyToList() }
	UpdateOption interface{ applyToUpdate() }
)

type InNamespace string

func (InNamespace) applyToList() {}

type MatchingFields map[string]string

func (MatchingFields) applyToList() {}

type UnsafeDisableDeepCopyOption bool

func (UnsafeDisableDeepCopyOption) applyToList() {}

const UnsafeDisableDeepCopy = UnsafeDisableDeepCopyOption(true)

type Reader interface {
	Get(ctx context.Context, key ObjectKey, obj Object, opts ...GetOption) error
	List(ctx context.Context, list ObjectList, opts ...ListOption) error
}

type Writer interface {
	Update(ctx context.Context, obj Object, opts ...UpdateOption) error
}

type Client interface {
	Reader
	Writer
}

type CacheOptions struct{ DisableFor []Object }

type Options struct{ Cache *CacheOptions }
