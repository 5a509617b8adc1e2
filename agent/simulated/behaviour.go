package simulated

import (
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// Behaviour is what a simulated container does. The zero value runs until it is stopped.
type Behaviour struct {
	// Failure is why it cannot start; empty where it can.
	Failure string
	// Unhealthy says that it runs and is never well.
	Unhealthy bool
	// Stubborn says that it does not end when it is asked to, but only by force.
	Stubborn bool
	// Ends says that it ends by itself, with ExitCode, once it has run for EndsAfter.
	Ends      bool
	EndsAfter time.Duration
	ExitCode  int
}

// ByAssignment reads the behaviour from image and command, as the package's documentation lists.
func ByAssignment(a fleet.Assignment) Behaviour {
	if strings.Contains(a.Image, "fail") {
		return Behaviour{Failure: "cannot pull image " + a.Image + ": simulated failure"}
	}
	b := Behaviour{Unhealthy: strings.Contains(a.Image, "unhealthy"), Stubborn: strings.Contains(a.Image, "stubborn")}
	words := append(append([]string{}, a.Command...), a.Args...)
	if len(words) != 2 {
		return b
	}
	number, err := strconv.Atoi(words[1])
	if err != nil || number < 0 {
		return b
	}
	switch words[0] {
	case "exit":
		b.Ends, b.ExitCode = true, number
	case "sleep":
		b.Ends, b.EndsAfter = true, time.Duration(number)*time.Second
	}
	return b
}
