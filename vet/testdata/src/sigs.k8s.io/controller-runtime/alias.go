package controllerruntime

import (
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type (
	Options = manager.Options
	Manager = manager.Manager
)

var (
	NewManager             = manager.New
	NewControllerManagedBy = builder.ControllerManagedBy
)
