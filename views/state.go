package views

import "odysseus/fleet"

// State is what a badge shows: a shape, a word (state.STATE) and only then a colour.
type State string

// States of deployments and of nodes; blocked is what an override holds back.
const (
	StatePlaced   State = "placed"
	StatePartly   State = "partly"
	StatePending  State = "pending"
	StateWaiting  State = "waiting"
	StateDrift    State = "drift"
	StateRefused  State = "refused"
	StateAccepted State = "accepted"
	StateLive     State = "live"
	StateLost     State = "lost"
	StateCordoned State = "cordoned"
	StateDraining State = "draining"
	StateBlocked  State = "blocked"
)

var stateOf = map[fleet.PlacementState]State{
	fleet.Placed: StatePlaced, fleet.PartlyPlaced: StatePartly, fleet.Pending: StatePending, fleet.Waiting: StateWaiting,
}

// StateOf names the badge of a placement.
func StateOf(s fleet.PlacementState) State {
	if state, known := stateOf[s]; known {
		return state
	}
	return StateWaiting
}

// FilterDrifting is asked for among the states of a list: it is no state of placement and stands beside it.
const FilterDrifting = "Drifting"

// shape of a state: told apart without colour, and without reading.
func (s State) shape() string {
	switch s {
	case StatePlaced, StateAccepted, StateLive:
		return "●"
	case StatePartly, StateDraining:
		return "◐"
	case StatePending, StateWaiting, StateCordoned:
		return "○"
	case StateDrift:
		return "▲"
	default:
		return "■"
	}
}

// class colours it.
func (s State) class() string {
	switch s {
	case StateAccepted, StateLive:
		return "state placed"
	case StateCordoned:
		return "state pending"
	case StateBlocked:
		return "state refused"
	default:
		return "state " + string(s)
	}
}
