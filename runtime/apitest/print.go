package apitest

import (
	"encoding/json"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1beta1/validation"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/table"
)

// newPrinter returns a function that makes the Printer of a kind when it is needed.
func newPrinter(columns []Column) func() (*table.Printer, error) {
	return sync.OnceValues(func() (*table.Printer, error) {
		converted := make([]table.Column, len(columns))
		for i, column := range columns {
			converted[i] = table.Column(column)
		}
		return table.New(converted)
	})
}

// encodeTable prints objects as a Table. All events of a watch but the first leave the headers out.
func (s *Server) encodeTable(r *request, meta metav1.ListMeta, objects []map[string]any) ([]byte, error) {
	var asked metav1.TableOptions
	if err := r.options(&asked); err != nil {
		return nil, err
	}
	if errs := validation.ValidateTableOptions(&asked); len(errs) > 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: %v", errs[0]))
	}
	printer, err := r.printer()
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	printed := printer.Table(objects, table.Options{
		Version: r.accept.metaVersion, Include: asked.IncludeObject, WithoutHeaders: r.headersSent, Now: s.now(),
	})
	printed.ListMeta = meta
	r.headersSent = r.verb == "watch"
	data, err := json.Marshal(printed)
	if err != nil {
		return nil, err
	}
	return r.accept.text(data)
}

// printer returns what prints the answers to a request.
func (r *request) printer() (*table.Printer, error) {
	if r.subresource == "scale" {
		return scalePrinter()
	}
	return r.kind.printer()
}

// scalePrinter prints Scales.
var scalePrinter = newPrinter([]Column{
	{Name: "Desired", Type: "integer", Description: "Number of desired replicas", JSONPath: ".spec.replicas"},
	{Name: "Available", Type: "integer", Description: "Number of actual replicas", JSONPath: ".status.replicas"},
	{Name: "Age", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"], JSONPath: ".metadata.creationTimestamp"},
})

// partial is the PartialObjectMetadata of an object.
func (a accepted) partial(obj map[string]any) map[string]any {
	return table.Metadata(obj, a.metaVersion)
}
