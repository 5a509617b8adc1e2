package agent

import "time"

// Clock tells the time and wakes those who wait.
type Clock interface {
	Now() time.Time
	// After answers a channel that gets the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

// SystemClock is the machine's own clock.
type SystemClock struct{}

// Now is the machine's time.
func (SystemClock) Now() time.Time { return time.Now() }

// After wakes after d of the machine's time.
func (SystemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
