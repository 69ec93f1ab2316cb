package cluster

import (
	"os"
	"syscall"
)

// nobody is the user of servers that root starts: what copies a node's data refuses to work as root.
const nobody = 65534

func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		a.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return a
}
