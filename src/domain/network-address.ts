/** Classifies IP addresses and host names as loopback, private, public or blocked, without a DNS lookup. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { stripBrackets } from './http-url.ts';

/**
 * - `loopback`: this machine.
 * - `private`: the local network, not reachable from outside.
 * - `public`: any other address.
 * - `blocked`: never a receiver. Link-local and cloud metadata addresses give out credentials; the other blocked addresses
 *   do not belong to one machine, or to an unknown one.
 */
type AddressKind = 'loopback' | 'private' | 'public' | 'blocked';

export interface AddressClass {
  readonly kind: AddressKind;
  /** A noun phrase: "a private address". */
  readonly description: string;
}

const PUBLIC: AddressClass = { kind: 'public', description: 'a public address' };
const PRIVATE: AddressClass = { kind: 'private', description: 'a private address' };
const DOCUMENTATION: AddressClass = { kind: 'private', description: 'an address for examples in documents' };
const LOOPBACK: AddressClass = { kind: 'loopback', description: 'a loopback address' };
const LINK_LOCAL = createBlocked('a link-local address, where cloud providers serve instance credentials');
const METADATA = createBlocked('a cloud metadata address, which serves instance credentials');
const UNSPECIFIED = createBlocked('the unspecified address');
const MULTICAST = createBlocked('a multicast address');
const TUNNEL = createBlocked('a translated or tunneled address with an unknown target');

/** Ranges that are not public. The first match counts, so a part of a range is listed before the range. */
const ranges: readonly AddressRange[] = [
  createRange('127.0.0.0/8', LOOPBACK), // the most frequent addresses
  createRange('100.100.100.200/32', METADATA), // Alibaba Cloud
  createRange('168.63.129.16/32', METADATA), // Azure
  createRange('192.0.0.0/24', METADATA), // protocol assignments; 192.0.0.192 is Oracle Cloud
  createRange('169.254.0.0/16', LINK_LOCAL), // AWS, Azure, Google Cloud and others serve metadata here
  createRange('0.0.0.0/8', UNSPECIFIED),
  createRange('10.0.0.0/8', PRIVATE),
  createRange('172.16.0.0/12', PRIVATE),
  createRange('192.168.0.0/16', PRIVATE),
  createRange('100.64.0.0/10', PRIVATE), // carrier-grade NAT, also used by overlay networks
  createRange('198.18.0.0/15', PRIVATE), // benchmarks
  createRange('192.0.2.0/24', DOCUMENTATION), // RFC 5737
  createRange('198.51.100.0/24', DOCUMENTATION),
  createRange('203.0.113.0/24', DOCUMENTATION),
  createRange('224.0.0.0/4', MULTICAST),
  createRange('255.255.255.255/32', createBlocked('the broadcast address')),
  createRange('240.0.0.0/4', createBlocked('a reserved address')),
  createRange('fd00:ec2::/32', METADATA), // AWS
  createRange('fd20:ce::254/128', METADATA), // Google Cloud
  createRange('fe80::/10', LINK_LOCAL),
  createRange('::/128', UNSPECIFIED),
  createRange('::1/128', LOOPBACK),
  createRange('fc00::/7', PRIVATE),
  createRange('fec0::/10', PRIVATE), // site-local, deprecated by RFC 3879
  createRange('64:ff9b:1::/48', TUNNEL), // NAT64 with a local prefix, RFC 8215
  createRange('2001::/32', TUNNEL), // Teredo
  createRange('2001:db8::/32', DOCUMENTATION), // RFC 3849
  createRange('3fff::/20', DOCUMENTATION), // RFC 9637
  createRange('ff00::/8', MULTICAST),
];

/** Suffixes that are never public: RFC 6761, 6762, 8375, and ICANN's `.internal`. */
const PRIVATE_SUFFIX = /\.(?:local|internal|test|home\.arpa)$/;
const LOOPBACK_NAME = /^(?:.+\.)?localhost$/;

/**
 * Classifies an IP address. An IPv4 address inside an IPv6 address (mapped, compatible, NAT64, 6to4) is classified as
 * the IPv4 address. Text that is not an IP address is blocked.
 */
export function classifyAddress(address: string): AddressClass {
  const bare = toCanonicalAddress(address);
  const version = isIP(bare);
  if (version === 0) return createBlocked('not an IP address');
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = ranges.find((candidate) => candidate.family === family && candidate.contains(bare));
  return range?.addressClass ?? PUBLIC;
}

/** Removes the zone (`fe80::1%eth0`) and returns the IPv4 address that an IPv6 address embeds. */
export function toCanonicalAddress(address: string): string {
  const [bare = ''] = address.split('%');
  // The first call of `isIPv6` is costly at startup.
  return (bare.includes(':') && isIPv6(bare) ? extractIPv4(bare) : null) ?? bare;
}

/**
 * Classifies the host of a URL without resolving it: `localhost` names are loopback, names with a private suffix and
 * names without a dot (such as those of containers) are private, and any other name is public.
 * @param hostname of a parsed `URL`, which has normalized octal, hexadecimal and decimal IPv4 addresses.
 */
export function classifyHost(hostname: string): AddressClass {
  const bare = stripBrackets(hostname);
  if (isIP(bare) !== 0) return classifyAddress(bare);
  const name = bare.replace(/\.$/, '').toLowerCase();
  if (isLoopbackName(name)) return { kind: 'loopback', description: 'a loopback name' };
  if (!name.includes('.') || PRIVATE_SUFFIX.test(name)) {
    return { kind: 'private', description: 'a name in a private network' };
  }
  return { kind: 'public', description: 'a public name' };
}

/** Whether the name is `localhost` or ends in `.localhost`, which always means this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAME.test(name.replace(/\.$/, '').toLowerCase());
}

interface AddressRange {
  readonly family: 'ipv4' | 'ipv6';
  readonly addressClass: AddressClass;
  contains(address: string): boolean;
}

function createRange(cidr: string, addressClass: AddressClass): AddressRange {
  const [network = '', prefix] = cidr.split('/');
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  // Created when first needed, because commands that classify no address load this file too.
  let list: BlockList | undefined;
  return {
    family,
    addressClass,
    contains(address) {
      if (list === undefined) {
        list = new BlockList();
        list.addSubnet(network, Number(prefix), family);
      }
      return list.check(address, family);
    },
  };
}

function createBlocked(description: string): AddressClass {
  return { kind: 'blocked', description };
}

/** The IPv4 address embedded in an IPv6 address; null if there is none. */
function extractIPv4(address: string): string | null {
  const groups = parseGroups(address);
  const head = groups.slice(0, 6).join(':');
  const [, second = 0, third = 0, , , , seventh = 0, eighth = 0] = groups;
  if (groups[0] === 0x2002) return toIPv4(second, third); // 6to4, RFC 3056
  if (head === '0:0:0:0:0:0' && (seventh > 0 || eighth > 1)) return toIPv4(seventh, eighth); // compatible, not :: or ::1
  // In decimal: `::ffff:0:0` (mapped), `::ffff:0:0:0` (translated) and `64:ff9b::` (NAT64).
  const prefixes = ['0:0:0:0:0:65535', '0:0:0:0:65535:0', `${0x64}:${0xff9b}:0:0:0:0`];
  return prefixes.includes(head) ? toIPv4(seventh, eighth) : null;
}

/** The eight numbers of an IPv6 address in any notation. */
function parseGroups(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [start = '', end = ''] = canonical.split('::');
  const startGroups = start === '' ? [] : start.split(':');
  const endGroups = end === '' ? [] : end.split(':');
  const zeros = Array<string>(8 - startGroups.length - endGroups.length).fill('0');
  return [...startGroups, ...zeros, ...endGroups].map((group) => Number.parseInt(group, 16));
}

function toIPv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
