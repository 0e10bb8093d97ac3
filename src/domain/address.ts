/** What an IP address or a host name says about where it leads, without asking the network. Pure. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * - `loopback`: this machine.
 * - `private`: this network, not reachable from outside.
 * - `public`: anything else.
 * - `blocked`: never a receiver: link-local and cloud metadata addresses, which hand out credentials, and addresses
 *   that are no single machine.
 */
export type AddressKind = 'loopback' | 'private' | 'public' | 'blocked';

export interface AddressClass {
  readonly kind: AddressKind;
  /** What it is, as a noun phrase: "a private address". */
  readonly description: string;
}

const PUBLIC: AddressClass = { kind: 'public', description: 'a public address' };
const PRIVATE: AddressClass = { kind: 'private', description: 'a private address' };
const LOOPBACK: AddressClass = { kind: 'loopback', description: 'a loopback address' };
const LINK_LOCAL = blocked('a link-local address, where clouds hand out credentials');
const METADATA = blocked('a cloud metadata address, which hands out credentials');
const UNSPECIFIED = blocked('no address of a machine, it means "any"');
const MULTICAST = blocked('a multicast address');
const TUNNEL = blocked('an address of a translation or a tunnel, whose target cannot be told');

/** Ranges that are not public; the first that matches counts. */
const ranges: readonly AddressRange[] = [
  range('100.100.100.200/32', METADATA), // Alibaba Cloud
  range('168.63.129.16/32', METADATA), // Azure
  range('192.0.0.0/24', METADATA), // protocol assignments; 192.0.0.192 is Oracle Cloud
  range('169.254.0.0/16', LINK_LOCAL), // AWS, Azure, Google Cloud and others serve metadata here
  range('0.0.0.0/8', UNSPECIFIED),
  range('127.0.0.0/8', LOOPBACK),
  range('10.0.0.0/8', PRIVATE),
  range('172.16.0.0/12', PRIVATE),
  range('192.168.0.0/16', PRIVATE),
  range('100.64.0.0/10', PRIVATE), // shared by carriers and by overlay networks
  range('198.18.0.0/15', PRIVATE), // benchmarks
  range('224.0.0.0/4', MULTICAST),
  range('255.255.255.255/32', blocked('the broadcast address')),
  range('240.0.0.0/4', blocked('a reserved address')),
  range('fd00:ec2::/32', METADATA), // AWS
  range('fd20:ce::254/128', METADATA), // Google Cloud
  range('fe80::/10', LINK_LOCAL),
  range('::/128', UNSPECIFIED),
  range('::1/128', LOOPBACK),
  range('fc00::/7', PRIVATE),
  range('fec0::/10', PRIVATE), // site-local, deprecated by RFC 3879
  range('64:ff9b:1::/48', TUNNEL), // NAT64 with a prefix of the network's own, RFC 8215
  range('2001::/32', TUNNEL), // Teredo
  range('ff00::/8', MULTICAST),
];

/** Names that lead to this machine or network by their form alone: RFC 6761, 6762, 8375, and ICANN's `.internal`. */
const PRIVATE_SUFFIX = /\.(?:local|internal|test|home\.arpa)$/;
const LOOPBACK_NAME = /^(?:.+\.)?localhost$/;

/**
 * What the IP address is. An IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4) counts as itself.
 * A text that is not an IP address is blocked.
 */
export function classifyAddress(address: string): AddressClass {
  const bare = toCanonicalAddress(address);
  const version = isIP(bare);
  if (version === 0) return blocked('not an IP address');
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return ranges.find((each) => each.family === family && each.list.check(bare, family))?.is ?? PUBLIC;
}

/** The address without a zone (`fe80::1%eth0`), and the IPv4 address where an IPv6 one only carries that. */
export function toCanonicalAddress(address: string): string {
  const [bare = ''] = address.split('%');
  return (isIPv6(bare) ? embeddedIPv4(bare) : null) ?? bare;
}

/**
 * What the host of a URL is, as far as it can be told without resolving it: `localhost` names are loopback, names
 * of a suffix that never leaves a network and names without a dot (of a container, say) are private, any other name
 * may be public. `hostname` is that of a parsed `URL`, where the octal, hexadecimal and decimal spellings of an
 * IPv4 address are already gone.
 */
export function classifyHost(hostname: string): AddressClass {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return classifyAddress(bare);
  const name = bare.replace(/\.$/, '').toLowerCase();
  if (isLoopbackName(name)) return { kind: 'loopback', description: 'a name of this machine' };
  if (!name.includes('.') || PRIVATE_SUFFIX.test(name)) {
    return { kind: 'private', description: 'a name of a private network' };
  }
  return { kind: 'public', description: 'a public name' };
}

/** Whether the name is `localhost` or ends in `.localhost`, which are always this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAME.test(name.replace(/\.$/, '').toLowerCase());
}

interface AddressRange {
  readonly family: 'ipv4' | 'ipv6';
  readonly list: BlockList;
  readonly is: AddressClass;
}

function range(cidr: string, is: AddressClass): AddressRange {
  const [network = '', prefix] = cidr.split('/');
  // Not asked of node:net, whose first look at an IPv6 address takes 4 ms: every command would pay them.
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return { family, list, is };
}

function blocked(what: string): AddressClass {
  return { kind: 'blocked', description: what };
}

/** The IPv4 address that an IPv6 address carries, null when it carries none. */
function embeddedIPv4(address: string): string | null {
  const groups = toGroups(address);
  const head = groups.slice(0, 6).join(':');
  const [, second = 0, third = 0, , , , seventh = 0, eighth = 0] = groups;
  if (groups[0] === 0x2002) return toIPv4(second, third); // 6to4, RFC 3056
  if (head === '0:0:0:0:0:0' && (seventh > 0 || eighth > 1)) return toIPv4(seventh, eighth); // compatible
  const carriers = ['0:0:0:0:0:65535', '0:0:0:0:65535:0', `${0x64}:${0xff9b}:0:0:0:0`]; // mapped, translated, NAT64
  return carriers.includes(head) ? toIPv4(seventh, eighth) : null;
}

/** What one client can be told by: its IPv4 address, or the /64 network of its IPv6 address, which it has whole. */
export function toClientKey(address: string): string {
  const bare = toCanonicalAddress(address);
  return isIPv6(bare) ? toGroups(bare).slice(0, 4).join(':') : bare;
}

/** The eight numbers of an IPv6 address in any of its spellings. */
function toGroups(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function toIPv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
