package web

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A stop in order: readiness fails while the server still answers, streams end, a request in flight is
// finished, and then nobody listens any more.
func TestStopInOrder(t *testing.T) {
	held, inFlight, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := start(t, defaultTimeouts, func(s *server) []Route {
		s.options.DrainDelay = 200 * time.Millisecond
		return []Route{
			{"GET", "/readyz", Public, s.health.ready, Probe},
			{"GET", "/poll", Public, func(w http.ResponseWriter, r *http.Request) {
				close(held)
				<-r.Context().Done()
				plain(w, 200, "ended")
			}, Stream},
			{"GET", "/slow", Public, func(w http.ResponseWriter, r *http.Request) {
				close(inFlight)
				<-release
				if r.Context().Err() != nil {
					t.Error("the stop cancelled a request in flight")
				}
				plain(w, 200, "finished")
			}, Ordinary},
		}
	})
	bodies := make(chan string, 2)
	for _, path := range []string{"/poll", "/slow"} {
		go func() { bodies <- s.ask(t, "GET", path, "").body }()
	}
	<-held
	<-inFlight
	if got := s.ask(t, "GET", "/readyz", ""); got.StatusCode != 200 {
		t.Errorf("ready before: %d", got.StatusCode)
	}
	stopped := make(chan error)
	go func() { stopped <- s.stop() }()
	for s.ask(t, "GET", "/readyz", "").StatusCode != 503 {
		time.Sleep(time.Millisecond) // until the stop has begun
	}
	if got := <-bodies; got != "ended" {
		t.Errorf("poll: %q", got)
	}
	close(release)
	if got := <-bodies; got != "finished" {
		t.Errorf("request in flight: %q", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := client.Get(s.url + "/readyz"); err == nil {
		t.Error("somebody still listens")
	}
}

// What does not end in time is cut: the process must go.
func TestStopDoesNotWaitForEver(t *testing.T) {
	limits := defaultTimeouts
	limits.stop = 50 * time.Millisecond
	inFlight, release := make(chan struct{}), make(chan struct{})
	s := start(t, limits, func(*server) []Route {
		return []Route{{"GET", "/stuck", Public, func(http.ResponseWriter, *http.Request) {
			close(inFlight)
			<-release
		}, Ordinary}}
	})
	defer close(release)
	cut := make(chan error)
	go func() {
		_, err := client.Get(s.url + "/stuck")
		cut <- err
	}()
	<-inFlight
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := <-cut; err == nil {
		t.Error("an answer came")
	}
	if !strings.Contains(s.log.String(), "requests cut off at stop") {
		t.Errorf("log: %s", s.log)
	}
}

// The sum of all that a stop may take.
func TestStopTakesLessThanTenSeconds(t *testing.T) {
	o := newServer(Options{}, defaultTimeouts)
	if total := o.options.DrainDelay + o.timeouts.stop; total >= 10*time.Second {
		t.Errorf("a stop may take %s", total)
	}
}

func TestListenerThatFailsEndsTheServer(t *testing.T) {
	s := newServer(Options{Logger: slog.New(slog.DiscardHandler)}, defaultTimeouts)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestPlainHTTPLeavesTheMachineByNameAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		o       Options
		refused bool
		secure  bool
	}{
		"loopback":            {Options{Listen: "127.0.0.1:8080"}, false, false},
		"loopback by name":    {Options{Listen: "localhost:8080"}, false, false},
		"loopback of IPv6":    {Options{Listen: "[::1]:8080"}, false, false},
		"all addresses":       {Options{Listen: ":8080"}, true, true},
		"all, written out":    {Options{Listen: "0.0.0.0:8080"}, true, true},
		"an address":          {Options{Listen: "192.0.2.1:8080"}, true, true},
		"a name":              {Options{Listen: "localhost.example.com:80"}, true, true},
		"no port":             {Options{Listen: "127.0.0.1"}, true, true},
		"allowed by name":     {Options{Listen: ":8080", AllowPlainHTTP: true}, false, true},
		"with a certificate":  {Options{Listen: ":8080", CertFile: "c", KeyFile: "k"}, false, true},
		"loopback, certified": {Options{Listen: "127.0.0.1:8080", CertFile: "c", KeyFile: "k"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.o.checkPlain(tt.o.Listen); errors.Is(got, ErrPlainHTTP) != tt.refused {
				t.Errorf("got %v, refused %v", got, tt.refused)
			}
			if got := tt.o.secure(); got != tt.secure {
				t.Errorf("secure cookies: %v", got)
			}
		})
	}
	// The listener is held to it as well, whatever the options said.
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := newServer(Options{Listen: "127.0.0.1:0"}, defaultTimeouts).Run(t.Context(), listener); !errors.Is(err, ErrPlainHTTP) {
		t.Errorf("got %v", err)
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the refused listener is open: %v", err)
	}
}

func TestTLS(t *testing.T) {
	certFile, keyFile, roots := certificate(t)
	o := Options{Listen: "127.0.0.1:0", CertFile: certFile, KeyFile: keyFile, Metrics: NewMetrics(), Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler), Secret: bytes.Repeat([]byte("s"), 32), DrainDelay: time.Millisecond, Sessions: sessionStore(t)}
	s := newServer(o, defaultTimeouts)
	handler, err := s.serve([]Route{{"GET", "/{$}", Public, ok, Ordinary}},
		gate{identify: everyone(), sessions: newSessions(o.Sessions, true, time.Now), refuse: refuseInCodes, logger: o.Logger})
	if err != nil {
		t.Fatal(err)
	}
	s.handler = handler
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error)
	go func() { ran <- s.Run(ctx, listener) }()
	for _, http2 := range []bool{true, false} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: http2}
		response, err := (&http.Client{Transport: transport}).Get("https://" + listener.Addr().String() + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != "ok" || response.Header.Get("Strict-Transport-Security") == "" || (response.ProtoMajor == 2) != http2 || response.Body.Close() != nil {
			t.Errorf("got %s %v %q, %v", response.Proto, response.Header, body, err)
		}
		transport.CloseIdleConnections()
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// certificate writes one for 127.0.0.1 that signs itself.
func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, content := range map[string][]byte{certFile: certPEM, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, roots
}
