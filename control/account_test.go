package control_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
)

const password = "correct horse battery staple"

func (r *rig) user(tenant, email string, role fleet.Role) fleet.User {
	r.t.Helper()
	w, faults, err := r.CreateUser(r.ctx, root, tenant, control.Body[control.NewUser]{Value: control.NewUser{Email: email, Password: password, Role: role}}, nothing)
	r.must(faults, err)
	return w.Object
}

func TestPeopleAreHeldToTheRules(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.user("acme", "taken@acme.test", fleet.RoleViewer)
	for name, c := range map[string]struct {
		tenant, email, password string
		role                    fleet.Role
		code                    fleet.Code
		field                   string
	}{
		"no email":                    {"acme", "", password, "viewer", fleet.CodeRequired, "email"},
		"no address":                  {"acme", "ada", password, "viewer", fleet.CodeEmailInvalid, "email"},
		"a name with the address":     {"acme", "Ada <ada@acme.test>", password, "viewer", fleet.CodeEmailInvalid, "email"},
		"taken":                       {"acme", "Taken@Acme.test", password, "viewer", fleet.CodeAlreadyExists, "email"},
		"no password":                 {"acme", "ada@acme.test", "", "viewer", fleet.CodeRequired, "password"},
		"seven characters":            {"acme", "ada@acme.test", "7chars!", "viewer", fleet.CodePasswordInvalid, "password"},
		"129 characters":              {"acme", "ada@acme.test", strings.Repeat("é", 129), "viewer", fleet.CodePasswordInvalid, "password"},
		"one of the most common":      {"acme", "ada@acme.test", "password1", "viewer", fleet.CodePasswordInvalid, "password"},
		"the same in capitals":        {"acme", "ada@acme.test", "PassWord1", "viewer", fleet.CodePasswordInvalid, "password"},
		"the address":                 {"acme", "ada@acme.test", "Ada@acme.test", "viewer", fleet.CodePasswordInvalid, "password"},
		"a platform's role":           {"acme", "ada@acme.test", password, "operator", fleet.CodeRoleInvalid, "role"},
		"a tenant's role, platform's": {"", "ada@acme.test", password, "editor", fleet.CodeRoleInvalid, "role"},
		"no role":                     {"acme", "ada@acme.test", password, "", fleet.CodeRequired, "role"},
	} {
		t.Run(name, func(t *testing.T) {
			b := control.Body[control.NewUser]{Value: control.NewUser{Email: c.email, Password: c.password, Role: c.role}}
			_, faults, err := r.CreateUser(r.ctx, root, c.tenant, b, nothing)
			if err != nil || !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field {
				t.Fatalf("refused %+v, error %v", faults, err)
			}
			if c.field == "password" && faults[0].Value != "" {
				t.Errorf("quoted the password: %+v", faults[0])
			}
			if e := r.audit(1)[0]; c.password != "" && strings.Contains(text(e), c.password) && c.password != strings.ToLower(c.email) {
				t.Errorf("audited the password: %+v", e)
			}
		})
	}
	for name, good := range map[string]string{"eight characters": "8 chars!", "128 characters": strings.Repeat("é", 128)} {
		_, faults, err := r.CreateUser(r.ctx, root, "acme", control.Body[control.NewUser]{Value: control.NewUser{Email: strings.ReplaceAll(name, " ", "-") + "@acme.test", Password: good, Role: "viewer"}}, nothing)
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
	}
}

// text is an audit entry's every word.
func text(e fleet.AuditEntry) string {
	var b strings.Builder
	for _, s := range []string{e.Actor, e.Name, e.Namespace} {
		b.WriteString(s + "\n")
	}
	for _, c := range e.Changes {
		b.WriteString(c.Field + "\n" + c.Before + "\n" + c.After + "\n")
	}
	return b.String()
}

func TestNothingOfASecretIsQuotedBack(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	for name, body := range map[string]string{
		"a number":        `{"email": "ada@acme.test", "password": 31415926535, "role": "viewer"}`,
		"a list":          `{"email": "ada@acme.test", "password": ["31415926535"], "role": "viewer"}`,
		"not even a map":  `["31415926535"]`,
		"the whole twice": `{"email": "ada@acme.test", "password": "31415926535", "password": "31415926535", "role": "viewer"}`,
	} {
		_, faults, err := r.CreateUser(r.ctx, root, "acme", control.ParseBody[control.NewUser]([]byte(body), fleet.FormatJSON), nothing)
		if err != nil || len(faults) == 0 {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
		for _, f := range faults {
			if strings.Contains(f.Value, "31415") {
				t.Errorf("%s: quoted %+v", name, f)
			}
		}
		if strings.Contains(text(r.audit(1)[0]), "31415") {
			t.Errorf("%s: audited it", name)
		}
	}
}

func TestSignInTellsNothingOfWhoIsThere(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	u := r.user("acme", "Ada@acme.test", fleet.RoleEditor)
	for name, c := range map[string]struct {
		email, password string
		want            error
	}{
		"right":                        {"ada@acme.test", password, nil},
		"right, in capitals":           {"ADA@ACME.TEST", password, nil},
		"wrong password":               {"ada@acme.test", "wrong password", control.ErrSignInFailed},
		"unknown account":              {"eve@acme.test", password, control.ErrSignInFailed},
		"nothing":                      {"", "", control.ErrSignInFailed},
		"a password of a megabyte":     {"ada@acme.test", strings.Repeat("a", 1<<20), control.ErrSignInFailed},
		"known account, no password":   {"ada@acme.test", "", control.ErrSignInFailed},
		"unknown account, no password": {"eve@acme.test", "", control.ErrSignInFailed},
	} {
		got, err := r.SignIn(r.ctx, c.email, c.password, "192.0.2.7")
		if !errors.Is(err, c.want) || err == nil && got.ID != u.ID {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		e := r.audit(1)[0]
		if e.Verb != "sign-in" || e.Kind != "Session" || e.Accepted != (c.want == nil) || e.Address != "192.0.2.7" {
			t.Errorf("%s: audited %+v", name, e)
		}
	}
	a, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch, "192.0.2.7")
	if err != nil || a.Name != "ada@acme.test" || a.Role != fleet.RoleEditor || a.Tenant != "acme" || a.UserID != u.ID {
		t.Errorf("actor %+v, error %v", a, err)
	}
	if _, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch+1, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("another epoch: %v", err)
	}
	if _, err := r.ActorOf(r.ctx, "nobody", 1, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("nobody: %v", err)
	}
}

func TestTheSixthFailedSignInOfAnAccountIsNotJudged(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	u := r.user("acme", "ada@acme.test", fleet.RoleEditor)
	r.user("acme", "bob@acme.test", fleet.RoleEditor)
	for i := range 5 {
		if _, err := r.SignIn(r.ctx, "ada@acme.test", "wrong password", "192.0.2.7"); !errors.Is(err, control.ErrSignInFailed) {
			t.Fatalf("failure %d: %v", i+1, err)
		}
	}
	var tooMany *control.TooManyError
	for name, try := range map[string]string{"wrong": "wrong password", "right": password} {
		if _, err := r.SignIn(r.ctx, "Ada@acme.test", try, "192.0.2.8"); !errors.As(err, &tooMany) || tooMany.RetryAfter <= 0 || tooMany.RetryAfter > time.Minute {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.SignIn(r.ctx, "bob@acme.test", password, "192.0.2.7"); err != nil {
		t.Errorf("another account: %v", err)
	}
	if _, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch, ""); err != nil {
		t.Errorf("an open session: %v", err)
	}
	r.clock.add(tooMany.RetryAfter)
	if _, err := r.SignIn(r.ctx, "ada@acme.test", password, "192.0.2.7"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestTheThirtiethFailedSignInOfAnAddressIsNotJudged(t *testing.T) {
	r := newRig(t)
	for i := range 29 {
		if _, err := r.SignIn(r.ctx, "nobody"+string(rune('a'+i))+"@acme.test", password, "192.0.2.7"); !errors.Is(err, control.ErrSignInFailed) {
			t.Fatalf("failure %d: %v", i+1, err)
		}
	}
	var tooMany *control.TooManyError
	if _, err := r.SignIn(r.ctx, "nobody@acme.test", password, "192.0.2.7"); !errors.As(err, &tooMany) {
		t.Errorf("the thirtieth: %v", err)
	}
	if _, err := r.SignIn(r.ctx, "nobody@acme.test", password, "192.0.2.8"); !errors.Is(err, control.ErrSignInFailed) {
		t.Errorf("another address: %v", err)
	}
}

func TestManyAtOnceCannotGuessMore(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.user("acme", "ada@acme.test", fleet.RoleEditor)
	var mu sync.Mutex
	judged := 0
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			_, err := r.SignIn(r.ctx, "ada@acme.test", "wrong password", "192.0.2.7")
			if errors.Is(err, control.ErrSignInFailed) {
				mu.Lock()
				judged++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if judged != 5 {
		t.Errorf("%d were judged", judged)
	}
}

func TestAPasswordChangeEndsTheOtherSessions(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	u := r.user("acme", "ada@acme.test", fleet.RoleEditor)
	a, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch, "192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	_, faults, err := r.ChangePassword(r.ctx, a, "wrong password", "short")
	if err != nil || !sameCodes(faults.Codes(), fleet.CodePasswordInvalid, fleet.CodeSignInFailed) || faults[0].Field != "newPassword" || faults[1].Field != "password" {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	changed, faults, err := r.ChangePassword(r.ctx, a, password, "another long enough one")
	r.must(faults, err)
	if _, err := r.ActorOf(r.ctx, u.ID, u.SessionEpoch, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("the old epoch: %v", err)
	}
	if _, err := r.ActorOf(r.ctx, u.ID, changed.SessionEpoch, ""); err != nil {
		t.Errorf("the new epoch: %v", err)
	}
	if _, err := r.SignIn(r.ctx, "ada@acme.test", "another long enough one", ""); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if err := r.EndSessions(r.ctx, a); err != nil {
		t.Error(err)
	}
	if _, err := r.ActorOf(r.ctx, u.ID, changed.SessionEpoch, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("signed out everywhere: %v", err)
	}
	if _, _, err := r.ChangePassword(r.ctx, acme, password, "another long enough one"); !errors.Is(err, control.ErrForbidden) {
		t.Errorf("a token's password: %v", err)
	}
}

func TestTokensAreShownOnceAndEnd(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	issue := func(a control.Actor, tenant string, n control.NewToken) (control.Issued[fleet.Token], fleet.FieldErrors) {
		w, faults, err := r.CreateToken(r.ctx, a, tenant, control.Body[control.NewToken]{Value: n}, nothing)
		if err != nil {
			t.Fatal(err)
		}
		return w.Object, faults
	}
	i, faults := issue(acme, "acme", control.NewToken{Name: "ci", Role: "editor", ExpiresIn: "1h"})
	r.must(faults, nil)
	if strings.Contains(text(r.audit(1)[0]), i.Secret) || i.Token.Hash == i.Secret {
		t.Error("the secret is kept")
	}
	a, err := r.Authenticate(r.ctx, i.Secret, "192.0.2.7")
	if err != nil || a != (control.Actor{Name: "token ci", Role: "editor", Tenant: "acme", Address: "192.0.2.7"}) {
		t.Errorf("actor %+v, error %v", a, err)
	}
	page, err := r.Tokens(r.ctx, acme, "acme", all)
	if err != nil || len(page.Items) != 1 || page.Items[0].Name != "ci" {
		t.Errorf("tokens %+v, error %v", page, err)
	}
	for name, bearer := range map[string]string{"nonsense": "nonsense", "nothing": "", "the hash": i.Token.Hash, "the id": i.Token.ID} {
		if _, err := r.Authenticate(r.ctx, bearer, ""); !errors.Is(err, control.ErrUnauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.clock.add(time.Hour)
	if _, err := r.Authenticate(r.ctx, i.Secret, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("expired: %v", err)
	}
	second, faults := issue(root, "acme", control.NewToken{Name: "second", Role: "viewer"})
	r.must(faults, nil)
	if _, _, err := r.DeleteToken(r.ctx, globex, "acme", second.Token.ID, nothing); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("somebody else deletes it: %v", err)
	}
	_, faults, err = r.DeleteToken(r.ctx, acme, "acme", second.Token.ID, nothing)
	r.must(faults, err)
	if _, err := r.Authenticate(r.ctx, second.Secret, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("revoked: %v", err)
	}
	if _, _, err := r.DeleteToken(r.ctx, acme, "acme", second.Token.ID, nothing); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	for name, c := range map[string]struct {
		n     control.NewToken
		code  fleet.Code
		field string
	}{
		"no name":         {control.NewToken{Role: "viewer"}, fleet.CodeRequired, "name"},
		"not a name":      {control.NewToken{Name: "C I", Role: "viewer"}, fleet.CodeNameInvalid, "name"},
		"another role":    {control.NewToken{Name: "ci", Role: "operator"}, fleet.CodeRoleInvalid, "role"},
		"no duration":     {control.NewToken{Name: "ci", Role: "viewer", ExpiresIn: "1 day"}, fleet.CodeDurationInvalid, "expiresIn"},
		"a past duration": {control.NewToken{Name: "ci", Role: "viewer", ExpiresIn: "-1h"}, fleet.CodeDurationInvalid, "expiresIn"},
		"a century":       {control.NewToken{Name: "ci", Role: "viewer", ExpiresIn: "876000h"}, fleet.CodeOutOfRange, "expiresIn"},
	} {
		if _, faults := issue(acme, "acme", c.n); !sameCodes(faults.Codes(), c.code) || faults[0].Field != c.field {
			t.Errorf("%s: refused %+v", name, faults)
		}
	}
}

func TestBootstrapCreatesTheFirstOperatorOnce(t *testing.T) {
	r := newRig(t)
	b := control.Bootstrap{Operator: "Op@example.test", Password: password, Token: "bb-operator-token-0123456789abcdef0123456789"}
	for name, bad := range map[string]control.Bootstrap{
		"no password":       {Operator: b.Operator},
		"no operator":       {Password: b.Password},
		"no address":        {Operator: "op", Password: b.Password},
		"a common password": {Operator: b.Operator, Password: "password1"},
		"a token to guess":  {Operator: b.Operator, Password: b.Password, Token: "secret"},
	} {
		if _, faults, err := r.Bootstrap(r.ctx, bad); err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0].Field, "ODYSSEUS_BOOTSTRAP_") {
			t.Errorf("%s: refused %+v, error %v", name, faults, err)
		}
	}
	for range 2 { // the second start changes nothing
		secret, faults, err := r.Bootstrap(r.ctx, b)
		r.must(faults, err)
		if secret != "" {
			t.Error("a set-up secret beside an operator")
		}
	}
	if _, err := r.SignIn(r.ctx, "op@example.test", password, ""); err != nil {
		t.Error(err)
	}
	a, err := r.Authenticate(r.ctx, b.Token, "")
	if err != nil || a.Role != fleet.RoleOperator || a.Tenant != "" {
		t.Errorf("actor %+v, error %v", a, err)
	}
	if open, err := r.SetupOpen(r.ctx); err != nil || open {
		t.Errorf("set-up open %v, error %v", open, err)
	}
}

func TestSetUpTakesThePrintedSecretOnce(t *testing.T) {
	r := newRig(t)
	first, faults, err := r.Bootstrap(r.ctx, control.Bootstrap{})
	r.must(faults, err)
	secret, faults, err := r.Bootstrap(r.ctx, control.Bootstrap{})
	r.must(faults, err)
	if open, err := r.SetupOpen(r.ctx); err != nil || !open || first == "" || secret == first {
		t.Errorf("set-up open %v, error %v", open, err)
	}
	form := func(secret, password string) control.SetupForm {
		return control.SetupForm{Secret: secret, Email: "op@example.test", Password: password}
	}
	for name, wrong := range map[string]string{"of an earlier start": first, "nonsense": "x", "nothing": ""} {
		if _, _, err := r.SetUp(r.ctx, form(wrong, password), "192.0.2.7"); !errors.Is(err, control.ErrUnauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, faults, err := r.SetUp(r.ctx, form(secret, "short"), "192.0.2.7"); err != nil || !sameCodes(faults.Codes(), fleet.CodePasswordInvalid) {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	u, faults, err := r.SetUp(r.ctx, form(secret, password), "192.0.2.7")
	r.must(faults, err)
	if u.Role != fleet.RoleOperator || u.Tenant != "" {
		t.Errorf("created %+v", u)
	}
	if _, _, err := r.SetUp(r.ctx, form(secret, password), "192.0.2.7"); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("twice: %v", err)
	}
	if open, err := r.SetupOpen(r.ctx); err != nil || open {
		t.Errorf("set-up open %v, error %v", open, err)
	}
}

func TestWaitingToHashEndsWithTheRequest(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	if _, err := r.SignIn(ctx, "ada@acme.test", password, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("answered %v", err)
	}
}
