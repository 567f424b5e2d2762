//go:build published

// The packages of published projects that generators are compared with; the tag is
// never set, so that only the go command reads this file.
package compare

import (
	_ "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
)
