/**
 * The formats of the schema: what JSON Schema's own words cannot check. Each says what is wrong with a text, in
 * words that can follow the key, or undefined where nothing is. None repeats the text, which may be a secret.
 */
import { hopByHopNames } from '../http/headers.js';
import { longestDuration, parseDuration, parseSize } from './units.js';

type Complaint = string | undefined;

const durationSentence = 'expected a duration such as 500ms, 2s, 5m or 1h30m';

function humanDuration(text: string): Complaint {
  const duration = parseDuration(text);
  if (duration === undefined) return durationSentence;
  if (duration < 1) return `${durationSentence}, longer than nothing`;
  return duration > longestDuration ? `${durationSentence}, at most 24 days` : undefined;
}

function humanSize(text: string): Complaint {
  return (parseSize(text) ?? 0) >= 1 ? undefined : 'expected a size such as 4MiB, 4MB, 512KiB or a number of bytes';
}

function httpUrl(text: string, example = 'http://127.0.0.1:3001/mcp'): Complaint {
  const sentence = `expected an http:// or https:// URL such as ${example}`;
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) return sentence;
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') {
    return 'a URL must not hold a user name or password; put credentials into headers';
  }
  return text.includes('#') ? `${sentence}, without a #fragment` : undefined;
}

function publicUrl(text: string): Complaint {
  const complaint = httpUrl(text, 'https://mcp.example.com');
  return complaint ?? (text.includes('?') ? 'expected a URL without a ?query' : undefined);
}

/** What a browser puts into `Origin` (RFC 6454 §6.2): scheme, host, and the port where it is not the default; or `*`. */
function origin(text: string): Complaint {
  if (text === '*') return undefined;
  const sentence = 'expected an origin as browsers send it, such as https://app.example.com: no path, no default port';
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text)) return sentence;
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text) ? undefined : sentence;
}

/** Of this hop (RFC 9110 §7.6.1), or written by the HTTP client from the message that it sends. */
const hopByHop = new Set([...hopByHopNames, 'content-length', 'expect', 'host', 'http2-settings']);

/** Computed for every message from what it says and what was negotiated. */
const computed = /^(?:accept|accept-encoding|content-type|content-encoding|last-event-id|mcp-.*)$/;

function headerName(name: string): Complaint {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    return 'illegal header name: expected letters, digits and - such as X-Api-Key';
  }
  const lower = name.toLowerCase();
  if (hopByHop.has(lower)) return `the header ${name} belongs to one connection and cannot be configured`;
  if (computed.test(lower)) return `the header ${name} is computed for every message and cannot be configured`;
  return undefined;
}

function headerValue(value: string): Complaint {
  if (/[\r\n]/.test(value)) return 'a header value must not hold a line break';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'a header value must not hold control characters';
}

/** The formats by the names that the schema has for them. */
export const formats: ReadonlyMap<string, (text: string) => Complaint> = new Map<string, (text: string) => Complaint>([
  ['human-duration', humanDuration],
  ['human-size', humanSize],
  ['http-url', (text) => httpUrl(text)],
  ['public-url', publicUrl],
  ['origin', origin],
  ['header-name', headerName],
  ['header-value', headerValue],
]);
