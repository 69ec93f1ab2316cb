// Cluster runs a command with a database of three servers beside it, behind HAProxy as docs/scaling shows it:
//
//	go run ./scripts/cluster -topology galera|semisync|group [-- command [argument ...]]
//
// The command finds the proxy in DATABASE_URL and the servers themselves in COUNTERFOIL_CLUSTER, three URLs with spaces
// between. Its exit code is this program's. Without a command both are printed, and the servers run until a signal comes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/db/dbtest/cluster"
)

func main() {
	topology := flag.String("topology", cluster.Galera, "galera, semisync or group")
	flag.Parse()
	code, err := run(*topology, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
	}
	os.Exit(code)
}

func run(topology string, command []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := cluster.Start(ctx, topology)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	environment := []string{"DATABASE_URL=" + c.URL(), "COUNTERFOIL_CLUSTER=" + strings.Join(c.URLs(), " ")}
	if len(command) == 0 {
		fmt.Printf("%s\n%s\n", environment[0], environment[1])
		<-ctx.Done()
		return 0, nil
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), environment...)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
