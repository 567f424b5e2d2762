package builder

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type Builder struct{}

func ControllerManagedBy(manager manager.Manager) *Builder { return nil }

func (b *Builder) For(object client.Object) *Builder  { return b }
func (b *Builder) Owns(object client.Object) *Builder { return b }
