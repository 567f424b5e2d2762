package crcache

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// WithFields is an option of NewFunc: of the objects of a kind, which obj names, the cache keeps only some fields, and what identifies an
// object. Others are not decoded, in any form:
//
//	crcache.NewFunc(crcache.WithFields(&corev1.Node{}, "metadata.labels", "spec.providerID", "status.conditions"))
//
// cache.WithFields of package runtime/cache says how paths are written, and what identifies an object. Predicates, transforms and the functions
// of IndexField and By see no other fields, either. A List by a label that is left out is an error.
//
// An update of an object of the cache would delete the fields that it lacks. So the HTTP client of the manager, which mgr.GetClient
// has too, refuses it with writes.ErrFieldsLeftOut, and patches that would delete such a field; Guard of writes.Observer has the rules.
// For an object that is whole, because the program has read it from the server or has made it, pass writes.Whole(ctx). No guard can see
// what server-side apply of such an object removes: the fields that the program owns and the object lacks.
//
// Clients that are made of mgr.GetConfig have another HTTP client, and so has mgr.GetClient if Options.Client.HTTPClient or
// Options.Cache.HTTPClient is set. These need WithReadYourWrites, whose Observer is a guard too.
//
// It is a mistake if the Go type of the kind lacks a field, or if there is no HTTP client to guard.
func WithFields(obj client.Object, paths ...string) Option {
	paths = slices.Clone(paths)
	return func(s *settings) error {
		gvk, err := s.kindIn("WithFields", obj)
		switch {
		case err != nil:
			return err
		case s.fields[gvk] != nil:
			return fmt.Errorf("crcache: WithFields is there twice for %s; pass all paths to one", gvk.Kind)
		case len(paths) == 0:
			return fmt.Errorf("crcache: WithFields(%s) has no path; name the fields to keep, or remove the option", gvk.Kind)
		}
		kind := reflect.TypeFor[*unstructured.Unstructured]()
		if object, err := s.scheme.New(gvk); err == nil {
			kind = reflect.TypeOf(object)
		}
		var errs []error
		for _, path := range paths {
			if err := (&wire.Options{Fields: []string{path}}).CheckFields(kind); err != nil {
				errs = append(errs, fmt.Errorf("crcache: WithFields(%s): %w", gvk.Kind, err))
			}
		}
		if s.fields == nil {
			s.fields = map[schema.GroupVersionKind][]string{}
		}
		s.fields[gvk] = paths
		return errors.Join(errs...)
	}
}

// WithFieldDetector is an option of NewFunc for tests. It shows which code reads fields that WithFields leaves out: objects have there what no
// server sends, such as the text "left out by WithFields: spec.taints". See cache.WithFieldDetector of package runtime/cache.
func WithFieldDetector() Option {
	return func(s *settings) error {
		s.detectsFields = true
		return nil
	}
}

// guard lets HTTP clients refuse updates that would delete fields: that of the manager, which cluster.New gives to its clients too,
// and those that WithReadYourWrites observes.
func (s *settings) guard(manager *http.Client) error {
	if len(s.fields) == 0 {
		return nil
	}
	if s.own != nil {
		s.guards = append(s.guards, s.own)
	}
	if manager != nil && manager != http.DefaultClient { // which is not the manager's own
		guard := &writes.Observer{}
		manager.Transport = guard.Transport(manager.Transport)
		s.guards = append(s.guards, guard)
	}
	if len(s.guards) == 0 {
		return errors.New("crcache: WithFields: an update of an object of the cache would delete the fields that it lacks, and no HTTP client refuses it, because Options.HTTPClient is not set or is http.DefaultClient; set Options.HTTPClient to that of the clients, or call config.Wrap(own.Transport) for a *writes.Observer before the clients are made from config, and add crcache.WithReadYourWrites(own)")
	}
	return nil
}

// keepFields returns the options of an informer that keeps only the fields of WithFields, and lets the guards refuse updates.
func (s *settings) keepFields(e *entry, kind *cache.Kind[cache.Object]) ([]cache.SharedInformerOption, error) {
	if e.fields = s.fields[e.gvk]; e.fields == nil {
		return nil, nil
	}
	paths := e.fields
	var errs []error
	switch e.form {
	case metadata: // which no client updates
		of := []string{"metadata.name"} // or there may be none
		for _, path := range paths {
			if path == "metadata" || strings.HasPrefix(path, "metadata.") {
				of = append(of, path)
			}
		}
		paths = of
	default:
		left := writes.LeftOut{Resource: kind.Resource.GroupResource(), Only: paths}
		left.Object, _ = s.scheme.New(e.gvk) // without it, no list is known to be merged
		for _, guard := range s.guards {
			errs = append(errs, guard.Guard(kind.Server.String(), left))
		}
	}
	e.trim = wire.Trimmer(&wire.Options{Fields: paths, MarkFields: s.detectsFields})
	options := []cache.SharedInformerOption{cache.WithFields(paths...), cache.WithoutUpdateGuard()}
	if s.detectsFields {
		options = append(options, cache.WithFieldDetector())
	}
	return options, errors.Join(errs...)
}

// checkIndex returns an error if an index has the name of a field that is left out: its function would find nothing.
func (s *settings) checkIndex(e *entry, field string) error {
	inMetadata := strings.HasPrefix(field, "metadata.") && !strings.HasPrefix(field, "metadata.labels[") && !strings.HasPrefix(field, "metadata.annotations[")
	if e.fields == nil || inMetadata {
		return nil
	}
	for _, path := range e.fields {
		if strings.HasPrefix(field+".", path+".") || strings.HasPrefix(field, path+"[") || strings.HasPrefix(path, field+".") || strings.HasPrefix(path, field+"[") {
			return nil
		}
	}
	object, err := s.scheme.New(e.gvk)
	if err != nil || (&wire.Options{Fields: []string{field}}).CheckFields(reflect.TypeOf(object)) != nil {
		return nil // it is another name
	}
	return fmt.Errorf("cannot index %s: the cache has no %s, because WithFields leaves it out; add %q to it", e.resource, field, field)
}

// checkLabels returns an error if a selector, which may be nil, is about a label that is left out: it would select nothing, or too much.
func (e *entry) checkLabels(selector labels.Selector) error {
	if e.fields == nil || selector == nil || slices.Contains(e.fields, "metadata") || slices.Contains(e.fields, "metadata.labels") {
		return nil
	}
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		if path := "metadata.labels[" + requirement.Key() + "]"; !slices.Contains(e.fields, path) {
			return fmt.Errorf("unable to list: the cache has no label %q of %s, because WithFields leaves it out; add %q to it", requirement.Key(), e.resource, path)
		}
	}
	return nil
}
