package apiclients

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSubresources calls the methods of client-go for subresources of built-in kinds, in JSON and in protobuf.
func TestSubresources(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		t.Run(contentType, func(t *testing.T) {
			_, config := start(t)
			config.ContentType = contentType
			client, ctx := clientset(t, config), context.Background()
			core := client.CoreV1()
			meta := metav1.ObjectMeta{Name: "one", Namespace: "a"}

			if _, err := core.Pods("a").Create(ctx, &corev1.Pod{ObjectMeta: meta, Status: corev1.PodStatus{Phase: corev1.PodRunning}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			binding := &corev1.Binding{ObjectMeta: meta, Target: corev1.ObjectReference{Kind: "Node", Name: "node"}}
			if err := core.Pods("a").Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := core.Pods("a").Bind(ctx, binding, metav1.CreateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("bound twice: %v", err)
			}
			pod, err := core.Pods("a").Get(ctx, "one", metav1.GetOptions{})
			if err != nil || pod.Spec.NodeName != "node" {
				t.Fatalf("bound: %q %v", pod.Spec.NodeName, err)
			}
			uid := pod.UID + "x"
			eviction := &policyv1.Eviction{ObjectMeta: meta, DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}}
			if err := core.Pods("a").EvictV1(ctx, eviction); !apierrors.IsConflict(err) {
				t.Errorf("evicted with another UID: %v", err)
			}
			eviction.DeleteOptions = nil
			if err := core.Pods("a").EvictV1(ctx, eviction); err != nil {
				t.Fatal(err)
			}
			if pod, err := core.Pods("a").Get(ctx, "one", metav1.GetOptions{}); err != nil || pod.DeletionTimestamp == nil {
				t.Errorf("evicted, until the kubelet is done: %v %v", pod, err)
			}
			if err := core.Pods("a").Delete(ctx, "one", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
				t.Errorf("as the kubelet deletes it: %v", err)
			}
			if _, err := core.Pods("a").Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("evicted: %v", err)
			}

			if _, err := core.ServiceAccounts("a").Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			token, err := core.ServiceAccounts("a").CreateToken(ctx, "one", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
			if err != nil || token.Status.Token == "" || token.Status.ExpirationTimestamp.IsZero() {
				t.Errorf("token: %v %v", token, err)
			}
			if _, err := core.ServiceAccounts("a").CreateToken(ctx, "two", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("token of nothing: %v", err)
			}

			replicas := int32(3)
			deployment := &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
			if _, err := client.AppsV1().Deployments("a").Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			scale, err := client.AppsV1().Deployments("a").GetScale(ctx, "one", metav1.GetOptions{})
			if err != nil || scale.Spec.Replicas != 3 || scale.Status.Selector != "app=x" {
				t.Fatalf("scale: %v %v", scale, err)
			}
			scale.Spec = autoscalingv1.ScaleSpec{Replicas: 5}
			if _, err := client.AppsV1().Deployments("a").UpdateScale(ctx, "one", scale, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if got, err := client.AppsV1().Deployments("a").Get(ctx, "one", metav1.GetOptions{}); err != nil || *got.Spec.Replicas != 5 || got.Generation != 2 {
				t.Errorf("scaled: %v %v", got, err)
			}

			csr, err := client.CertificatesV1().CertificateSigningRequests().Create(ctx, &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: certificatesv1.CertificateSigningRequestSpec{SignerName: "s"}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue}}
			csr.Spec.SignerName = "other"
			csr, err = client.CertificatesV1().CertificateSigningRequests().UpdateApproval(ctx, "one", csr, metav1.UpdateOptions{})
			if err != nil || len(csr.Status.Conditions) != 1 || csr.Spec.SignerName != "s" {
				t.Errorf("approved: %v %v", csr, err)
			}
		})
	}
}

func TestReviews(t *testing.T) {
	_, config := start(t)
	client, ctx := clientset(t, config), context.Background()
	allowed, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{}, metav1.CreateOptions{})
	if err != nil || !allowed.Status.Allowed {
		t.Errorf("access: %v %v", allowed, err)
	}
	local, err := client.AuthorizationV1().LocalSubjectAccessReviews("a").Create(ctx, &authorizationv1.LocalSubjectAccessReview{}, metav1.CreateOptions{})
	if err != nil || !local.Status.Allowed {
		t.Errorf("local access: %v %v", local, err)
	}
	rules, err := client.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{}, metav1.CreateOptions{})
	if err != nil || len(rules.Status.ResourceRules) != 1 {
		t.Errorf("rules: %v %v", rules, err)
	}
	token, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: "x"}}, metav1.CreateOptions{})
	if err != nil || !token.Status.Authenticated || token.Status.User.Username == "" {
		t.Errorf("token: %v %v", token, err)
	}
	self, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || self.Status.UserInfo.Username == "" {
		t.Errorf("self: %v %v", self, err)
	}
}
