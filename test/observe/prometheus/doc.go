// Package prometheus tests the metrics, the alerts and the dashboard of module observe/metrics
// with a real Prometheus, and the Collector in the registry of controller-runtime. It has tests
// only.
package prometheus
