package selection

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// ParseVersion reads a resourceVersion. Empty and "0" are 0. The error is the error of the storage, which
// becomes an answer with status 500 where the API server does not check the version before.
func ParseVersion(version string) (uint64, error) {
	if version == "" || version == "0" {
		return 0, nil
	}
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		wrong := field.Invalid(field.NewPath("resourceVersion"), version, err.Error())
		return 0, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: wrong.Error(),
		}}
	}
	return number, nil
}

// retryAfter is how many seconds a client waits that asked the watch cache for a version that it
// does not have. etcd's storage tells clients nothing.
const retryAfter = 1

// TooLarge is the error of the watch cache for a version that the server does not have.
func TooLarge(version, current uint64) error { return tooLarge(version, current, retryAfter) }

func tooLarge(version, current uint64, retryAfter int) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, current), retryAfter)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	return err
}

// CheckMinimum returns an error if the server does not have a version yet. A kube-apiserver waits
// for it for three seconds first.
func CheckMinimum(h *history.History, version string) error {
	minimum, err := ParseVersion(version)
	if err != nil {
		return err
	}
	if current := h.Version(); minimum > current {
		return TooLarge(minimum, current)
	}
	return nil
}

// The messages of expired lists.
const (
	expired         = "The resourceVersion for the provided list is too old."
	expiredContinue = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may " +
		"show up in the list."
)

// origin says where a list begins.
type origin struct {
	// version is the version of the list, or 0 for the newest one.
	version uint64
	// start is the path of the first object after the prefix.
	start string
	// continues reports whether a token named the origin.
	continues bool
	// retryAfter is for clients that ask for a version of the future.
	retryAfter int
}

// List returns the page that the options ask for. Validate has checked them.
func (s *Selection) List(h *history.History, options *internalversion.ListOptions) (metav1.ListMeta, []*history.State, error) {
	from, err := s.origin(h, options)
	if err != nil {
		return metav1.ListMeta{}, nil, err
	}
	states, err := s.candidates(h, from.version)
	switch {
	case errors.Is(err, history.ErrFuture):
		return metav1.ListMeta{}, nil, tooLarge(from.version, h.Version(), from.retryAfter)
	case errors.Is(err, history.ErrExpired) && from.continues:
		gone := apierrors.NewResourceExpired(expiredContinue)
		gone.ErrStatus.ListMeta.Continue = token{Version: -1, Start: from.start}.encode()
		return metav1.ListMeta{}, nil, gone
	case err != nil:
		return metav1.ListMeta{}, nil, apierrors.NewResourceExpired(expired)
	}
	version := from.version
	if version == 0 {
		version = h.Version()
	}
	if from.start != "" {
		first, _ := slices.BinarySearchFunc(states, s.prefix()+from.start, func(state *history.State, start string) int {
			return strings.Compare(state.Path(), start)
		})
		states = states[first:]
	}
	limit := options.Limit
	if limit < 0 || options.ResourceVersion == "0" {
		limit = 0 // the watch cache ignores the limit of a list of any version
	}
	meta, states := s.page(states, version, limit)
	return meta, states, nil
}

// origin finds out where a list begins.
func (s *Selection) origin(h *history.History, options *internalversion.ListOptions) (origin, error) {
	if options.Continue != "" {
		t, err := decodeToken(options.Continue)
		switch {
		case err != nil:
			return origin{}, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
		case options.ResourceVersion != "" && options.ResourceVersion != "0":
			return origin{}, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		return origin{version: uint64(max(t.Version, 0)), start: t.Start, continues: true, retryAfter: retryAfter}, nil
	}
	version, err := ParseVersion(options.ResourceVersion)
	if err != nil {
		return origin{}, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	from := origin{retryAfter: retryAfter}
	exact := options.ResourceVersionMatch == metav1.ResourceVersionMatchExact
	limited := options.ResourceVersionMatch == "" && options.Limit > 0 && version > 0
	if s.name != "" && (exact || limited) {
		from.retryAfter = 0 // one object at an exact version comes from etcd
	}
	if exact || limited && s.name == "" {
		from.version = version
		return from, nil
	}
	if current := h.Version(); version > current {
		return origin{}, tooLarge(version, current, from.retryAfter)
	}
	return from, nil
}

// page returns the first objects that are selected, up to limit, and the metadata of the list. A
// limit of zero means all.
func (s *Selection) page(states []*history.State, version uint64, limit int64) (metav1.ListMeta, []*history.State) {
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatUint(version, 10)}
	if s.all() {
		if limit > 0 && int64(len(states)) > limit {
			remaining := int64(len(states)) - limit
			states = states[:limit]
			meta.RemainingItemCount = &remaining
			meta.Continue = s.after(states[limit-1], version)
		}
		return meta, states
	}
	var selected []*history.State
	for i, state := range states {
		if !s.Matches(state) {
			continue
		}
		selected = append(selected, state)
		if limit > 0 && int64(len(selected)) >= limit {
			// Whether those that are left match is not known yet.
			if i < len(states)-1 {
				meta.Continue = s.after(state, version)
			}
			break
		}
	}
	return meta, selected
}

// after returns the token for the objects after one.
func (s *Selection) after(last *history.State, version uint64) string {
	return token{Version: int64(version), Start: "/" + strings.TrimPrefix(last.Path(), s.prefix()) + "\x00"}.encode()
}
