/** What `svc doctor` asks of a running emulator. */
import type { WebhookProbe } from '../contract/resources.ts';
import { type Probe, probeWebhook } from '../delivery/probe.ts';
import type { Sender, SendResult } from '../delivery/sender.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CheckedCalls } from './local.ts';

export function createCheckCalls(
  sandbox: Sandbox,
  sender: Sender,
): Pick<CheckedCalls, 'getDiagnosis' | 'probeWebhook'> {
  return {
    getDiagnosis: async () => {
      const { sizeBytes, schemaVersion, newestSchemaVersion, damage } = sandbox.store.inspect();
      return {
        database: {
          size_bytes: sizeBytes,
          schema_version: schemaVersion,
          newest_schema_version: newestSchemaVersion,
          damage: [...damage],
        },
      };
    },
    probeWebhook: async (input) => toProbe(await probeWebhook(sandbox, sender, input)),
  };
}

function toProbe({ id, url, connection, answers }: Probe): WebhookProbe {
  const { outcome, error, durationMs, address, certificate } = connection;
  return {
    ...{ webhook_id: id, url },
    connection: {
      ...{ outcome, error, address, duration_ms: durationMs },
      certificate: certificate && {
        issuer: certificate.issuer,
        valid_to: new Date(certificate.validTo).toISOString(),
      },
    },
    genuine: answers && toAnswer(answers.genuine),
    forged: answers && toAnswer(answers.forged),
  };
}

function toAnswer({ outcome, responseStatus, error, durationMs }: SendResult) {
  return { outcome, response_status: responseStatus, error, duration_ms: durationMs };
}
