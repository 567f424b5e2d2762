package rest

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

func (s *Store) createSubresource(r *Request, dryRun bool, decode func() (map[string]any, error)) (*Reply, error) {
	if r.Kind.Custom() || !slices.Contains([]string{"binding", "eviction", "token"}, r.Subresource) {
		return nil, r.NotAllowed()
	}
	live := s.History.Get(r.Key())
	if live == nil {
		return nil, r.Missing()
	}
	body, err := decode()
	if err != nil {
		return nil, err
	}
	switch r.Subresource {
	case "binding":
		return s.bind(r, live, body, dryRun)
	case "token":
		return &Reply{Code: http.StatusCreated, Object: s.token(live, body)}, nil
	}
	return s.evict(r, live, body, dryRun)
}

// evict deletes a pod with the options of an Eviction.
func (s *Store) evict(r *Request, live *history.State, eviction map[string]any, dryRun bool) (*Reply, error) {
	if (&unstructured.Unstructured{Object: eviction}).GetName() != r.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	var options metav1.DeleteOptions
	if given, ok := eviction["deleteOptions"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	if unsafe(&options) {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "policy", Kind: "Eviction"}, r.Name, field.ErrorList{
			field.Invalid(field.NewPath("deleteOptions", unsafeField), true, "can not be set for pod eviction, try after removing the option"),
		})
	}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	if err := CheckDeleteOptions(&options); err != nil {
		return nil, err
	}
	if _, err := s.remove(r.main(), live, &options); err != nil {
		return nil, err
	}
	return done(), nil
}

// bind assigns a pod to a node, as the scheduler asks.
func (s *Store) bind(r *Request, live *history.State, binding map[string]any, dryRun bool) (*Reply, error) {
	node, _, _ := unstructured.NestedString(binding, "target", "name")
	if node == "" {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Binding"}, r.Name, field.ErrorList{field.Required(field.NewPath("target", "name"), "")})
	}
	if has, _, _ := unstructured.NestedString(live.Object, "spec", "nodeName"); has != "" {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, r.Name, fmt.Errorf("pod %s is already assigned to node %q", r.Name, has))
	}
	pod := (&unstructured.Unstructured{Object: r.Kind.Present(live)}).DeepCopy()
	if err := unstructured.SetNestedField(pod.Object, node, "spec", "nodeName"); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if _, err := s.replace(r.main(), live, pod, Write{Manager: r.Agent, DryRun: dryRun}); err != nil {
		return nil, err
	}
	return done(), nil
}

// token is the answer to a TokenRequest for a service account. Nothing checks the token.
func (s *Store) token(live *history.State, body map[string]any) map[string]any {
	seconds, has, _ := unstructured.NestedInt64(body, "spec", "expirationSeconds")
	if !has {
		seconds = 3600
	}
	body["status"] = map[string]any{
		"token":               fmt.Sprintf("apitest.%s.%s.%d", live.Namespace, live.Name, s.names.Number()),
		"expirationTimestamp": s.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339),
	}
	return body
}

// review answers a create of a kind that stores nothing. The server knows no users: everything is
// allowed, and any token is valid.
func (s *Store) review(r *Request, obj *unstructured.Unstructured, dryRun bool) (*Reply, error) {
	user := map[string]any{"username": "apitest"}
	switch r.Kind.Kind {
	case "Binding":
		pods := s.Kinds.Of(schema.GroupResource{Resource: "pods"})
		part := &Request{Context: r.Context, Kind: pods, Namespace: r.Namespace, Name: obj.GetName(), Agent: r.Agent}
		live := s.History.Get(part.Key())
		if live == nil {
			return nil, part.Missing()
		}
		return s.bind(part, live, obj.Object, dryRun)
	case "TokenReview":
		token, _, _ := unstructured.NestedString(obj.Object, "spec", "token")
		obj.Object["status"] = map[string]any{"authenticated": token != ""}
		if token != "" {
			obj.Object["status"].(map[string]any)["user"] = user
		}
	case "SelfSubjectReview":
		obj.Object["status"] = map[string]any{"userInfo": user}
	case "SelfSubjectRulesReview":
		all := []any{"*"}
		obj.Object["status"] = map[string]any{
			"incomplete":       false,
			"resourceRules":    []any{map[string]any{"verbs": all, "apiGroups": all, "resources": all}},
			"nonResourceRules": []any{map[string]any{"verbs": all, "nonResourceURLs": all}},
		}
	default:
		obj.Object["status"] = map[string]any{"allowed": true}
	}
	return &Reply{Code: http.StatusCreated, Object: obj.Object}, nil
}
