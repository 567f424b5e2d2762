// Package page has the tests of observe/debugpage in a browser: what it shows of real informers, on
// a desktop, on a phone and in dark mode, with and without script. make test-observability runs them
// in a headless Chromium, and writes screenshots to build/observe.
package page
