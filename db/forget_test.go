package db_test

import (
	"context"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestForgottenSecretsAreEmptyAndAreWrittenAgain(t *testing.T) {
	r := newRig(t)
	key := r.path + ".key"
	stored := r.store(secret("acme", "db", `{"data":{"a":"b25l"},"type":"Opaque","stringData":{"s":"x"}}`), secret("acme", "empty", `{"data":{},"stringData":null}`),
		configMap("acme", "plain", `{"data":{"a":"b"}}`))
	is(t, "under a running server", second(db.ForgetSecrets(t.Context(), r.path, key)), db.ErrLocked)
	is(t, "close", r.Close(), nil)
	refusedKey(t, second(db.ForgetSecrets(t.Context(), r.path, key)), key, "nothing is lost")
	lost := read(t, key)
	write(t, key, []byte("no key"))
	refusedKey(t, second(db.ForgetSecrets(t.Context(), r.path, key)), key, "32 bytes in base64")
	remove(t, key)
	n, err := db.ForgetSecrets(t.Context(), r.path, key)
	is(t, "forget", err, nil)
	same(t, "forgotten", n, 1)
	if string(read(t, key)) == string(lost) {
		t.Error("the lost key was made again")
	}
	n, err = db.ForgetSecrets(t.Context(), r.path, key)
	same(t, "again", n, 0)
	is(t, "again", err, nil)

	again := openRig(t, r.path, db.Options{})
	again.update(func(ctx context.Context, tx *db.Tx) error {
		s, err := tx.Resource(ctx, "acme", keyOf("Secret", "db"))
		same(t, "object", string(s.Object), `{"data":{},"type":"Opaque","stringData":{}}`)
		same(t, "generation", s.Generation, int64(2))
		if s.ResourceVersion == stored[0].ResourceVersion {
			t.Error("it kept its resourceVersion")
		}
		is(t, "read", err, nil)
		empty, err := tx.Resource(ctx, "acme", keyOf("Secret", "empty"))
		same(t, "what had none", empty.Generation, int64(1))
		is(t, "what had none", err, nil)
		plain, ok, err := tx.ConfigData(ctx, "acme", "acme", "ConfigMap", "plain")
		same(t, "a ConfigMap", plain, map[string]string{"a": "b"})
		same(t, "a ConfigMap", ok, true)
		is(t, "a ConfigMap", err, nil)
		s.Object = []byte(`{"data":{"a":"dHdv"}}`)
		is(t, "write", second(tx.UpdateResource(ctx, s)), nil)
		got, _, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "db")
		same(t, "written again", got, map[string]string{"a": "two"})
		return err
	})
}

// What overrides set in a Secret is sealed with the same key. It is lost too, and stands in nobody's way.
func TestForgottenSecretsAreEmptyInTheirRenderings(t *testing.T) {
	r := newRig(t)
	s := r.store(secret("acme", "s", `{"data":{"a":"b25l"}}`), secret("acme", "empty", `{"data":{}}`), configMap("acme", "cm", `{"data":{"a":"b"}}`))
	bound := &fleet.Binding{Renderings: map[string]int64{"canada": 1}, LastRendering: 1}
	r.commit(about(s[0], func(x *fleet.Decision) {
		x.Renderings, x.Binding = []fleet.Rendering{rendering("", 1, "canada", `{"data":{"a":"<hidden>","b":"dHdv"},"type":"Opaque"}`)}, bound
	}), about(s[1], func(x *fleet.Decision) {
		x.Renderings, x.Binding = []fleet.Rendering{rendering("", 1, "canada", `{"data":{"b":"dHdv"}}`)}, bound
	}), about(s[2], func(x *fleet.Decision) {
		x.Renderings, x.Binding = []fleet.Rendering{rendering("", 1, "canada", `{"data":{"a":"c"}}`)}, bound
	}))
	is(t, "close", r.Close(), nil)
	remove(t, r.path+".key")
	n, err := db.ForgetSecrets(t.Context(), r.path, r.path+".key")
	is(t, "forget", err, nil)
	same(t, "forgotten", n, 1)

	again := openRig(t, r.path, db.Options{})
	snapshot, err := again.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "renderings", snapshot.Renderings, []fleet.Rendering{
		rendering(s[2].UID, 1, "canada", `{"data":{"a":"c"}}`), rendering(s[1].UID, 1, "canada", `{"data":{}}`), rendering(s[0].UID, 1, "canada", `{"data":{},"type":"Opaque"}`),
	})
	// They are rendered again, with the new key.
	s[0].Generation = 2
	again.commit(about(s[0], func(x *fleet.Decision) {
		x.Renderings, x.Drop = []fleet.Rendering{rendering("", 2, "canada", `{"data":{"b":"dHdv"}}`)}, []int64{1}
		x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 2}, LastRendering: 2}
	}))
	again.view(func(ctx context.Context, tx *db.Tx) error {
		data, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "s")
		same(t, "data", data, map[string]string{"b": "two"})
		same(t, "data", ok, true)
		is(t, "data", err, nil)
		known, err := tx.Setting(ctx, "secrets.key")
		same(t, "the key is known again", known != "", true)
		return err
	})
}
