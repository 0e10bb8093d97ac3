// Verifies a delivery, as receivers in JavaScript usually do.
import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = process.env.SVC_WEBHOOK_SECRET;

/** Returns why the delivery is rejected; null if it is valid. */
export function verify(body, headers) {
  const timestamp = headers['service-timestamp'];
  const signatures = headers['service-signature'];
  if (!signatures) return 'Missing signature';
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${digest}`);
  const isValid = signatures.split(',').some((text) => {
    const signature = Buffer.from(text.trim());
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isValid) return 'Invalid signature';
  const sentAt = Date.parse(timestamp);
  if (!(Math.abs(Date.now() - sentAt) <= 5 * 60_000)) return 'Timestamp too old';
  return null;
}

/** The work of the receiver. */
export function handle({ data }) {
  return data.id;
}
