package testserver

import (
	"fmt"
	"mime"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/typedinformers/informer-gen/testserver/internal/builtin"
)

// refuseProtobuf answers 415 to a custom resource that is sent as protobuf. The API server itself panics then
// and closes the connection, because it has no Go type to decode such a body into.
func refuseProtobuf(next http.Handler, kinds *builtin.Kinds) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := request.RequestInfoFrom(r.Context())
		if !ok || !sendsCustomResource(info, kinds) || !isProtobuf(r.Header.Get("Content-Type")) {
			next.ServeHTTP(w, r)
			return
		}
		err := &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure,
			Code:   http.StatusUnsupportedMediaType,
			Reason: metav1.StatusReasonUnsupportedMediaType,
			Message: fmt.Sprintf("%s %s.%s: a custom resource cannot be sent as %s; send application/json, which is the default of rest.Config.ContentType",
				info.Verb, info.Resource, info.APIGroup, runtime.ContentTypeProtobuf),
		}}
		version := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
		responsewriters.ErrorNegotiated(err, apiserver.Codecs, version, w, r)
	})
}

// sendsCustomResource reports whether the body of a request is a custom resource.
func sendsCustomResource(info *request.RequestInfo, kinds *builtin.Kinds) bool {
	return info.IsResourceRequest && info.APIGroup != apiextensions.GroupName && !kinds.Serves(info.APIGroup) &&
		slices.Contains([]string{"create", "update"}, info.Verb) && slices.Contains([]string{"", "status"}, info.Subresource)
}

func isProtobuf(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == runtime.ContentTypeProtobuf
}
