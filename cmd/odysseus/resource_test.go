package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"odysseus/fleet"
)

// lockedBuffer takes what a control plane logs.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// revealing says which of the values stands in the text, as it is or in base64; "" for none.
func revealing(text string, values ...string) string {
	for _, v := range values {
		for _, form := range []string{v, base64.StdEncoding.EncodeToString([]byte(v))} {
			if i := strings.Index(text, form); i >= 0 {
				return fmt.Sprintf("…%q…", text[max(0, i-60):min(len(text), i+len(form)+20)])
			}
		}
	}
	return ""
}

// files of the control plane, but the key that the values are sealed with.
func (p *plane) files() map[string]string {
	p.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".key") {
			return err
		}
		raw, err := os.ReadFile(path)
		found[filepath.Base(path)] = string(raw)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// TestASecretReachesAgentsAndNothingElse: "Secret with its values never shown or logged". Whoever may read everything
// crawls every page and path, after every way of writing one and of being refused.
func TestASecretReachesAgentsAndNothingElse(t *testing.T) {
	const first, second, third, refused = "Tr0ub4dor-number-one", "Tr0ub4dor-number-two", "Tr0ub4dor-number-three", "Tr0ub4dor-was-refused"
	values := []string{first, second, third, refused}
	logs := &lockedBuffer{}
	p := (&plane{t: t, logs: logs}).boot(enforced)
	token := p.tenant("acme")
	all := p.sitesOf("a")
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ntype: Opaque\ndata: {password: " + base64.StdEncoding.EncodeToString([]byte(value)) + "}\n"
	}
	answers := map[string]string{}
	note := func(what string, r reply) {
		answers[what] = headerText(r.header) + r.body
	}
	const resources = "/api/v1/namespaces/acme/resources"
	at := resourcePath("acme", "Secret", "login", "")
	note("dry run", p.must(http.StatusOK, http.MethodPost, resources+"?dryRun=All", token, secret(first)))
	note("create", p.must(http.StatusCreated, http.MethodPost, resources, token, "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ntype: Opaque\nstringData: {password: "+first+"}\n"))
	note("apply", p.must(http.StatusOK, http.MethodPost, "/api/v1/apply", token, secret(first)+"---\n"+
		over(ackOne, "web", "{apiVersion: apps/v1, kind: Deployment}", "a", "  propagateDeps: true\n")+"---\n"+
		podded("web", 1, "        env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: login, key: password}}}]\n        envFrom: [{prefix: LOGIN_, secretRef: {name: login}}]\n        args: [\"--with=$(PASSWORD)\"]\n")+"---\n"+
		"apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: ledger-api}\nspec: {image: nginx, env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: login, key: password}}}]}\n"))
	note("applied as it was", p.must(http.StatusOK, http.MethodPost, "/api/v1/apply", token, secret(first)))
	all.wantRunning(t, "applied", "web", "a=1")
	all.wantRunning(t, "applied", "ledger-api", "a=1")
	for _, c := range all.containers("web") {
		want := []fleet.EnvVar{{Name: "LOGIN_password", Value: first}, {Name: "PASSWORD", Value: first}}
		if !slices.Equal(c.Env, want) || !slices.Equal(c.Args, []string{"--with=" + first}) {
			t.Errorf("web is given %v and %v", c.Env, c.Args)
		}
	}
	for _, c := range all.containers("ledger-api") {
		if !slices.Equal(c.Env, []fleet.EnvVar{{Name: "PASSWORD", Value: first}}) {
			t.Errorf("ledger-api is given %v", c.Env)
		}
	}

	// What was running keeps what it was started with; what is started later gets what is stored by then.
	note("put", p.must(http.StatusOK, http.MethodPut, at, token, secret(second)))
	note("put as it was shown", p.must(http.StatusOK, http.MethodPut, at, token, strings.Replace(secret(second), base64.StdEncoding.EncodeToString([]byte(second)), `"`+fleet.HiddenValue+`"`, 1)))
	note("applied", p.must(http.StatusOK, http.MethodPost, "/api/v1/apply", token, podded("later", 1, "        envFrom: [{secretRef: {name: login}}]\n")))
	all.wantRunning(t, "changed", "later", "a=1")
	all.wantRunning(t, "changed", "web", "a=1")
	for _, c := range all.containers("later") {
		if !slices.Equal(c.Env, []fleet.EnvVar{{Name: "password", Value: second}}) {
			t.Errorf("later is given %v", c.Env)
		}
	}

	encoded := base64.StdEncoding.EncodeToString([]byte(refused))
	for _, r := range []struct{ name, method, path, body string }{
		{"no base64", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\ndata: {password: " + refused + "}\n"},
		{"no base64, put", http.MethodPut, at, "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ndata: {password: " + refused + "}\n"},
		{"a list as value", http.MethodPut, at, "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: [" + refused + "]}\n"},
		{"a value as data", http.MethodPut, at, "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ndata: " + refused + "\n"},
		{"no YAML", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {password: \"" + refused + "}\n"},
		{"no YAML, applied", http.MethodPost, "/api/v1/apply", "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData:\n  password: " + refused + "\n more: [\n"},
		{"a wrong name", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: a/b}\ndata: {password: " + encoded + "}\n"},
		{"the key of nothing", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\ndata: {\"a b\": " + encoded + "}\n"},
		{"an unknown field", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\npassword: " + refused + "\n"},
		{"twice", http.MethodPost, resources, "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\ndata: {password: " + encoded + ", password: " + encoded + "}\n"},
		{"at the Deployments' path", http.MethodPost, "/api/v1/namespaces/acme/deployments", "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {password: " + refused + "}\n"},
		{"at the policies' path", http.MethodPost, "/api/v1/namespaces/acme/propagationpolicies", "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {password: " + refused + "}\n"},
	} {
		answer := p.call(r.method, r.path, token, r.body)
		if answer.status != http.StatusUnprocessableEntity && answer.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", r.name, answer.status, answer.body)
		}
		note("refused, "+r.name, answer)
	}
	note("simulated", p.must(http.StatusOK, http.MethodPost, "/api/v1/namespaces/acme/scheduler/simulate", token, secret(third)+"---\n"+over(ackOne, "web", everySecret, "a", "")))
	note("JSON", p.must(http.StatusOK, http.MethodPut, at, token, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "login"},
		"stringData": map[string]any{"password": third, "user": "ada"}}))

	editor, operator, support := p.person("acme", "ada@acme.example", "editor"), p.person("", "opal@example.test", "operator"), p.person("", "sue@example.test", "support")
	shown := "/namespaces/acme/resources?" + url.Values{"apiVersion": {"v1"}, "kind": {"Secret"}, "name": {"login"}}.Encode()
	edit := strings.Replace(shown, "/resources?", "/resources/edit?", 1)
	for who, client := range map[string]*http.Client{"editor": editor, "operator": operator, "support": support} {
		r := p.page(client, shown)
		if r.status != http.StatusOK || !strings.Contains(r.body, "login") || !strings.Contains(r.body, "password") {
			t.Errorf("the Secret's page is %d to %s", r.status, who)
		}
		note(who+" page", r)
		note(who+" edits", p.page(client, edit))
	}
	for who, found := range map[string]map[string]string{"editor": p.crawl(editor, token), "operator": p.crawl(operator, operatorToken), "support": p.crawl(support, operatorToken)} {
		if len(found) < 40 {
			t.Errorf("%s's crawl found only %d answers", who, len(found))
		}
		for path, body := range found {
			answers[who+" "+path] = body
		}
	}
	for _, path := range []string{at, resources, resourcePath("acme", "Secret", "login", "/placement"), resourcePath("acme", "Deployment", "web", ""),
		"/api/v1/audit", "/api/v1/namespaces/acme/propagationpolicies/web", "/api/v1/namespaces/acme/deployments/ledger-api",
		"/api/v1/namespaces/acme/deployments/ledger-api/events", "/api/v1/namespaces/acme/deployments/ledger-api/revisions", "/api/v1/nodes/a-node/events", "/api/v1/pending"} {
		for who, credential := range map[string]string{"editor": token, "operator": operatorToken} {
			r := p.call(http.MethodGet, path, credential, nil)
			if r.status != http.StatusOK && credential == operatorToken {
				t.Errorf("GET %s: %d %s", path, r.status, r.body)
			}
			note(who+" GET "+path, r)
		}
	}
	note("delete", p.must(http.StatusOK, http.MethodDelete, at, token, nil))
	for what, answer := range answers {
		if shown := revealing(answer, values...); shown != "" {
			t.Errorf("%s shows a value: %s", what, shown)
		}
	}
	if body := answers["editor GET "+at]; !strings.Contains(body, `"password":"`) || !strings.Contains(body, "hidden") {
		t.Errorf("the Secret is answered as %s", body)
	}
	if entry := answers["operator GET /api/v1/audit"]; !strings.Contains(entry, "data.password") || !strings.Contains(entry, "v1 Secret") {
		t.Errorf("the audit does not say that the value changed: %s", entry)
	}
	all.act()
	inFiles := func(when string) {
		for name, content := range p.files() {
			if shown := revealing(content, values...); shown != "" {
				t.Errorf("%s: %s holds a value in the clear: %s", when, name, shown)
			}
		}
	}
	inFiles("running")
	p.stop()
	inFiles("stopped")
	if logs.String() == "" {
		t.Error("nothing was logged, so nothing could be seen")
	}
	if shown := revealing(logs.String(), values...); shown != "" {
		t.Errorf("the log holds a value: %s", shown)
	}
}

// TestWhatIsStartedReadsTheConfigMapOfItsTime: a running container keeps the values it was started with.
func TestWhatIsStartedReadsTheConfigMapOfItsTime(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a")
	config := func(greeting string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {greeting: " + greeting + "}\n"
	}
	web := podded("web", 1, "        env: [{name: GREETING, valueFrom: {configMapKeyRef: {name: settings, key: greeting}}}]\n")
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a", "  propagateDeps: true\n"), web)
	// "The scheduler does not assign a replica before what it needs is there": a workload without its ConfigMap waits.
	all.wantRunning(t, "without the ConfigMap", "web", "")
	is := p.placed(token, "acme", "Deployment", "web")
	if is.State != fleet.Pending || is.reasons() != "waiting_for_dependency" || is.Pending.Replicas != 1 || !strings.Contains(is.Pending.Reasons[0].Field, "ConfigMap settings") {
		t.Errorf("placement %+v", is)
	}
	p.apply(token, "acme", strings.Replace(config("hello"), "greeting", "farewell", 1))
	all.wantRunning(t, "without the key", "web", "")
	if is := p.placed(token, "acme", "Deployment", "web"); is.reasons() != "waiting_for_dependency" || !strings.Contains(is.Pending.Reasons[0].Field, "greeting") {
		t.Errorf("placement %+v", is)
	}
	p.apply(token, "acme", config("hello"))
	all.wantRunning(t, "with the key", "web", "a=1")
	if is := p.placed(token, "acme", "ConfigMap", "settings"); is.State != fleet.Placed || is.on() != "a" || is.by() != "" {
		t.Errorf("the ConfigMap that travels along is %+v", is)
	}
	p.apply(token, "acme", config("good-evening"))
	p.apply(token, "acme", strings.Replace(web, "replicas: 1", "replicas: 2", 1))
	all.wantRunning(t, "changed and scaled", "web", "a=2")
	var greetings []string
	for _, c := range all.containers("web") {
		greetings = append(greetings, c.Env[0].Value)
	}
	if slices.Sort(greetings); !slices.Equal(greetings, []string{"good-evening", "hello"}) {
		t.Errorf("started with %v", greetings)
	}
	// Nothing takes it along any more; what runs has what it was started with.
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a", ""))
	if is := p.placed(token, "acme", "ConfigMap", "settings"); is.State != fleet.Waiting || is.on() != "" || is.reasons() != "no_policy" {
		t.Errorf("the ConfigMap that does not travel along is %+v", is)
	}
	all.wantRunning(t, "nothing travels along", "web", "a=2")
}

// TestTheContainersOfAPodTemplateRunTogether: "one replica = its containers together on one node".
func TestTheContainersOfAPodTemplateRunTogether(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a")
	all = append(all, p.site("a", "a-node-2", "", nil))
	pod := strings.Replace(podded("web", 4, "        ports: [{containerPort: 80}]\n      - name: exporter\n        image: registry.example.com/exporter:0.3.1\n        args: [\"--port\", \"9113\"]\n"), "name: web\n", "name: server\n", 1)
	p.apply(token, "acme", over(ackOne, "web", everyDeployment, "a", ""), pod)
	all.wantRunning(t, "applied", "web", "a=4")
	type where struct {
		node  string
		parts []string
	}
	replicas := map[int]where{}
	for _, s := range all {
		if n := len(s.runs); n != 4 {
			t.Errorf("%s runs %d containers, want two replicas of two", s.name, n)
		}
		for id, c := range s.runs {
			row, part := fleet.CutContainerID(id)
			r, seen := replicas[c.Replica]
			if seen && r.node != s.name {
				t.Errorf("replica %d (%s) is on %s and on %s", c.Replica, row, r.node, s.name)
			}
			image, ports := map[string]string{"server": "nginx:1.27", "exporter": "registry.example.com/exporter:0.3.1"}[part], map[string]int{"server": 1}[part]
			if c.Image != image || len(c.Ports) != ports || slices.Equal(c.Args, []string{"--port", "9113"}) != (part == "exporter") {
				t.Errorf("%s is %+v", id, c)
			}
			replicas[c.Replica] = where{s.name, append(r.parts, part)}
		}
	}
	if len(replicas) != 4 {
		t.Errorf("%d replicas, want 4", len(replicas))
	}
	for number, r := range replicas {
		if slices.Sort(r.parts); !slices.Equal(r.parts, []string{"exporter", "server"}) {
			t.Errorf("replica %d has the containers %v", number, r.parts)
		}
	}
	if is := p.placed(token, "acme", "Deployment", "web"); is.State != fleet.Placed || is.Clusters[0].Ready != 4 {
		t.Errorf("placement %+v", is)
	}
	// "Its state is the worst of them": a replica is not ready while one of its containers is not.
	one := ""
	for id := range all[0].runs {
		if _, part := fleet.CutContainerID(id); part == "exporter" {
			one = id
		}
	}
	all[0].states[one] = "failed"
	all[0].beat()
	if is := p.placed(token, "acme", "Deployment", "web"); is.State != fleet.Placed || is.Clusters[0].Ready != 3 {
		t.Errorf("one exporter failed: %+v", is)
	}
	all[0].states[one] = "running"
	all[0].beat()
	// Scaled down, both containers of a replica go.
	p.apply(token, "acme", strings.Replace(pod, "replicas: 4", "replicas: 1", 1))
	all.wantRunning(t, "scaled", "web", "a=1")
	if n := len(all.containers("web")); n != 2 {
		t.Errorf("%d containers are left of one replica of two", n)
	}
	p.must(http.StatusOK, http.MethodDelete, resourcePath("acme", "Deployment", "web", ""), token, nil)
	all.wantRunning(t, "deleted", "web", "")
	if body := p.must(http.StatusOK, http.MethodGet, "/api/v1/nodes/a-node", operatorToken, nil).body; strings.Contains(body, "exporter") {
		t.Errorf("something of it is left: %s", body)
	}
}

// TestWhatAgentsCannotRunIsRefusedByName: "anything else is refused for that cluster by name (runtime_unsupported, with
// the field), never dropped".
func TestWhatAgentsCannotRunIsRefusedByName(t *testing.T) {
	p := startPlane(t, "")
	token := p.tenant("acme")
	all := p.sitesOf("a", "b")
	job := func(spec string) string {
		return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: NAME}\nspec:\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}\n" + spec
	}
	p.apply(token, "acme", over(ackOne, "everything", "{apiVersion: apps/v1, kind: Deployment}, {apiVersion: apps/v1, kind: StatefulSet}, {apiVersion: batch/v1, kind: Job}, {apiVersion: batch/v1, kind: CronJob}", "a, b", evenly))
	for i, tt := range []struct{ name, kind, manifest, field string }{
		{"volumes", "Deployment", podded("NAME", 2, "      volumes: [{name: data, emptyDir: {}}]\n"), "spec.template.spec.volumes"},
		{"init containers", "Deployment", podded("NAME", 2, "      initContainers: [{name: first, image: nginx}]\n"), "spec.template.spec.initContainers"},
		{"a node by name", "Deployment", podded("NAME", 2, "      nodeName: a-node\n"), "spec.template.spec.nodeName"},
		{"a probe", "Deployment", podded("NAME", 2, "        livenessProbe: {httpGet: {path: /, port: 80}}\n"), "spec.template.spec.containers[0].livenessProbe"},
		{"a mount", "Deployment", podded("NAME", 2, "        volumeMounts: [{name: data, mountPath: /data}]\n"), "spec.template.spec.containers[0].volumeMounts"},
		{"completions beyond the parallelism", "Job", job("  parallelism: 2\n  completions: 5\n"), "spec.completions"},
		{"a StatefulSet", "StatefulSet", strings.Replace(podded("NAME", 2, ""), "kind: Deployment", "kind: StatefulSet", 1), "kind"},
		{"a CronJob", "CronJob", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: NAME}\nspec: {schedule: \"0 3 * * *\", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}}\n", "kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := fmt.Sprintf("unsupported-%d", i)
			p.apply(token, "acme", strings.ReplaceAll(tt.manifest, "NAME", name))
			all.wantRunning(t, "applied", name, "")
			is := p.placed(token, "acme", tt.kind, name)
			if is.State != fleet.Pending || is.reasons() != "runtime_unsupported" || is.out() != "a: runtime_unsupported, b: runtime_unsupported" || is.desired() != "" {
				t.Fatalf("placement %+v", is)
			}
			for _, why := range []fleet.Reason{is.Pending.Reasons[0], is.Excluded[0].Reason, is.Excluded[1].Reason} {
				if why.Field != tt.field || !strings.Contains(why.Message, tt.field) {
					t.Errorf("refused for %+v, want %s", why, tt.field)
				}
			}
		})
	}
	// Of what agents can run everything is as written.
	p.apply(token, "acme", strings.ReplaceAll(job("  parallelism: 3\n  completions: 2\n"), "NAME", "nightly"))
	all.wantRunning(t, "a Job", "nightly", "a=1 b=1")
	for id, c := range all.containers("nightly") {
		if c.RestartPolicy != "Never" || c.Image != "nginx" {
			t.Errorf("%s is %+v", id, c)
		}
	}
	all.say("a", "nightly", "exited")
	all.wantRunning(t, "one is done", "nightly", "a=1 b=1")
	if is := p.placed(token, "acme", "Job", "nightly"); is.State != fleet.Placed || is.reasons() != "" {
		t.Errorf("a Job that is half done: %+v", is)
	}
}
