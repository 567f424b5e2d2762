package handler

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

type Funcs struct {
	CreateFunc func(context.Context, event.CreateEvent)
}

type MapFunc func(context.Context, client.Object) []string

func EnqueueRequestsFromMapFunc(f MapFunc) any { return nil }
