package manager

import (
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type Options struct {
	LeaderElectionID string
	Cache            cache.Options
	Client           client.Options
}

type Manager interface{ GetClient() client.Client }

func New(config any, options Options) (Manager, error) { return nil, nil }
