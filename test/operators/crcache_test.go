package main

import (
	"strings"
	"testing"
)

func TestWithNewCache(t *testing.T) {
	const source = `package a

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	_ = manager.Options{}
	_ = ctrl.Options{
		WebhookServer: webhook.NewServer(webhook.Options{Port: 1}),
	}
)
`
	const want = `package a

import crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	_ = manager.Options{NewCache: crcache.New}
	_ = ctrl.Options{
		NewCache:      crcache.New,
		WebhookServer: webhook.NewServer(webhook.Options{Port: 1}),
	}
)
`
	changed, lines, err := withNewCache([]byte(source), "crcache.New")
	if err != nil || lines != 2 {
		t.Errorf("%d lines are changed, with error %v; want 2", lines, err)
	}
	// gofmt keeps a comma before a brace.
	if got := strings.ReplaceAll(string(changed), ", }", "}"); got != want {
		t.Errorf("the result is\n%s\nwant\n%s", got, want)
	}
	if _, _, err := withNewCache([]byte("package a\nvar _ = manager.Options{}"), "crcache.New"); err == nil {
		t.Error("the options of another package are changed")
	}
}
