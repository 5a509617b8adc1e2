// Package simulated is a runtime inside the agent, for the demo and for tests of scale: nothing runs. Agents enrol
// with the runtime "simulated", so that every page and the API can say that it is so.
//
// What a container does is read from its assignment, so that it can be told by anybody who writes a manifest:
//
//	the image's reference contains "fail"         it cannot be pulled: state failed
//	the image's reference contains "unhealthy"    it runs and is unhealthy
//	the image's reference contains "stubborn"     it ends only when its grace is over
//	command (with args) is [exit, N]              it ends with exit code N as soon as it has started
//	command (with args) is [sleep, SECONDS]       it runs that long and ends with exit code 0
//	anything else                                 it runs until it is stopped
//
// An Engine stands for a machine's engine: it outlives the agents that use it, holds the containers of several
// nodes, and each agent sees its own node's alone. The state of a container is a function of the time, so a thousand
// of them cost no goroutine and no timer.
//
// cmd gives each simulated agent a runtime by New, with an engine of its own; tests share an Engine over the deaths
// of agents and reach behind their backs with Kill and Remove.
package simulated
