package fleet

import "time"

// Role is what an account or token may do; control holds the table.
type Role string

// Roles: operator and support are the platform's, editor and viewer belong to one tenant.
const (
	RoleOperator Role = "operator"
	RoleSupport  Role = "support"
	RoleEditor   Role = "editor"
	RoleViewer   Role = "viewer"
)

// Platform says whether the role belongs to no tenant.
func (r Role) Platform() bool { return r == RoleOperator || r == RoleSupport }

// Tenant is a customer of the platform. Its name never changes.
type Tenant struct {
	Name        string    `json:"name"`
	DisplayName string    `json:"displayName"`
	CreatedAt   time.Time `json:"createdAt"`
}

// Namespace belongs to one tenant; names are unique over all tenants.
type Namespace struct {
	Name      string    `json:"name"`
	Tenant    string    `json:"tenant"`
	CreatedAt time.Time `json:"createdAt"`
}

// User signs in to the console. Tenant is empty for the platform's roles.
type User struct {
	ID           string    `json:"id"`
	Email        string    `json:"email"`
	Tenant       string    `json:"tenant,omitempty"`
	Role         Role      `json:"role"`
	PasswordHash string    `json:"-"`
	CreatedAt    time.Time `json:"createdAt"`
	// SessionEpoch rises when every session of the user is to end: a new password, or "sign out everywhere".
	SessionEpoch int64 `json:"-"`
}

// Token is an API token. Only the hash is stored.
type Token struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Tenant    string    `json:"tenant,omitempty"`
	Role      Role      `json:"role"`
	Hash      string    `json:"-"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// EnrolmentToken lets agents join one cluster until Uses is used up or ExpiresAt has passed.
type EnrolmentToken struct {
	ID        string    `json:"id"`
	Cluster   string    `json:"cluster"`
	Hash      string    `json:"-"`
	Uses      int       `json:"uses"`
	Used      int       `json:"used"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Revision is a spec that a deployment once had.
type Revision struct {
	Number    int64          `json:"revision"`
	Spec      DeploymentSpec `json:"spec"`
	CreatedAt time.Time      `json:"createdAt"`
	Actor     string         `json:"actor"`
}

// AuditEntry says who wrote what when, from where, and whether it was accepted. Append-only.
type AuditEntry struct {
	ID        int64     `json:"id"`
	Time      time.Time `json:"time"`
	Actor     string    `json:"actor"` // an email, or "token NAME", "node NAME", "set-up"
	Role      Role      `json:"role"`
	Tenant    string    `json:"tenant,omitempty"`
	Address   string    `json:"address"`
	Verb      string    `json:"verb"` // create, update, delete, rollback, sign-in, cordon, …
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`
	Accepted  bool      `json:"accepted"`
	Codes     []Code    `json:"codes,omitempty"`
	// Changes are the fields that a write changed, or of a refused write the values it was refused for. Texts
	// are cut at MaxAuditText characters; secrets never stand here.
	Changes []Change `json:"changes,omitempty"`
}

// Change is one field before and after; empty where it was absent.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// MaxAuditText is the most characters of a quoted value that the audit keeps.
const MaxAuditText = 200

// ListOptions select a page of a list, ordered by name (or newest first where the list says so).
type ListOptions struct {
	Limit int    // 1 to 500
	After string // the cursor that the previous page answered; empty for the first
	Query string // q: a part of the name
	// Labels is the parsed labelSelector; nil selects all.
	Labels Selector
}

// Selector decides on an object's labels.
type Selector interface {
	Matches(labels map[string]string) bool
}

// DeploymentFilter narrows a list of deployments beside ListOptions.
type DeploymentFilter struct {
	Tenant    string // empty: every tenant (the platform's roles)
	Namespace string // empty: every namespace of the tenant
	State     PlacementState
	// Residency matches a country code or a region name that the deployment requires; "any" those that declare
	// one, "none" those that do not, "drift" those that run outside theirs.
	Residency string
	// Drifting leaves out those that run nothing outside their residency.
	Drifting bool
	// PendingFirst orders by how long replicas have been pending, oldest first, and leaves out the others.
	PendingFirst bool
}

// NodeFilter narrows a list of nodes.
type NodeFilter struct {
	Cluster string
}
