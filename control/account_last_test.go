package control_test

import (
	"errors"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func TestTheLastOperatorIsNotDeleted(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	first := r.user("", "op@example.test", fleet.RoleOperator)
	watcher := r.user("", "help@example.test", fleet.RoleSupport)
	editor := r.user("acme", "ada@acme.test", fleet.RoleEditor)
	remove := func(a control.Actor, u fleet.User, o control.WriteOptions) (fleet.FieldErrors, error) {
		_, faults, err := r.DeleteUser(r.ctx, a, u.Tenant, u.ID, o)
		return faults, err
	}
	for _, o := range []control.WriteOptions{nothing, dryRun} {
		faults, err := remove(root, first, o)
		if err != nil || !sameCodes(faults.Codes(), fleet.CodeLastOperator) || faults[0].Field != "email" || faults[0].Value != "op@example.test" {
			t.Errorf("refused %+v, error %v", faults, err)
		}
	}
	if e := r.audit(1)[0]; e.Accepted || e.Verb != "delete" || e.Name != "op@example.test" || !sameCodes(e.Codes, fleet.CodeLastOperator) {
		t.Errorf("audited %+v", e)
	}
	if _, err := remove(helper, first, nothing); !errors.Is(err, control.ErrForbidden) {
		t.Errorf("support is told %v", err)
	}
	second := r.user("", "second@example.test", fleet.RoleOperator)
	for _, u := range []fleet.User{watcher, editor, first} {
		r.must(remove(root, u, nothing))
	}
	if faults, err := remove(root, second, nothing); err != nil || !sameCodes(faults.Codes(), fleet.CodeLastOperator) {
		t.Errorf("the one that is left: refused %+v, error %v", faults, err)
	}
}
