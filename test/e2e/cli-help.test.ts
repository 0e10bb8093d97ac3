/** The help of the built program. */
import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder, svc } from './cli-program.ts';

const empty = createTempFolder();
afterAll(empty.remove);

describe('help', () => {
  const help = async (...words: string[]) => {
    const { stdout } = await svc([...words, '--help'], { cwd: empty.cwd });
    return stdout.replace(/(?<=documentation: ).*(?=[\\/]docs)/, '<package>');
  };

  it('svc --help groups the commands by task', async () => {
    expect(await help()).toMatchInlineSnapshot(`
      "Run a local emulator of the Workspace Events and Webhooks API

      Usage: svc <command> [options]

      Core commands:
        emulator         Start, stop and inspect the emulator of this folder
        trigger          Create an event from a fixture or from your own data
        listen           Forward deliveries to a local receiver while the command runs
        webhooks         Manage the endpoints that receive deliveries

      Inspect:
        deliveries       Inspect, replay and wait for deliveries
        events           List, show and create events
        logs             Inspect the requests made to the API
        verify           Verify the signature of a delivery and explain a failure
        open             Open the dashboard in the browser

      Simulate:
        clock            Control the clock that decides when retries are due
        faults           Inject failures into API requests and deliveries
        fixtures         List, show, validate and run fixtures
        receiver         Check your receiver, or print an example receiver
        sign             Create the signature headers for a payload

      Setup:
        workspaces       List, show and create workspaces
        keys             Manage API keys
        env              Print the variables that connect a program to the emulator
        config           Show every setting and its source
        gaps             List the open questions of the service description and how svc resolves them
        doctor           Check the installation, the emulator and the endpoints
        completion       Print the completion script for a shell

      Options:
        -V, --version    Show the version
        -h, --help       Show this help

      Global options:
        --json           Print JSON; a stream prints one object per line
        --no-color       Print without colors
        --url <url>      Emulator to use (default: SVC_CONTROL_URL, or the emulator of this folder)
        --api-key <key>  API key to use (default: SVC_API_KEY, or the key created at the start)

      Examples:
        # Start the emulator and forward events to a local receiver
        $ svc emulator start --forward-to 3000
        # Create an event and wait until it is delivered
        $ svc trigger order.shipped --wait
        # Follow delivery attempts
        $ svc deliveries tail

      Learn more:
        Read about a command: svc <command> --help
        Read the documentation: <package>/docs/README.md
      "
    `);
  });

  it('svc clock --help lists the commands of the group', async () => {
    expect(await help('clock')).toMatchInlineSnapshot(`
      "Control the clock that decides when retries are due

      Usage: svc clock <command> [options]

      Commands:
        show             Show the schedule clock
        speed            Set the speed of the schedule clock
        freeze           Freeze the schedule clock
        resume           Resume a frozen schedule clock
        advance          Move the schedule clock forward and send every attempt that becomes due
        next             Move the schedule clock to the next due attempt
        settle           Move the schedule clock until no delivery is pending

      Options:
        -h, --help       Show this help

      Global options:
        --json           Print JSON; a stream prints one object per line
        --no-color       Print without colors
        --url <url>      Emulator to use (default: SVC_CONTROL_URL, or the emulator of this folder)
        --api-key <key>  API key to use (default: SVC_API_KEY, or the key created at the start)

      Examples:
        # Move time forward and send every retry that becomes due
        $ svc clock advance 35m
        # Run the retry schedule 60 times faster
        $ svc clock speed 60

      Learn more:
        Read about a command: svc clock <command> --help
      "
    `);
  });

  it('svc deliveries replay --help lists arguments and options', async () => {
    expect(await help('deliveries', 'replay')).toMatchInlineSnapshot(`
      "Send deliveries again

      Usage: svc deliveries replay [options] [ids...]

      Arguments:
        ids                Delivery IDs (del_…)

      Options:
        --failed           Replay every failed delivery
        --since <when>     With --failed: only deliveries created since this time, such as 1h
        --to <url>         Send to this URL, as a new delivery
        --data <json>      Send this body, as a new delivery: JSON, @file, or - for standard input
        --edit             Edit the body in $VISUAL or $EDITOR and send it as a new delivery
        --new-id           Create a new delivery with its own ID instead of another attempt
        --rate <n/s>       Maximum number of replays per second (default: 100/s)
        --wait [duration]  Wait up to this long for every response, with exit code 1 if a replay failed (default:
                           30s)
        --yes              Replay all failed deliveries without asking
        -h, --help         Show this help

      Global options:
        --json             Print JSON; a stream prints one object per line
        --no-color         Print without colors
        --url <url>        Emulator to use (default: SVC_CONTROL_URL, or the emulator of this folder)
        --api-key <key>    API key to use (default: SVC_API_KEY, or the key created at the start)

      Examples:
        # Send a delivery again
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
        # Replay everything that failed in the last hour, and wait for the responses
        $ svc deliveries replay --failed --since 1h --rate 20/s --wait=1m
        # Send the same body to another receiver
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks
        # Send another body
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @changed.json
      "
    `);
  });

  it('svc emulator start --help lists the settings with their defaults', async () => {
    expect(await help('emulator', 'start')).toMatchInlineSnapshot(`
      "Start the emulator

      Usage: svc emulator start [options]

      Options:
        --port <port>         Port to listen on; 0 for any free port (default: 4777)
        --host <address>      Address to listen on (default: 127.0.0.1)
        --db <file>           Database file, or :memory: (default: .svc/<environment>.db)
        --seed <file>         JSON or YAML file with the initial state of a new database
        --environment <name>  Environment to emulate (choices: sandbox, production) (default: sandbox)
        --profile <name>      Profile: answers to the questions that the service description leaves open (choices:
                              relaxed, strict) (default: relaxed)
        --scheme <name>       Signature scheme: svc, standard-webhooks, stripe, github, slack, or one of your own
                              schemes (default: svc)
        --speed <n>           Seconds of schedule time per second of real time (default: 1)
        --freeze              Start with the schedule clock frozen
        --forward-to <url>    Port or URL of your receiver, to register as an endpoint at the start
        --events <list>       Event types of the --forward-to endpoint, separated by commas (default: *)
        --ca <file>           PEM file with a certificate authority to trust
        --proxy <url>         Proxy URL for deliveries to public receivers, or env to use HTTPS_PROXY and similar
                              variables
        --https               Serve HTTPS with a generated certificate
        --cert <file>         PEM file with the certificate to serve HTTPS with
        --key <file>          PEM file with the private key of --cert
        --allow-host <list>   More host names that /v1 accepts, without ports, such as host.docker.internal
        --public-url <url>    Public URL of your own proxy or tunnel that forwards to the emulator
        --tunnel              Make the API public through cloudflared, which must be installed
        --keep-days <n>       Days after which settled events are removed (default: 30)
        --keep-requests <n>   Number of requests that the request log keeps (default: 100000)
        --keep-megabytes <n>  Database size in megabytes above which the oldest settled events are removed (default:
                              1024)
        --random-seed <n>     Number that makes IDs, secrets and jitter the same in every run
        --wall-clock <time>   Pin the wall clock to this time, so that signatures stay the same
        --write-env <file>    File to write the variables of svc env to
        --open                Open the dashboard in the browser
        --detach              Run in the background, and return when the emulator is ready
        -h, --help            Show this help

      Global options:
        --json                Print JSON; a stream prints one object per line
        --no-color            Print without colors
        --url <url>           Emulator to use (default: SVC_CONTROL_URL, or the emulator of this folder)
        --api-key <key>       API key to use (default: SVC_API_KEY, or the key created at the start)

      If other machines can reach the emulator (--host, --public-url, --tunnel), the dashboard and the control plane require
      a token. The printed dashboard link contains the token. Commands in this folder find it. Elsewhere, set
      SVC_CONTROL_TOKEN.

      Examples:
        # Start the emulator
        $ svc emulator start
        # Register a local receiver as an endpoint
        $ svc emulator start --forward-to localhost:3000/webhooks
        # Send only some event types to it
        $ svc emulator start --forward-to 3000 --events order.shipped,invoice.paid
        # Use a free port and no database file
        $ svc emulator start --port 0 --db :memory: --json
        # Start in the background with a clock that is 3600 times faster
        $ svc emulator start --speed 3600 --detach
        # Write the variables of svc env to a file
        $ svc emulator start --write-env .env.local
        # Serve HTTPS
        $ svc emulator start --https
        # Accept connections from other machines
        $ svc emulator start --host 0.0.0.0
        # Make the API public through cloudflared
        $ svc emulator start --tunnel
        # Use your own public URL
        $ svc emulator start --public-url https://svc.example.com
      "
    `);
  });
});
