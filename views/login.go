package views

// LoginPage is the sign-in.
type LoginPage struct {
	Chrome Chrome
	// Email as typed; Next is the local path to go to afterwards.
	Email, Next string
	// Problem says in words why the last attempt failed; empty before the first.
	Problem string
}

// SetupPage is the first-run set-up: the first operator.
type SetupPage struct {
	Chrome Chrome
	Token  string
	Email  string
	// Closed says that the link is not the printed one, or was used.
	Closed   bool
	Refusals []Refusal
}

// ProblemPage answers a code as a whole.
type ProblemPage struct {
	Chrome Chrome
	Status int
	// Title and Message are in words.
	Title, Message string
	Code           string
	// Hint says in words what would help; empty where nothing is known to.
	Hint string
}

// ConfirmPage asks once before a destructive act, saying what it will do.
type ConfirmPage struct {
	Chrome Chrome
	Crumbs []Crumb
	// Title, Consequences and Button are in words.
	Title        string
	Consequences []string
	Button       string
	// Action is where the form posts to; Cancel where to go instead.
	Action, Cancel string
	Hidden         []Hidden
	// Fields are asked beside; usually none.
	Fields   []Field
	Refusals []Refusal
}

// Hidden is a form value that nobody sees.
type Hidden struct{ Name, Value string }
