package outbound

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// interfacesKept is how long the networks of the interfaces are kept, which come and go.
const interfacesKept = 5 * time.Second

// neighbours has the on-link networks of this machine, its own addresses among them.
type neighbours struct {
	read func() ([]net.Addr, error)

	mu       sync.Mutex
	networks []netip.Prefix
	at       time.Time
}

// contains reports whether the address is this machine's or on one of its networks. An error says that the
// interfaces cannot be read.
func (n *neighbours) contains(ip netip.Addr) (bool, error) {
	networks, err := n.current()
	if err != nil {
		return false, err
	}
	for _, network := range networks {
		if network.Contains(ip.WithZone("")) {
			return true, nil
		}
	}
	return false, nil
}

func (n *neighbours) current() ([]netip.Prefix, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.at.IsZero() && time.Since(n.at) < interfacesKept {
		return n.networks, nil
	}
	addresses, err := n.read()
	if err != nil {
		return nil, err
	}
	n.networks, n.at = onLink(addresses), time.Now()
	return n.networks, nil
}

func onLink(addresses []net.Addr) []netip.Prefix {
	var networks []netip.Prefix
	for _, a := range addresses {
		of, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(of.IP)
		ones, bits := of.Mask.Size()
		if !ok || bits == 0 {
			continue
		}
		if ip = ip.Unmap(); bits > ip.BitLen() {
			ones -= bits - ip.BitLen()
		}
		if network, err := ip.Prefix(ones); err == nil {
			networks = append(networks, network)
		}
	}
	return networks
}
