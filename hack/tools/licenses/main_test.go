package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const isc = `Copyright (c) 2026 The Authors

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
`

const wtfpl = `DO WHAT THE FUCK YOU WANT TO PUBLIC LICENSE
Version 2, December 2004

Everyone is permitted to copy and distribute verbatim or modified copies of this license document, and changing it is
allowed as long as the name is changed.

DO WHAT THE FUCK YOU WANT TO PUBLIC LICENSE
TERMS AND CONDITIONS FOR COPYING, DISTRIBUTION AND MODIFICATION

0. You just DO WHAT THE FUCK YOU WANT TO.
`

func TestLicenses(t *testing.T) {
	if ids, err := licenses([]byte(isc), "example.com/shop"); err != nil || len(ids) != 1 || ids[0] != "ISC" {
		t.Errorf("an allowed license: %q, %v", ids, err)
	}
	for text, want := range map[string]string{
		wtfpl:                    "is not allowed",
		"All rights reserved.\n": "is a known license",
		"https://creativecommons.org/licenses/by-nc/4.0/\n": "no text of a license",
		isc + strings.Repeat("No way. ", 1000):              "is a known license",
	} {
		if ids, err := licenses([]byte(text), "example.com/shop"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %q and error %v, want %q", ids, err, want)
		}
	}
}

func TestLicenseFilesAreThoseAboveThePackage(t *testing.T) {
	root := t.TempDir()
	pkg := filepath.Join(root, "third_party", "lexer")
	if err := os.MkdirAll(pkg, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "license.go", "third_party/COPYING.txt", "third_party/lexer/LICENCE.md"} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names, err := licenseFiles(pkg, root)
	if err != nil || len(names) != 3 {
		t.Errorf("got %q, %v; want three files", names, err)
	}
}

// TestSystems checks that a package that only Windows needs is read.
func TestSystems(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/shop\n\ngo 1.25.0\n",
		"shop.go":          "package shop\n",
		"shop_windows.go":  "package shop\n\nimport _ \"example.com/shop/only\"\n",
		"only/only.go":     "package only\n\nimport _ \"encoding/csv\"\n",
		"other/a_linux.go": "package other\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packages, err := list(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/shop", "example.com/shop/other", "encoding/csv"} {
		if !slices.ContainsFunc(packages, func(p pkg) bool { return p.ImportPath == want }) {
			t.Errorf("%s is missing", want)
		}
	}
}
