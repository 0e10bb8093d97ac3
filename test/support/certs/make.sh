#!/bin/sh
# Creates the certificates of the tests: a certificate authority and the certificates that it issues. All are valid for a hundred
# years, except `expired` and `future`. Run it in this folder; it needs OpenSSL. The keys are public: use them only in tests.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
echo 01 > "$work/serial"
cat > "$work/ca.cnf" <<CONF
[ca]
default_ca = test
[test]
dir = $work
database = $work/index.txt
serial = $work/serial
new_certs_dir = $work
default_md = sha256
policy = any
copy_extensions = copyall
unique_subject = no
[any]
commonName = supplied
CONF

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key.pem" 2>/dev/null; }

# issue NAME SUBJECT_ALT_NAMES START END
issue() {
  key "$1"
  openssl req -new -key "$1.key.pem" -subj "/CN=$1" -addext "subjectAltName=$2" -out "$work/$1.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -cert authority.cert.pem -keyfile authority.key.pem \
    -startdate "$3" -enddate "$4" -in "$work/$1.csr" -out "$1.cert.pem" 2>/dev/null
}

# self_sign NAME EXTENSION
self_sign() {
  key "$1"
  openssl req -new -key "$1.key.pem" -subj "/CN=$1" -addext "$2" -out "$work/$1.csr"
  openssl ca -batch -notext -selfsign -config "$work/ca.cnf" -keyfile "$1.key.pem" \
    -startdate 20200101000000Z -enddate 21200101000000Z -in "$work/$1.csr" -out "$1.cert.pem" 2>/dev/null
}

self_sign authority 'basicConstraints=critical,CA:TRUE'
self_sign self-signed 'subjectAltName=DNS:localhost'
issue localhost 'DNS:localhost,IP:127.0.0.1,IP:::1' 20200101000000Z 21200101000000Z
issue elsewhere 'DNS:elsewhere.example' 20200101000000Z 21200101000000Z
issue expired 'DNS:localhost' 20200101000000Z 20200201000000Z
issue future 'DNS:localhost' 21100101000000Z 21200101000000Z
rm authority.key.pem
