package handlers

// This file only holds the place of methods whose bodies are being written; it goes with the last of them.

import (
	"log/slog"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// API answers the JSON API for people and their tools. The route table mounts its methods; path values are ns,
// name, tenant, cluster, node and id. Who is asking stands in the context: control.WithActor.
type API struct{}

// NewAPI makes the JSON API. It speaks English.
func NewAPI(c *control.Control, words *locale.Catalogue, logger *slog.Logger) *API { panic("shape") }

// Agents answers the agents' API: control.WithAgent.
type Agents struct{}

// NewAgents makes the agents' API.
func NewAgents(c *control.Control, words *locale.Catalogue, logger *slog.Logger) *Agents {
	panic("shape")
}

// WriteProblem answers one code as a whole, as application/problem+json: what web's middleware refuses before a
// handler is asked. It writes neither request id nor time.
func WriteProblem(w http.ResponseWriter, words *locale.Words, status int, code fleet.Code) {
	panic("shape")
}

func (a *API) Apply(w http.ResponseWriter, r *http.Request) { panic("shape") } // POST /api/v1/apply

func (a *API) ListTenants(w http.ResponseWriter, r *http.Request)  { panic("shape") }
func (a *API) CreateTenant(w http.ResponseWriter, r *http.Request) { panic("shape") }
func (a *API) GetTenant(w http.ResponseWriter, r *http.Request)    { panic("shape") }
func (a *API) DeleteTenant(w http.ResponseWriter, r *http.Request) { panic("shape") }

func (a *API) ListNamespaces(w http.ResponseWriter, r *http.Request)  { panic("shape") }
func (a *API) CreateNamespace(w http.ResponseWriter, r *http.Request) { panic("shape") }

// Users and tokens: without {tenant} in the path they are the platform's own.
func (a *API) ListUsers(w http.ResponseWriter, r *http.Request)   { panic("shape") }
func (a *API) CreateUser(w http.ResponseWriter, r *http.Request)  { panic("shape") }
func (a *API) DeleteUser(w http.ResponseWriter, r *http.Request)  { panic("shape") } // …/users/{id}
func (a *API) ListTokens(w http.ResponseWriter, r *http.Request)  { panic("shape") }
func (a *API) CreateToken(w http.ResponseWriter, r *http.Request) { panic("shape") }
func (a *API) DeleteToken(w http.ResponseWriter, r *http.Request) { panic("shape") } // …/tokens/{id}

func (a *API) ListClusters(w http.ResponseWriter, r *http.Request)         { panic("shape") }
func (a *API) CreateCluster(w http.ResponseWriter, r *http.Request)        { panic("shape") }
func (a *API) GetCluster(w http.ResponseWriter, r *http.Request)           { panic("shape") }
func (a *API) PutCluster(w http.ResponseWriter, r *http.Request)           { panic("shape") }
func (a *API) DeleteCluster(w http.ResponseWriter, r *http.Request)        { panic("shape") }
func (a *API) CreateEnrolmentToken(w http.ResponseWriter, r *http.Request) { panic("shape") }

func (a *API) ListNodes(w http.ResponseWriter, r *http.Request)    { panic("shape") }
func (a *API) GetNode(w http.ResponseWriter, r *http.Request)      { panic("shape") }
func (a *API) DeleteNode(w http.ResponseWriter, r *http.Request)   { panic("shape") }
func (a *API) RefuseNode(w http.ResponseWriter, r *http.Request)   { panic("shape") } // PUT and PATCH
func (a *API) CordonNode(w http.ResponseWriter, r *http.Request)   { panic("shape") }
func (a *API) UncordonNode(w http.ResponseWriter, r *http.Request) { panic("shape") }
func (a *API) DrainNode(w http.ResponseWriter, r *http.Request)    { panic("shape") }
func (a *API) NodeEvents(w http.ResponseWriter, r *http.Request)   { panic("shape") } // GET /api/v1/nodes/{node}/events

func (a *API) ListDeployments(w http.ResponseWriter, r *http.Request)    { panic("shape") }
func (a *API) CreateDeployment(w http.ResponseWriter, r *http.Request)   { panic("shape") }
func (a *API) GetDeployment(w http.ResponseWriter, r *http.Request)      { panic("shape") }
func (a *API) PutDeployment(w http.ResponseWriter, r *http.Request)      { panic("shape") }
func (a *API) DeleteDeployment(w http.ResponseWriter, r *http.Request)   { panic("shape") }
func (a *API) GetPlacement(w http.ResponseWriter, r *http.Request)       { panic("shape") }
func (a *API) ListEvents(w http.ResponseWriter, r *http.Request)         { panic("shape") }
func (a *API) ListRevisions(w http.ResponseWriter, r *http.Request)      { panic("shape") }
func (a *API) RollbackDeployment(w http.ResponseWriter, r *http.Request) { panic("shape") }

func (a *API) GetRegions(w http.ResponseWriter, r *http.Request)      { panic("shape") }
func (a *API) GetGeography(w http.ResponseWriter, r *http.Request)    { panic("shape") }
func (a *API) GetGeoAwareness(w http.ResponseWriter, r *http.Request) { panic("shape") }
func (a *API) PutGeoAwareness(w http.ResponseWriter, r *http.Request) { panic("shape") }

func (a *API) ListPending(w http.ResponseWriter, r *http.Request) { panic("shape") }
func (a *API) ListAudit(w http.ResponseWriter, r *http.Request)   { panic("shape") }

func (a *Agents) Enrol(w http.ResponseWriter, r *http.Request)       { panic("shape") } // POST /api/v1/agents/enrol
func (a *Agents) Status(w http.ResponseWriter, r *http.Request)      { panic("shape") } // PUT /api/v1/agents/self/status
func (a *Agents) Assignments(w http.ResponseWriter, r *http.Request) { panic("shape") } // GET /api/v1/agents/self/assignments, a Stream
