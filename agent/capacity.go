package agent

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// DefaultContainers is how many containers a machine takes where its configuration does not say.
const DefaultContainers = 100

// MaxContainers is the most that a configuration may say, and that the control plane takes.
const MaxContainers = 10_000

// Capacity is what the node offers, as agents report it: Kubernetes quantities and a number of containers.
type Capacity struct {
	CPU        fleet.Quantity `json:"cpu"`
	Memory     fleet.Quantity `json:"memory"`
	Containers int            `json:"containers"`
}

// Machine is what the machine has.
type Machine struct {
	CPUs int
	// Memory in bytes; 0 where the system does not tell.
	Memory int64
}

// ThisMachine asks the system.
func ThisMachine() Machine {
	m := Machine{CPUs: runtime.NumCPU()}
	if f, err := os.Open("/proc/meminfo"); err == nil {
		m.Memory = totalMemory(f)
		_ = f.Close() // only read from
	}
	return m
}

// totalMemory reads the line "MemTotal:  16384 kB" of Linux's meminfo.
func totalMemory(meminfo io.Reader) int64 {
	for lines := bufio.NewScanner(meminfo); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if key != "MemTotal" {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0
		}
		return kib * 1024
	}
	return 0
}

// filled takes from the machine what the configuration left out.
func (c Capacity) filled(m Machine) Capacity {
	if c.CPU == "" {
		c.CPU = fleet.Quantity(strconv.Itoa(m.CPUs))
	}
	if c.Memory == "" && m.Memory > 0 {
		c.Memory = fleet.Quantity(strconv.FormatInt(m.Memory/1024, 10) + "Ki")
	}
	if c.Containers == 0 {
		c.Containers = DefaultContainers
	}
	return c
}
