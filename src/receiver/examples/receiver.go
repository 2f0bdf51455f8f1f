// Receives webhooks with Go's own library: WEBHOOK_SECRET=whsec_… PORT=9100 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	bodyBytesMax = 1 << 20
)

// verify gives the event's id. The body is the body as it came, before any parser.
func verify(body []byte, headers http.Header, secret string) (string, error) {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return "", fmt.Errorf("the secret is no base64: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	wanted := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// Several, parted by spaces, while one secret replaces another.
	fits := false
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		fits = hmac.Equal([]byte(given), wanted) || fits
	}
	if !fits {
		return "", errors.New("no signature fits")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return "", errors.New("signed too long ago, or in the future")
	}
	return id, nil
}

type receiver struct {
	secret string
	mutex  sync.Mutex
	// Ids of events that were handled. In earnest: a unique key of your database, written with what the event changes.
	handled map[string]bool
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if err != nil {
		http.Error(response, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	id, err := verify(body, request.Header, r.secret)
	if err != nil {
		log.Println("refused:", err)
		http.Error(response, err.Error(), http.StatusUnauthorized)
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.handled[id] {
		var event struct {
			Event    string
			Sequence *int64
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		sequence := "null"
		if event.Sequence != nil {
			sequence = strconv.FormatInt(*event.Sequence, 10)
		}
		fmt.Println(event.Event, id, sequence)
		r.handled[id] = true
	}
	// Soon: what takes longer than 15 s counts as failed. Put it into a queue of your own.
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if !strings.HasPrefix(secret, "whsec_") {
		log.Fatal("set WEBHOOK_SECRET to the secret of the webhook")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9100"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening {\"port\": %d}\n", listener.Addr().(*net.TCPAddr).Port)
	handler := &receiver{secret: secret, handled: map[string]bool{}}
	server := &http.Server{Handler: handler, ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
