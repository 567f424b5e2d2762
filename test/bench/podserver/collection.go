package podserver

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Sentinel is the pod that changes last: a client that has its event has all others.
const Sentinel = 0

// firstVersion is that of the oldest pod, as in a cluster that is not new.
const firstVersion = 48_000_000

// state is the collection at one version. It does not change.
type state struct {
	version uint64
	// pods are what render returns.
	pods [][]byte
	// generations of the pods that have changed.
	generations map[int]int
}

// newState renders pods, which takes some 15 µs each.
func newState(objects int) *state {
	s := &state{version: firstVersion + uint64(objects), pods: make([][]byte, objects), generations: map[int]int{}}
	OnAllCores(objects, func(i int) { s.pods[i] = render(i, 1, firstVersion+uint64(i)) })
	return s
}

// change returns a later state, in which the pods with these numbers have changed.
func (s *state) change(numbers []int) *state {
	next := &state{version: s.version + uint64(len(numbers)), pods: slices.Clone(s.pods), generations: maps.Clone(s.generations)}
	for _, i := range numbers {
		next.generations[i] = max(next.generations[i], 1) + 1
	}
	OnAllCores(len(numbers), func(n int) {
		i := numbers[n]
		next.pods[i] = render(i, next.generations[i], s.version+uint64(n)+1)
	})
	return next
}

// OnAllCores calls do for each number below n.
func OnAllCores(n int, do func(int)) {
	var running sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		running.Go(func() {
			for i := part; i < n; i += parts {
				do(i)
			}
		})
	}
	running.Wait()
}

// spread returns the numbers of count pods all over the collection, without the sentinel.
func (s *state) spread(count int) ([]int, error) {
	others := len(s.pods) - 1
	if count < 0 || count > others {
		return nil, fmt.Errorf("%d of %d objects cannot be changed", count, others)
	}
	numbers := make([]int, count)
	for n := range numbers {
		numbers[n] = Sentinel + 1 + n*others/count
	}
	return numbers, nil
}

// page returns where a page of up to limit pods begins and ends: after token, or at the
// first pod if it is empty. A limit of 0 means all pods. The token of an older version
// has expired: this server compacts at once.
func (s *state) page(limit int, token string) (start, end int, err *apierrors.StatusError) {
	version := s.version
	if token != "" {
		if _, err := fmt.Sscanf(token, tokenFormat, &version, &start); err != nil || start < 0 || start > len(s.pods) {
			return 0, 0, apierrors.NewBadRequest("continue key is not valid")
		}
		if version != s.version {
			return 0, 0, apierrors.NewResourceExpired("The provided continue parameter is too old")
		}
	}
	if limit == 0 {
		limit = len(s.pods)
	}
	return start, min(start+limit, len(s.pods)), nil
}

// tokenFormat has the version of the first page, and where the next one begins.
const tokenFormat = "%d-%d"
