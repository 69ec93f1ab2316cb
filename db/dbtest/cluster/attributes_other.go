//go:build !linux

package cluster

import "syscall"

const nobody = 65534

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
