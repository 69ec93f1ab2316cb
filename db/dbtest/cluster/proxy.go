package cluster

// startProxy starts HAProxy with its file in docs/scaling.
func (c *Cluster) startProxy() error {
	free, err := freePorts()
	if err != nil {
		return err
	}
	c.at = address(free.sql)
	environment := []string{"PATH=/usr/sbin:/usr/bin", "PROXY=" + c.at,
		"NODE_A=" + c.Nodes[0].link.address(), "NODE_B=" + c.Nodes[1].link.address(), "NODE_C=" + c.Nodes[2].link.address()}
	c.proxy, err = start(c.dir+"/haproxy.log", environment, haproxy(), "-db", "-f", config(c.Topology+"-haproxy.cfg"))
	return err
}

func haproxy() string {
	for _, path := range []string{"/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy", "/usr/local/bin/haproxy"} {
		if exists(path) {
			return path
		}
	}
	return "haproxy"
}
