package shard

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/shard/internal/member"
)

// TestCrowd: someone makes Leases of members that do not exist. They get no slot, and Status says what to do.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p, _ := one(t, options("pod-a"))
		var made []string
		for i := range member.MaxMembers {
			name := leaseName(p.options.Name, fmt.Sprintf("0-made-up-%d", i))
			holder, seconds := fmt.Sprintf("0-made-up-%d/1", i), int32(15)
			_, err := p.leases.client.Create(t.Context(), &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{groupLabel: p.options.Name}},
				Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds},
			}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, name)
		}
		time.Sleep(5 * time.Second)
		if err := p.Status().Err; err == nil || !strings.Contains(err.Error(), "has 501 members, more than 500") || !strings.Contains(err.Error(), "delete the Leases with the label") {
			t.Errorf("Status().Err is %v", err)
		}
		if status := p.Status(); status.Owned != status.Slots {
			t.Errorf("pod-a has %+v", status)
		}
		for _, name := range made {
			if err := p.leases.client.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		if err := p.Status().Err; err != nil {
			t.Errorf("without them Status().Err is %v", err)
		}
		g.settled("pod-a")
	})
}
