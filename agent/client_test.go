package agent

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

// serving answers a client of a server that does what handle does.
func serving(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	c := NewClient(server.URL+"/under/", nil).WithCredential("credential-1")
	t.Cleanup(c.close)
	return c
}

func TestClientSaysWhoItIs(t *testing.T) {
	var got *http.Request
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(`{"version":3,"containers":null,"more":1}`)) // a lost answer fails the test below
	})
	list, err := c.Assignments(t.Context(), 2)
	if err != nil || list.Version != 3 || len(list.Containers) != 0 {
		t.Errorf("%+v, %v; want an empty list at 3", list, err)
	}
	if got.Method != http.MethodGet || got.URL.String() != "/under/api/v1/agents/self/assignments?since=2" || got.Header.Get("Authorization") != "Bearer credential-1" ||
		got.Header.Get("Content-Type") != "" {
		t.Errorf("asked %s %s with %v", got.Method, got.URL, got.Header)
	}
}

func TestClientNamesWhatTheControlPlaneAnswers(t *testing.T) {
	const title, many = `"Report\r\nrefused\u001b[31m"`, 50
	refusals := strings.Repeat(`{"code":"container_unknown","field":"containers[0].id","message":"`+strings.Repeat("é", 400)+`"},`, many)
	for _, test := range []struct {
		status  int
		header  map[string]string
		is      error
		passing bool
		after   time.Duration
	}{
		{401, nil, ErrUnauthenticated, false, 0},
		{403, nil, ErrForbidden, false, 0},
		{404, nil, nil, false, 0},
		{409, nil, ErrConflict, false, 0},
		{422, nil, ErrRefused, false, 0},
		{408, nil, nil, true, 0},
		{429, map[string]string{"Retry-After": "7"}, nil, true, 7 * time.Second},
		{500, nil, nil, true, 0},
		{503, map[string]string{"Retry-After": "9999999999"}, nil, true, time.Minute},
		{503, map[string]string{"Retry-After": "-1"}, nil, true, 0},
		{503, map[string]string{"Retry-After": "soon"}, nil, true, 0},
		{301, map[string]string{"Location": "https://elsewhere.example.com/"}, ErrRedirect, false, 0},
		{308, map[string]string{"Location": "https://elsewhere.example.com/"}, ErrRedirect, false, 0},
	} {
		t.Run(strconv.Itoa(test.status)+test.header["Retry-After"], func(t *testing.T) {
			c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range test.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(`{"title":` + title + `,"errors":[` + strings.TrimSuffix(refusals, ",") + `]}`))
			})
			_, err := c.Report(t.Context(), Status{})
			answer := (*AnswerError)(nil)
			if !errors.As(err, &answer) {
				t.Fatalf("%v, want the answer", err)
			}
			for _, target := range []error{ErrUnauthenticated, ErrForbidden, ErrConflict, ErrRefused, ErrRedirect} {
				if want := errors.Is(test.is, target); errors.Is(err, target) != want {
					t.Errorf("is %v: %v", target, errors.Is(err, target))
				}
			}
			if answer.Status != test.status || answer.passing() != test.passing || answer.RetryAfter != test.after || answer.Location != test.header["Location"] {
				t.Errorf("answer %d passing %v after %v to %q", answer.Status, answer.passing(), answer.RetryAfter, answer.Location)
			}
			if !answer.names(fleet.CodeContainerUnknown) || answer.names(fleet.CodeForbidden) || len(answer.Errors) != mostRefusals {
				t.Errorf("%d refusals, want %d of container_unknown", len(answer.Errors), mostRefusals)
			}
			if text := err.Error(); strings.ContainsAny(text, "\r\n\x1b") || len(text) > 8000 || strings.Contains(text, "credential-1") {
				t.Errorf("%d bytes of error, want one bounded line without secrets: %q", len(text), text)
			}
		})
	}
}

func TestClientReadsNoMoreThanItsBounds(t *testing.T) {
	huge := strings.Repeat(" ", 1<<16)
	endless := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			for {
				if _, err := w.Write([]byte(huge)); err != nil {
					return // the client had enough
				}
			}
		}
	}
	c := serving(t, endless(http.StatusOK))
	c.mostList = 1 << 20
	if _, err := c.Assignments(t.Context(), 0); !errors.Is(err, errTooLong) {
		t.Errorf("list: %v, want it cut", err)
	}
	if _, err := c.Report(t.Context(), Status{}); !errors.Is(err, errTooLong) {
		t.Errorf("status: %v, want it cut", err)
	}
	if _, err := serving(t, endless(http.StatusUnauthorized)).Report(t.Context(), Status{}); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("refusal: %v, want the status in any case", err)
	}
}

func TestClientGivesUpOnAControlPlaneThatHangs(t *testing.T) {
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the client is gone
		<-r.Context().Done()
	})
	c.timeout, c.poll = time.Millisecond, time.Millisecond
	if _, err := c.Report(t.Context(), Status{}); err == nil {
		t.Error("status: no error")
	}
	if _, err := c.Assignments(t.Context(), 1); err == nil {
		t.Error("assignments: no error")
	}
}

func TestClientTakesNothingForJSONThatIsNot(t *testing.T) {
	for _, contentType := range []string{"text/html", "", "application/problem+json", ";"} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{contentType}
			_, _ = w.Write([]byte(`{"version":1,"containers":[]}`))
		})
		if _, err := c.Assignments(t.Context(), 0); !errors.Is(err, errNotJSON) {
			t.Errorf("%q: %v, want it refused", contentType, err)
		}
	}
}

func TestACredentialMustFitAHeader(t *testing.T) {
	for _, credential := range []string{"", "a b", "a\\r\\nb", "é"} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"node":"edge-1","credential":"` + credential + `"}`))
		})
		if _, err := c.Enrol(t.Context(), Enrolment{Name: "edge-1"}); !errors.Is(err, errNoCredential) {
			t.Errorf("%q: %v, want it refused", credential, err)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                  "plain",
		"a\nb\tc\x00d\u0085e":    "a b c d e",
		"\xff\xfe":               "�",
		"12345678901234567890é1": "12345678901234567890…",
	} {
		if got := oneLine(in, 21); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
