package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// galera is three nodes of MariaDB of which the proxy has one written to.
type galera struct{ *Cluster }

func (g *galera) engine() string { return "mariadb" }

func (g *galera) flags(n *Node, found bool) ([]string, error) {
	library, err := galeraLibrary()
	if err != nil {
		return nil, err
	}
	options, err := providerOptions()
	if err != nil {
		return nil, err
	}
	var members []string
	for _, n := range g.Nodes {
		members = append(members, address(n.ports.group))
	}
	flags := []string{
		"--wsrep-provider=" + library,
		"--wsrep-provider-options=" + options + "; gmcast.listen_addr=tcp://" + address(n.ports.group),
		"--wsrep-cluster-address=gcomm://" + strings.Join(members, ","),
		"--wsrep-node-name=" + n.Name,
		"--wsrep-node-address=" + address(n.ports.group),
		"--wsrep-sst-receive-address=" + address(n.ports.receive),
	}
	if !found {
		return append(flags, "--wsrep-new-cluster"), nil
	}
	position, err := n.recoveredPosition(flags)
	return append(flags, position...), err
}

// providerOptions are those of the file: a flag replaces them all.
func providerOptions() (string, error) {
	text, err := os.ReadFile(config(Galera + ".cnf"))
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`wsrep_provider_options = "(.*)"`).FindSubmatch(text)
	if found == nil {
		return "", errors.New("galera.cnf has no wsrep_provider_options")
	}
	return string(found[1]), nil
}

// galeraLibrary is the provider, which scripts/get-galera brings with what its nodes copy their data with.
func galeraLibrary() (string, error) {
	if named := os.Getenv("COUNTERFOIL_GALERA"); named != "" {
		return named, nil
	}
	dir, err := script("get-galera")
	return filepath.Join(dir, "libgalera_smm.so"), err
}

var recovered = regexp.MustCompile(`WSREP: Recovered position: *(\S+)`)

// recoveredPosition asks the data of a node that ended how far it was: with that it copies only what it missed.
func (n *Node) recoveredPosition(flags []string) ([]string, error) {
	engine, err := serverOf(Galera)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(engine.path, slices.Concat([]string{"--defaults-file=" + config(Galera+".cnf")}, n.common(), flags,
		[]string{"--wsrep-recover"})...)
	cmd.Env, cmd.SysProcAttr = engine.environment, attributes()
	out, err := cmd.CombinedOutput()
	found := recovered.FindSubmatch(out)
	if found == nil {
		return nil, fmt.Errorf("%s does not recover its position: %w\n%s", n.Name, err, out)
	}
	return []string{"--wsrep-start-position=" + string(found[1])}, nil
}

func (g *galera) form(ctx context.Context) error {
	for i, n := range g.Nodes {
		if err := n.start(ctx, i > 0); err != nil {
			return err
		}
		if err := g.await(ctx, n.Name+" joins", func() (bool, error) { return g.isMember(ctx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// rejoin has nothing to do: nodes find each other.
func (g *galera) rejoin(context.Context, *Node) error { return nil }

func (g *galera) isMember(ctx context.Context, n *Node) (bool, error) {
	const synced = "4"
	state, err := n.Ask(ctx,
		"SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'WSREP_LOCAL_STATE'")
	return state == synced, err
}

// promote makes the others read-only until the proxy has found the node.
func (g *galera) promote(ctx context.Context, n *Node) (err error) {
	for _, other := range g.others(n) {
		if err := other.ReadOnly(ctx, true); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, other.ReadOnly(ctx, false)) }()
	}
	return g.await(ctx, "the proxy leads to "+n.Name, func() (bool, error) {
		w, err := g.Writer(ctx)
		return w == n, err
	})
}

// failover has nothing to do: the proxy finds another node.
func (g *galera) failover(context.Context, *Node) error { return nil }

func (g *galera) isolate(ctx context.Context, n *Node, apart bool) error {
	isolate := map[bool]string{true: "1", false: "0"}[apart]
	return n.exec(ctx, "SET GLOBAL wsrep_provider_options = 'gmcast.isolate="+isolate+"'")
}
