#!/bin/sh
# The entry point of the image: runs svc, but starts an emulator that other machines can reach only with a token of its user.
case " $* " in *' --help '* | *' -h '*) exec svc "$@" ;; esac
if [ "$1 $2" = 'emulator start' ] && [ "$SVC_HOST" = 0.0.0.0 ] && [ -z "$SVC_CONTROL_TOKEN" ]; then
  echo 'error: Other containers and machines can reach this emulator, so SVC_CONTROL_TOKEN must be set.' >&2
  echo 'hint: Create a token with: openssl rand -hex 16. Pass it to the container with: docker run --env SVC_CONTROL_TOKEN=TOKEN' >&2
  exit 2
fi
# PID 1 is svc, so that it receives the SIGTERM of docker stop.
exec svc "$@"
