package cachetest

import (
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// These are errors of a server, and of a connection that is cut.
var (
	ErrGone      = apierrors.NewResourceExpired("too old resource version: 5 (9)")
	ErrForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "", errors.New("no right to list"))
	ErrNotFound  = apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "")
	ErrInternal  = apierrors.NewInternalError(errors.New("etcd is away"))
	ErrSlowDown  = apierrors.NewTooManyRequests("too many", 17)
	ErrCut       = io.ErrUnexpectedEOF
)

// ErrTooLarge returns the error of a server that is behind a requested version.
func ErrTooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version: 9, current: 5", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}
