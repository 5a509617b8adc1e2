package db_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// hush are values that must be in no file, whatever they are encoded as.
var hush = []string{"correct-horse-battery", "staple-of-the-diet", "a-number-of-secrets", "spread-over-lines"}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// inTheFiles fails where one of the texts, or what base64 makes of it, stands in a file of the database's folder.
func inTheFiles(t *testing.T, dir string, texts ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		content := string(read(t, filepath.Join(dir, f.Name())))
		for _, text := range texts {
			for _, form := range []string{text, encoded(text), encoded(encoded(text))} {
				if strings.Contains(content, form) {
					t.Errorf("%s holds %q", f.Name(), form)
				}
			}
		}
	}
}

func TestSecretsAreSealedInEveryFileAndHiddenFromEveryReader(t *testing.T) {
	r := newRig(t)
	written := secret("acme", "db", `{"kind":"Secret","data":{"z":"`+encoded(hush[0])+`","a":"`+encoded(hush[1])+`","none":null,"empty":""},"immutable":false,`+
		`"stringData":{"s":"`+hush[2]+`"},"type":"Opaque","metadata":{"name":"db"}}`)
	hidden := `{"kind":"Secret","data":{"z":"\u003chidden\u003e","a":"\u003chidden\u003e","none":null,"empty":"\u003chidden\u003e"},"immutable":false,` +
		`"stringData":{"s":"\u003chidden\u003e"},"type":"Opaque","metadata":{"name":"db"}}`
	// No shape of data is a way around.
	odd := secret("acme", "odd", `{"data":["`+hush[3]+`",{"x":"`+hush[0]+`"}]}`)
	stored := r.store(written, odd)
	same(t, "as stored", string(stored[0].Object), hidden)
	same(t, "of another shape", string(stored[1].Object), `{"data":"\u003chidden\u003e"}`)
	next := stored[0]
	next.Object, next.Generation = []byte(strings.Replace(string(written.Object), encoded(hush[0]), encoded(hush[3]), 1)), 2
	same(t, "as updated", string(r.change(next).Object), hidden)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.Resource(ctx, "acme", written.Key())
		same(t, "read", string(got.Object), hidden)
		is(t, "read", err, nil)
		list, _, err := tx.Resources(ctx, fleet.ResourceFilter{}, fleet.ListOptions{})
		same(t, "listed", string(list[0].Object), hidden)
		return err
	})
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "loaded", string(snapshot.Resources[0].Object), hidden)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PreserveResource(ctx, "acme", written.UID) })
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.PreservedResource(ctx, "acme", written.Key())
		same(t, "preserved", string(got.Object), hidden)
		return err
	})
	same(t, "no revision holds one", r.rows("resource_revisions"), 0)
	inTheFiles(t, filepath.Dir(r.path), hush...)
	copied := filepath.Join(filepath.Dir(r.path), "copy.db")
	is(t, "backup", r.Backup(t.Context(), copied), nil)
	is(t, "close", r.Close(), nil)
	inTheFiles(t, filepath.Dir(r.path), hush...)
}

func TestEveryValueHasANonceOfItsOwn(t *testing.T) {
	r := newRig(t)
	r.store(secret("acme", "twins", `{"data":{"a":"c2FtZQ==","b":"c2FtZQ=="}}`))
	sealed := func() (a, b string) {
		inFile(t, r.path, "SELECT object ->> '$.data.a' FROM resources", &a)
		inFile(t, r.path, "SELECT object ->> '$.data.b' FROM resources", &b)
		return a, b
	}
	a, b := sealed()
	r.change(secret("acme", "twins", `{"data":{"a":"c2FtZQ==","b":"<hidden>"}}`))
	again, kept := sealed()
	if a == b || a == again || a == "" || len(a) != len(b) {
		t.Errorf("the same value is sealed as %q, %q and %q", a, b, again)
	}
	same(t, "what stays is as it was", kept, b)
}

func TestHiddenValuesStayWhatIsStored(t *testing.T) {
	r := newRig(t)
	stored := r.store(secret("acme", "db", `{"data":{"user":"`+encoded("ann")+`","password":"`+encoded("one")+`","old":"`+encoded("x")+`"}}`))[0]
	stored.Object, stored.Generation = []byte(`{"metadata":{"a":"b"},"data":{"password":"`+encoded("two")+`","user":"\u003chidden\u003e","new":"`+encoded("three")+`"}}`), 2
	stored = r.change(stored)
	same(t, "keys in their new order", string(stored.Object), `{"metadata":{"a":"b"},"data":{"password":"\u003chidden\u003e","user":"\u003chidden\u003e","new":"\u003chidden\u003e"}}`)
	same(t, "what was answered can be sent back", string(r.change(stored).Object), string(stored.Object))
	want := map[string]string{"user": "ann", "password": "two", "new": "three"}
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "db")
		same(t, "values", got, want)
		same(t, "there", ok, true)
		return err
	})
	for what, object := range map[string]string{
		"a key that is not stored": `{"data":{"none":"<hidden>"}}`, "another block": `{"stringData":{"user":"<hidden>"}}`, "the block itself": `{"data":"<hidden>"}`,
	} {
		err := r.Update(t.Context(), func(tx *db.Tx) error {
			next := stored
			next.Object = []byte(object)
			return second(tx.UpdateResource(t.Context(), next))
		})
		if err == nil {
			t.Errorf("%s was kept", what)
		}
	}
	if r.Update(t.Context(), func(tx *db.Tx) error {
		return second(tx.InsertResource(t.Context(), secret("acme", "new", `{"data":{"a":"<hidden>"}}`)))
	}) == nil {
		t.Error("a new Secret was stored with a hidden value")
	}
}

// Whoever can write to the file alone cannot give one Secret's value another name, nor a value of their own.
func TestSealedValueOpensInItsPlaceAlone(t *testing.T) {
	for name, tamper := range map[string]string{
		"under another key":     `UPDATE resources SET object = json_object('data', json_object('b', object ->> '$.data.a'))`,
		"in another Secret":     `UPDATE resources SET object = (SELECT object FROM resources WHERE name = 'theirs') WHERE name = 'mine'`,
		"in the clear":          `UPDATE resources SET object = '{"data":{"a":"b25l"}}'`,
		"as no text":            `UPDATE resources SET object = '{"data":{"a":{"b":1}}}'`,
		"with a byte of it cut": `UPDATE resources SET object = json_object('data', json_object('a', substr(object ->> '$.data.a', 5)))`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.store(secret("acme", "mine", `{"data":{"a":"b25l"}}`), secret("acme", "theirs", `{"data":{"a":"dHdv"}}`))
			if _, err := r.Sessions().Exec(tamper); err != nil {
				t.Fatal(err)
			}
			r.view(func(ctx context.Context, tx *db.Tx) error {
				got, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "mine")
				if err == nil || ok || got != nil {
					t.Errorf("got %v, %v", got, ok)
				}
				is(t, "what is shown", second(tx.Resource(ctx, "acme", keyOf("Secret", "mine"))), nil)
				return nil
			})
		})
	}
}

func TestConfigDataIsWhatEnvironmentsAreMadeOf(t *testing.T) {
	r := newRig(t)
	stored := r.store(
		configMap("acme", "settings", `{"data":{"mode":"fast","lines":"a\nb","number":7,"nothing":null},"binaryData":{"text":"`+encoded("naïve")+`","bytes":"/w==","broken":"?","nothing2":null}}`),
		secret("acme", "settings", `{"data":{"mode":"`+encoded("slow")+`","bytes":"/w==","broken":"?","number":7,"nothing":null,"empty":""},"binaryData":{"x":"`+encoded("y")+`"}}`),
		configMap("acme", "empty", `{"kind":"ConfigMap"}`), configMap("acme", "gone", `{"data":{"a":"b"}}`),
		resource("acme", "example.com/v1", "ConfigMap", "foreign", `{"data":{"a":"b"}}`),
		resource("acme", "v1", "Service", "service", `{"data":{"a":"b"}}`),
	)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PreserveResource(ctx, "acme", stored[3].UID) })
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, c := range []struct {
			tenant, kind, name string
			want               map[string]string
			ok                 bool
		}{
			{"acme", "ConfigMap", "settings", map[string]string{"mode": "fast", "lines": "a\nb"}, true},
			{"acme", "Secret", "settings", map[string]string{"mode": "slow", "empty": ""}, true},
			{"acme", "ConfigMap", "empty", map[string]string{}, true},
			{"acme", "ConfigMap", "gone", map[string]string{"a": "b"}, true},
			{"acme", "Secret", "empty", nil, false},
			{"acme", "ConfigMap", "none", nil, false},
			{"acme", "ConfigMap", "foreign", nil, false},
			{"acme", "Service", "service", nil, false},
			{"other", "ConfigMap", "settings", nil, false},
			{"other", "Secret", "settings", nil, false},
			{"", "ConfigMap", "settings", nil, false},
		} {
			got, ok, err := tx.ConfigData(ctx, c.tenant, "acme", c.kind, c.name)
			same(t, c.tenant+"'s "+c.kind+" "+c.name, got, c.want)
			same(t, c.tenant+"'s "+c.kind+" "+c.name, ok, c.ok)
			is(t, c.name, err, nil)
		}
		return nil
	})
}
