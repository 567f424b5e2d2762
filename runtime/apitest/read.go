package apitest

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/selection"
)

// get answers GET of one object or subresource.
func (s *Server) get(r *request) (*reply, error) {
	var options metav1.GetOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if err := selection.CheckMinimum(s.history, options.ResourceVersion); err != nil {
		return nil, err
	}
	live := s.history.Get(r.key())
	if live == nil {
		return nil, r.missing()
	}
	if r.subresource == "scale" {
		return r.kind.getScale(r.kind.present(live))
	}
	return &reply{code: http.StatusOK, state: live}, nil
}
