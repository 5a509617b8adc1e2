//go:build unix && !solaris && !aix

package agent

import (
	"os"
	"syscall"
)

// lockExclusively fails at once where somebody else holds the lock. The kernel frees it at death.
func lockExclusively(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
