package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKubeconfig starts the operator with several files, each of another cluster that does
// not exist, and looks which one it asks for.
func TestKubeconfig(t *testing.T) {
	inFlag, inVariable := kubeconfig(t, "http://flag.invalid"), kubeconfig(t, "http://variable.invalid")
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(kubeconfig(t, "http://home.invalid"), filepath.Join(home, ".kube", "config")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		env  []string
		says string
	}{
		"flag":     {[]string{"--kubeconfig=" + inFlag}, []string{"KUBECONFIG=" + inVariable, "HOME=" + home}, "flag.invalid"},
		"variable": {nil, []string{"KUBECONFIG=" + inVariable, "HOME=" + home}, "variable.invalid"},
		"home":     {nil, []string{"HOME=" + home}, "home.invalid"},
		"nothing":  {nil, nil, "--kubeconfig or $KUBECONFIG"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, output := operator(t, append(c.args, "--sync-timeout=1ms")...)
			cmd.Env = append(cmd.Env, c.env...)
			_ = cmd.Run()
			if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(output.String(), c.says) {
				t.Errorf("the operator exits with %d and does not mention %s:\n%s", cmd.ProcessState.ExitCode(), c.says, output)
			}
		})
	}
}
