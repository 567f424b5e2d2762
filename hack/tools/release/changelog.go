package main

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

const (
	changelogFile = "CHANGELOG.md"
	unreleased    = "## [Unreleased]"
	repository    = "https://github.com/typedinformers/informer-gen"
)

// releaseChangelog returns the changelog with the entries of Unreleased in a new section for the
// version, and with the links of both. A prerelease changes nothing: its entries stay under Unreleased for
// the release that follows.
func releaseChangelog(text, version string, date time.Time) (string, error) {
	number := strings.TrimPrefix(version, "v")
	entries := section(text, "Unreleased")
	if !strings.Contains("\n"+entries, "\n- ") {
		return "", fmt.Errorf("%s has no entries under %q; write what the release has for its users", changelogFile, unreleased)
	}
	if strings.Contains(text, "\n## ["+number+"]") {
		return "", fmt.Errorf("%s has a section for %s already; move its entries to %q", changelogFile, number, unreleased)
	}
	if semver.Prerelease(version) != "" {
		return text, nil
	}
	lines := strings.Split(text, "\n")
	var out []string
	previous, headed, linked := previousVersion(lines), 0, false
	for _, line := range lines {
		switch {
		case line == unreleased:
			headed++
			out = append(out, line, "", fmt.Sprintf("## [%s] - %s", number, date.Format(time.DateOnly)))
		case strings.HasPrefix(line, "[Unreleased]: "):
			linked = true
			target := repository + "/releases/tag/" + version
			if previous != "" {
				target = repository + "/compare/v" + previous + "..." + version
			}
			out = append(out, "[Unreleased]: "+repository+"/compare/"+version+"...HEAD", "["+number+"]: "+target)
		default:
			out = append(out, line)
		}
	}
	if !linked {
		return "", fmt.Errorf("%s has no line that begins with %q; add the link at its end", changelogFile, "[Unreleased]: ")
	}
	released := strings.Join(out, "\n")
	if headed != 1 || notes(released, version) == "" {
		return "", fmt.Errorf("%s has %d lines that are exactly %q, want one with the entries after it; look for blanks at its end", changelogFile, headed, unreleased)
	}
	return released, nil
}

// previousVersion returns the newest released version of a changelog, or "".
func previousVersion(lines []string) string {
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "## ["); ok && line != unreleased {
			name, _, _ = strings.Cut(name, "]")
			return name
		}
	}
	return ""
}

// notes returns the entries of a version that is released.
func notes(text, version string) string {
	if semver.Prerelease(version) != "" {
		return section(text, "Unreleased")
	}
	return section(text, version)
}

// section returns the entries of a version of a changelog, without the heading and the links at the end.
func section(text, version string) string {
	heading := "\n## [" + strings.TrimPrefix(version, "v") + "]"
	_, rest, found := strings.Cut("\n"+text, heading)
	if !found {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "\n")
	rest, _, _ = strings.Cut("\n"+rest, "\n## [")
	var lines []string
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "[") && strings.Contains(line, "]: ") {
			break
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}
