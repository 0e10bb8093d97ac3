// go run receiver.go — Go 1.19 or later, no modules.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const tolerance = 5 * time.Minute

var (
	secret = []byte(os.Getenv("SVC_WEBHOOK_SECRET"))
	seen   sync.Map // In production: a durable store, written in one transaction with the job.
)

func main() {
	if len(secret) == 0 {
		log.Fatal("Set SVC_WEBHOOK_SECRET.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4242"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // The raw bytes, verified before they are parsed.
	if err != nil || !isAuthentic(body, r.Header) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var envelope struct {
		Data struct{ ID, Type string }
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	event := envelope.Data
	_, known := seen.LoadOrStore(event.ID, true) // Delivery is at least once.
	if !known {
		go fmt.Printf("processed %s %s\n", event.Type, event.ID)
	}
	w.WriteHeader(http.StatusNoContent) // Accepted. The work continues after the response.
}

func isAuthentic(body []byte, header http.Header) bool {
	timestamp := header.Get("Service-Timestamp")
	sentAt, err := time.Parse(time.RFC3339, timestamp)
	if err != nil || time.Since(sentAt).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	// Several signatures during a secret rotation.
	for _, text := range strings.Split(header.Get("Service-Signature"), ",") {
		if hmac.Equal([]byte(strings.TrimSpace(text)), expected) {
			return true
		}
	}
	return false
}
