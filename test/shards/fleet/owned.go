package fleet

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

var ownedDatabases = regexp.MustCompile(`(?m)^operator_owned_databases (\d+)$`)

// Owned returns how many databases the process has cached and may work on. A process that is paused does not
// answer, which is an error after a few seconds.
func (m *Member) Owned(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.Probes+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("%s does not tell what it owns: %w", m.Name, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, fmt.Errorf("%s does not tell what it owns: %w", m.Name, err)
	}
	match := ownedDatabases.FindSubmatch(text)
	if match == nil {
		return 0, fmt.Errorf("%s has no metric of the databases that it owns", m.Name)
	}
	return strconv.Atoi(string(match[1]))
}

// Leaving reports whether the process was asked to end. It may not answer any more then.
func (m *Member) Leaving() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leaving
}

// Paused reports whether the process is paused.
func (m *Member) Paused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.paused.IsZero()
}
