//go:build !unix || solaris || aix

package agent

import "os"

// lockExclusively: without flock, that nobody starts two agents on one state directory is left to the service
// manager.
func lockExclusively(*os.File) error { return nil }
