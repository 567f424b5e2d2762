package page

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	binary = flag.String("chromium", "", "`FILE` of Chromium; without it all tests are skipped")
	images = flag.String("images", "", "`FOLDER` to write screenshots to")
)

// browser is the context of the browser that all tests share.
var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" {
		fmt.Println("skipped without -chromium; run make test-observability")
		return
	}
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(*binary), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has no sandbox for root
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s does not start: %v\n", *binary, err)
		return 1
	}
	browser = ctx
	return m.Run()
}
