/** The help of the built program, as it is read. */
import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder, svc } from './cli-program.ts';

const empty = createTempFolder();
afterAll(empty.remove);

describe('help', () => {
  const help = async (...words: string[]) => (await svc([...words, '--help'], { cwd: empty.cwd })).stdout;

  it('of svc', async () => {
    expect(await help()).toMatchInlineSnapshot(`
      "Usage: svc [options] [command]

      A local emulator of the Workspace Events and Webhooks API.

      Options:
        -V, --version         show the version
        -h, --help            show this help

      Global options:
        --json                print JSON; a stream prints one object a line
        --no-color            print without colours
        --url <url>           the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>       the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Commands:
        emulator [options]    Start, stop and look at the emulator of this folder
        trigger               Create an event, from a fixture or from data
        listen                Forward deliveries to a local receiver, for as long as it runs
        deliveries [options]  See what was sent to endpoints, and send it again
        clock [options]       Command the clock that decides when retries are due
        events [options]      List, read and create events
        webhooks [options]    Manage the endpoints that receive deliveries
        workspaces [options]  List, read and create workspaces
        keys [options]        Manage API keys
        logs [options]        See the requests made to the API
        faults [options]      Let requests and deliveries go wrong on purpose
        fixtures [options]    See sample events and scripts, run a script, check your own
        verify                Check the signature of a delivery and say what is wrong
        sign                  Make the signature headers for a payload
        receiver [options]    Check your receiver, or begin with one that is right
        env                   Print the variables that point programs to the emulator
        open                  Open the dashboard in the browser
        completion            Print a script that completes svc in a shell
        gaps                  Show what the service description leaves open, and the answers
        doctor                Check the set-up, down to the receivers, and say what to do
        config                Show every setting and where it came from

      Examples:
        $ svc emulator start
        $ svc trigger order.shipped --wait
        $ svc deliveries tail
      "
    `);
  });

  it('of a group', async () => {
    expect(await help('clock')).toMatchInlineSnapshot(`
      "Usage: svc clock [options] [command]

      Command the clock that decides when retries are due

      Global options:
        --json           print JSON; a stream prints one object a line
        --no-color       print without colours
        --url <url>      the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>  the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Options:
        -h, --help       show this help

      Commands:
        show             Show what time it is there
        speed            Let it run faster or slower
        freeze           Stop it
        resume           Let a stopped clock go on
        advance          Move it forward, sending all that falls due
        next             Move it to the next due attempt
        settle           Move it until no delivery is pending

      Examples:
        $ svc clock show --help
        $ svc clock speed --help
        $ svc clock freeze --help
        $ svc clock resume --help
        $ svc clock advance --help
        $ svc clock next --help
        $ svc clock settle --help
      "
    `);
  });

  it('of a command', async () => {
    expect(await help('deliveries', 'replay')).toMatchInlineSnapshot(`
      "Usage: svc deliveries replay [options] [ids...]

      Send deliveries again

      Arguments:
        ids                del_… del_…

      Options:
        --failed           every failed delivery, instead of naming some
        --since <when>     only those created since then: 1h, or a time
        --to <url>         send to this address, as a new delivery
        --data <json>      send this body, as a new delivery: JSON, @file, or - for standard input
        --edit             change the body in $VISUAL or $EDITOR first, and send it as a new delivery
        --new-id           make a new delivery with replay_of instead of a new attempt
        --rate <n/s>       of many, so many a second at most; 100/s when left out
        --wait [duration]  until each has been answered, 30s when left out; exit 1 if one failed
        --yes              replay all that have failed without being asked
        -h, --help         show this help

      Global options:
        --json             print JSON; a stream prints one object a line
        --no-color         print without colours
        --url <url>        the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>    the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Examples:
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
        $ svc deliveries replay --failed --since 1h --rate 20/s --wait=1m
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @changed.json
      "
    `);
  });

  it('of the emulator', async () => {
    expect(await help('emulator', 'start')).toMatchInlineSnapshot(`
      "Usage: svc emulator start [options]

      Boot the whole sandbox

      Options:
        --port <port>         port to listen on; 0 is any free one
        --host <address>      address to listen on
        --db <file>           file of the database, or :memory:
        --seed <file>         JSON or YAML file of what a new database begins with
        --environment <name>  which of the two environments is emulated
        --profile <name>      the answers where the service description is silent
        --scheme <name>       whose signatures: svc, standard-webhooks, stripe, github, slack, or one of schemes
        --speed <n>           schedule seconds per real second
        --freeze              start with the schedule clock stopped
        --forward-to <url>    port or URL of your receiver, to register as an endpoint at boot
        --events <list>       event types of that endpoint
        --ca <file>           PEM file of a certificate authority to trust
        --proxy <url>         proxy for public receivers; env takes that of the environment
        --https               serve HTTPS, with a certificate made for it
        --cert <file>         PEM file of a certificate to serve HTTPS with
        --key <file>          PEM file of the key of that certificate
        --allow-host <list>   more hosts that /v1 answers to, without ports, such as host.docker.internal
        --public-url <url>    address of your own proxy or tunnel that leads to the emulator
        --tunnel              make the API public by a tunnel of cloudflared, which must be installed
        --keep-days <n>       days after which settled events are removed (default: 30)
        --keep-requests <n>   requests of the log that are kept (default: 100000)
        --keep-megabytes <n>  megabytes after which the oldest settled events are removed (default: 1024)
        --random-seed <n>     same ids, secrets and jitter on every run
        --wall-clock <time>   what the wall clock shows, always, for signatures that stay the same
        --env-file <file>     file to write the variables of \`svc env\` to
        --open                open the dashboard in the browser
        --detach              run in the background, and return when it is ready
        -h, --help            show this help

      Global options:
        --json                print JSON; a stream prints one object a line
        --no-color            print without colours
        --url <url>           the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>       the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Where other machines can reach it (--host, --public-url, --tunnel), its dashboard and its control plane ask for a
      token. It is in the link that is printed; commands of this folder know it, others take it from SVC_CONTROL_TOKEN.

      Node 20 takes --env-file for itself and fails when there is no such file yet. Write svc -- emulator start
      --env-file FILE there, or set SVC_ENV_FILE.

      Examples:
        $ svc emulator start
        $ svc emulator start --port 0 --db :memory: --json
        $ svc emulator start --forward-to localhost:3000/webhooks
        $ svc emulator start --forward-to 3000 --events order.shipped,invoice.paid
        $ svc emulator start --speed 3600 --detach
        $ svc emulator start --env-file .env.local
        $ svc emulator start --https
        $ svc emulator start --host 0.0.0.0
        $ svc emulator start --tunnel
        $ svc emulator start --public-url https://svc.example.com
      "
    `);
  });
});
