package handlers

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// longPoll is how long an agent's question for news may stay open.
const longPoll = 30 * time.Second

// Agents answers the agents' API. Whose agent asks stands in the context: control.WithAgent.
type Agents struct {
	edge
	control *control.Control
}

// NewAgents makes the agents' API.
func NewAgents(c *control.Control, words *locale.Catalogue, logger *slog.Logger) *Agents {
	return &Agents{edge: edge{words: words.Words(), log: logger}, control: c}
}

// orders are what every agent is to obey.
type orders struct {
	HeartbeatSeconds int `json:"heartbeatSeconds"`
	LeaseSeconds     int `json:"leaseSeconds"`
}

func (a *Agents) orders() orders {
	heartbeat, lease := a.control.Rhythm()
	return orders{HeartbeatSeconds: heartbeat, LeaseSeconds: lease}
}

type enrolledJSON struct {
	Node       string `json:"node"`
	Credential string `json:"credential"`
	orders
}

// Enrol answers POST /api/v1/agents/enrol. The token in the body is what lets it in.
func (a *Agents) Enrol(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody[control.EnrolRequest](a.edge, w, r)
	if !ok {
		return
	}
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr // a listener without ports
	}
	done, faults, err := a.control.Enrol(r.Context(), body, address)
	if a.refused(w, r, faults, err) {
		return
	}
	writeJSON(w, "application/json", http.StatusCreated, enrolledJSON{Node: done.Node.Name, Credential: done.Credential, orders: a.orders()})
}

// Status answers PUT /api/v1/agents/self/status.
func (a *Agents) Status(w http.ResponseWriter, r *http.Request) {
	raw, format, ok := a.readBytes(w, r)
	if !ok {
		return
	}
	faults, err := a.control.Report(r.Context(), control.AgentFrom(r.Context()), raw, format)
	if a.refused(w, r, faults, err) {
		return
	}
	writeJSON(w, "application/json", http.StatusOK, a.orders())
}

// Assignments answers GET /api/v1/agents/self/assignments?since=N: at once without since or with 0, else when the
// version passes N or the long poll ends.
func (a *Agents) Assignments(w http.ResponseWriter, r *http.Request) {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			writeProblem(w, a.words, http.StatusUnprocessableEntity, fleet.FieldErrors{{Code: fleet.CodeWrongType, Field: "since", Value: text, Want: "type_integer",
				Args: map[string]string{"Got": "text", "Want": "integer"}}})
			return
		}
		since = n
	}
	assigned, err := a.control.Assignments(r.Context(), control.AgentFrom(r.Context()), since, longPoll)
	if a.refused(w, r, nil, err) {
		return
	}
	assigned.Containers = filled(assigned.Containers)
	writeJSON(w, "application/json", http.StatusOK, assigned)
}
