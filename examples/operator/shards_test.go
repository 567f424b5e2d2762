package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// TestSharesAfterALeader starts a process with shards where there was a leader, whose Lease is still there. Its metrics
// tell what it has.
func TestSharesAfterALeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		leader := stand(t, server, "leader", 0)
		time.Sleep(time.Second)
		leader.stop()
		<-leader.over

		config := &rest.Config{Host: server.URL(), Transport: server}
		c, err := join(config, "operators", options{shardKey: sharding.Owner, identity: "one", leaseDuration: leaseDuration})
		if err != nil {
			t.Fatal(err)
		}
		metrics := shardMetrics(c, informers.NewSharedInformerFactory(fake.NewClientset(), 0))
		expect := func(when string, want map[string]float64) {
			t.Helper()
			got := gather(t, metrics)
			for name, value := range want {
				if now, ok := got[name]; !ok || now != value {
					t.Errorf("%s: %s is %v, want %v", when, name, now, value)
				}
			}
		}
		expect("before the start", map[string]float64{
			"operator_owned_databases": 0, "operator_shard_slots owned": 0, "operator_shard_group_slots": 256, "operator_shard_renewed_timestamp_seconds": 0,
			"operator_shard_gained_slots_total": 0, "operator_shard_lost_slots_total": 0, "operator_shard_lapses_total": 0,
		})
		ctx, stop := context.WithCancel(t.Context())
		shared := make(chan error, 1)
		go func() {
			shared <- share(ctx, c, func(ctx context.Context) error { <-ctx.Done(); return nil })
		}()
		time.Sleep(time.Minute)
		expect("alone", map[string]float64{
			"operator_shard_slots owned": 256, "operator_shard_slots syncing": 0, "operator_shard_slots draining": 0,
			"operator_shard_gained_slots_total": 256, "operator_shard_lost_slots_total": 0, "operator_shard_lapses_total": 0,
		})
		renewed := gather(t, metrics)["operator_shard_renewed_timestamp_seconds"]
		if ago := float64(time.Now().UnixMilli())/1000 - renewed; ago < 0 || ago > 3 {
			t.Errorf("the last renewal was %v seconds ago", ago)
		}

		// Someone deletes the Leases.
		if err := kubeOf(server).CoordinationV1().Leases("operators").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		expect("after a lapse", map[string]float64{
			"operator_shard_slots owned": 256, "operator_shard_gained_slots_total": 512, "operator_shard_lost_slots_total": 256, "operator_shard_lapses_total": 1,
		})
		stop()
		if err := <-shared; err != nil {
			t.Errorf("share returned %v", err)
		}
	})
}

// gather returns the values of metrics, by name and label.
func gather(t *testing.T, metrics []prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += " " + label.GetValue()
			}
			values[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			if m.GetCounter() == nil == strings.HasSuffix(family.GetName(), "_total") {
				t.Errorf("%s is a %v", name, family.GetType())
			}
		}
	}
	return values
}
