/** Connections to an emulator with HTTPS. Loaded only for an HTTPS URL. */
import { Agent, globalAgent } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';

/** One for each `ca`: to parse the root certificates takes tens of milliseconds. */
const agents = new Map<string, Agent>();

/** An agent that also trusts the certificates of `ca`, in PEM. */
export function getHttpsAgent(ca: string | undefined): Agent {
  if (ca === undefined) return globalAgent;
  const agent = agents.get(ca) ?? createAgent(ca);
  agents.set(ca, agent);
  return agent;
}

function createAgent(ca: string): Agent {
  const secureContext = createSecureContext({ ca: [...rootCertificates, ca] });
  return new Agent({ keepAlive: true, secureContext });
}
