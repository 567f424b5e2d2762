package repository_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"
)

// TestChangelogForm checks the form that hack/release.sh and readers rely on: see keepachangelog.com.
func TestChangelogForm(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range changelogProblems(string(text)) {
		t.Errorf("CHANGELOG.md: %s", problem)
	}
}

var (
	// The entries of a prerelease are under Unreleased.
	versionHeading = regexp.MustCompile(`^## \[(\d+\.\d+\.\d+)\] - (\S+)$`)
	changeHeadings = []string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security"}
)

func changelogProblems(text string) (problems []string) {
	if !strings.HasPrefix(text, "# Changelog\n") {
		problems = append(problems, "it does not begin with \"# Changelog\"")
	}
	var versions, headings []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			name := "Unreleased"
			if match := versionHeading.FindStringSubmatch(line); match != nil {
				name = match[1]
				if _, err := time.Parse(time.DateOnly, match[2]); err != nil {
					problems = append(problems, "the heading "+line+" has no date such as 2026-12-01")
				}
			} else if line != "## [Unreleased]" {
				problems = append(problems, "the heading "+line+" is not ## [Unreleased] or ## [0.1.0] - 2026-12-01")
				continue
			}
			if len(versions) > 1 && semver.Compare("v"+versions[len(versions)-1], "v"+name) <= 0 {
				problems = append(problems, name+" is below "+versions[len(versions)-1]+"; put the newest version first, and each once")
			}
			if (name == "Unreleased") != (len(versions) == 0) {
				problems = append(problems, "## [Unreleased] is not the first section, or not the only one of that name")
			}
			versions, headings = append(versions, name), nil
			if !strings.Contains(text, "\n["+name+"]: https://") {
				problems = append(problems, name+" has no link at the end of the file")
			}
		case strings.HasPrefix(line, "#") && line != "# Changelog":
			if !slices.Contains(changeHeadings, line) || slices.Contains(headings, line) || len(versions) == 0 {
				problems = append(problems, "the heading "+line+" is not one of "+strings.Join(changeHeadings, ", ")+" below a version, each once")
			}
			headings = append(headings, line)
		}
	}
	if len(versions) == 0 {
		problems = append(problems, "it has no section ## [Unreleased]")
	}
	return problems
}

func TestChangelogProblems(t *testing.T) {
	const good = "# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-12-02\n\n## [0.9.1] - 2026-12-01\n\n### Added\n\n- Text.\n\n### Fixed\n\n" +
		"[Unreleased]: https://a\n[0.10.0]: https://b\n[0.9.1]: https://c\n"
	if got := changelogProblems(good); len(got) > 0 {
		t.Errorf("the good one has %q", got)
	}
	for from, to := range map[string]string{
		"# Changelog\n":           "# Changes\n",
		"## [Unreleased]":         "## Unreleased",
		"## [Unreleased]\n\n## [": "## [",
		"10.0] - 2026-12-02":      "10.0]: first",
		" - 2026-12-02":           "",
		"2026-12-02":              "2026-99-99",
		"## [0.10.0]":             "## [0.9.1]",
		"## [0.9.1]":              "## [0.9.1-rc.1]",
		"## [0.9.1] - 2026-12-01": "## [Unreleased]",
		"### Fixed":               "### Added",
		"### Added":               "### News",
		"[0.10.0]: https://b\n":   "",
	} {
		if got := changelogProblems(strings.Replace(good, from, to, 1)); len(got) == 0 {
			t.Errorf("%q instead of %q is no problem", to, from)
		}
	}
	swapped := strings.NewReplacer("## [0.10.0]", "## [0.9.1]", "## [0.9.1]", "## [0.10.0]").Replace(good)
	if got := changelogProblems(swapped); len(got) != 1 {
		t.Errorf("the older version first has the problems %q", got)
	}
}
