package handlers

// This file only holds the place of methods whose bodies are being written; it goes with the last of them.

import (
	"log/slog"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// PagesDeps are everything that Pages works with. All are required.
type PagesDeps struct {
	Control  *control.Control
	Words    *locale.Catalogue
	Sessions Sessions
	Cookies  Cookies
	Now      control.Clock
	Logger   *slog.Logger
}

// Pages answers the console's HTML. Path values are ns, name, node and id; who is asking stands in the context.
type Pages struct{ PagesDeps }

// NewPages makes the console's pages.
func NewPages(d PagesDeps) *Pages { return &Pages{d} }

// Refuse answers a code as a whole, as a page: what web's middleware refuses before a handler is asked. 401 of a
// GET becomes 303 to /login?next=….
func (p *Pages) Refuse(w http.ResponseWriter, r *http.Request, status int, code fleet.Code) {
	panic("shape")
}

// Public.
func (p *Pages) LoginForm(w http.ResponseWriter, r *http.Request)          { panic("shape") } // GET /login
func (p *Pages) SignIn(w http.ResponseWriter, r *http.Request)             { panic("shape") } // POST /login
func (p *Pages) SetupForm(w http.ResponseWriter, r *http.Request)          { panic("shape") } // GET /setup?token=
func (p *Pages) SetUp(w http.ResponseWriter, r *http.Request)              { panic("shape") } // POST /setup
func (p *Pages) Preferences(w http.ResponseWriter, r *http.Request)        { panic("shape") } // POST /preferences
func (p *Pages) DocsResidency(w http.ResponseWriter, r *http.Request)      { panic("shape") } // GET /docs/residency
func (p *Pages) DocsDeployment(w http.ResponseWriter, r *http.Request)     { panic("shape") } // GET /docs/deployment
func (p *Pages) DocsDeploymentJSON(w http.ResponseWriter, r *http.Request) { panic("shape") } // GET /docs/deployment.json
func (p *Pages) DocsRejections(w http.ResponseWriter, r *http.Request)     { panic("shape") } // GET /docs/rejections
func (p *Pages) DocsRejectionsJSON(w http.ResponseWriter, r *http.Request) { panic("shape") } // GET /docs/rejections.json
func (p *Pages) DocsPlacement(w http.ResponseWriter, r *http.Request)      { panic("shape") } // GET /docs/placement
func (p *Pages) DocsNeverScheduled(w http.ResponseWriter, r *http.Request) { panic("shape") } // GET /docs/never-scheduled

// Signed in.
func (p *Pages) SignOut(w http.ResponseWriter, r *http.Request)        { panic("shape") } // POST /logout
func (p *Pages) Overview(w http.ResponseWriter, r *http.Request)       { panic("shape") } // GET /
func (p *Pages) Pending(w http.ResponseWriter, r *http.Request)        { panic("shape") } // GET /pending
func (p *Pages) Account(w http.ResponseWriter, r *http.Request)        { panic("shape") } // GET /account
func (p *Pages) ChangePassword(w http.ResponseWriter, r *http.Request) { panic("shape") } // POST /account/password
func (p *Pages) CreateToken(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST /account/tokens
func (p *Pages) DeleteToken(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST /account/tokens/{id}/delete
func (p *Pages) EndSessions(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST /account/sessions/revoke

// Deployments: the tenant's, operators; support reads.
func (p *Pages) Deployments(w http.ResponseWriter, r *http.Request)         { panic("shape") } // GET /namespaces/{ns}/deployments
func (p *Pages) CreateDeployment(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST /namespaces/{ns}/deployments
func (p *Pages) NewDeployment(w http.ResponseWriter, r *http.Request)       { panic("shape") } // GET /namespaces/{ns}/deployments/new
func (p *Pages) Deployment(w http.ResponseWriter, r *http.Request)          { panic("shape") } // GET /namespaces/{ns}/deployments/{name}
func (p *Pages) UpdateDeployment(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST /namespaces/{ns}/deployments/{name}
func (p *Pages) EditDeployment(w http.ResponseWriter, r *http.Request)      { panic("shape") } // GET …/{name}/edit
func (p *Pages) ConfirmDelete(w http.ResponseWriter, r *http.Request)       { panic("shape") } // GET …/{name}/delete
func (p *Pages) DeleteDeployment(w http.ResponseWriter, r *http.Request)    { panic("shape") } // POST …/{name}/delete
func (p *Pages) DeploymentEvents(w http.ResponseWriter, r *http.Request)    { panic("shape") } // GET …/{name}/events
func (p *Pages) DeploymentRevisions(w http.ResponseWriter, r *http.Request) { panic("shape") } // GET …/{name}/revisions
func (p *Pages) RollbackDeployment(w http.ResponseWriter, r *http.Request)  { panic("shape") } // POST …/{name}/rollback

// Operators; support reads.
func (p *Pages) ResidencySettings(w http.ResponseWriter, r *http.Request)     { panic("shape") } // GET /settings/residency
func (p *Pages) SaveResidencySettings(w http.ResponseWriter, r *http.Request) { panic("shape") } // POST /settings/residency
func (p *Pages) Nodes(w http.ResponseWriter, r *http.Request)                 { panic("shape") } // GET /nodes
func (p *Pages) ConfirmDrain(w http.ResponseWriter, r *http.Request)          { panic("shape") } // GET /nodes/{node}/drain
func (p *Pages) CordonNode(w http.ResponseWriter, r *http.Request)            { panic("shape") } // POST /nodes/{node}/cordon
func (p *Pages) UncordonNode(w http.ResponseWriter, r *http.Request)          { panic("shape") } // POST /nodes/{node}/uncordon
func (p *Pages) DrainNode(w http.ResponseWriter, r *http.Request)             { panic("shape") } // POST /nodes/{node}/drain
func (p *Pages) Clusters(w http.ResponseWriter, r *http.Request)              { panic("shape") } // GET /clusters
func (p *Pages) Tenants(w http.ResponseWriter, r *http.Request)               { panic("shape") } // GET /tenants
func (p *Pages) Audit(w http.ResponseWriter, r *http.Request)                 { panic("shape") } // GET /audit
