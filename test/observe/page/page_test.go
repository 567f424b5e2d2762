package page

import (
	"testing"
)

// TestPages opens each scenario on a desktop, on a phone and in dark mode.
func TestPages(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			url := serve(t, s.source(t))
			for _, f := range []form{desktop, phone, dark} {
				t.Run(f.name, func(t *testing.T) {
					tab := open(t, f, url)
					tab.want(s.texts...)
					tab.check()
					tab.screenshot(s.name+"-"+f.name, f)
					eval[bool](tab, `[...document.querySelectorAll("details")].slice(0, 12).every((d) => (d.open = true))`)
					tab.check()
					tab.screenshot(s.name+"-"+f.name+"-open", f)
				})
			}
		})
	}
}
