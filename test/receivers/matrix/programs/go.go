package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

var secret = []byte(os.Getenv("SVC_WEBHOOK_SECRET"))

type event struct {
	Data struct {
		ID string `json:"id"`
	} `json:"data"`
}

func verify(body []byte, header http.Header) string {
	timestamp := header.Get("Service-Timestamp")
	signatures := header.Get("Service-Signature")
	if signatures == "" {
		return "missing signature"
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := "v1=" + hex.EncodeToString(mac.Sum(nil))
	isValid := false
	for _, text := range strings.Split(signatures, ",") {
		isValid = isValid || hmac.Equal([]byte(strings.TrimSpace(text)), []byte(expected))
	}
	if !isValid {
		return "invalid signature"
	}
	sentAt, err := time.Parse(time.RFC3339, timestamp)
	if err != nil || time.Since(sentAt).Abs() > 5*time.Minute {
		return "timestamp too old"
	}
	return ""
}

func process(received event) string {
	return received.Data.ID
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if problem := verify(body, r.Header); problem != "" {
		http.Error(w, problem, http.StatusUnauthorized)
		return
	}
	var received event
	json.Unmarshal(body, &received)
	process(received)
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/webhooks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
