/** To whom a session, task or parked call belongs. */
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';

/** The owner of everything that was begun without a credential. */
export const anonymous = 'anonymous';

/** Owners of credentials seen lately: the same header comes with every request of a client. */
const known = new Map<string, string>();
const mostKnown = 1_000;

/**
 * The owner behind an Authorization header: issuer and subject of a JWT, so that a refreshed token is still the same
 * owner; else a digest of the header.
 *
 * The JWT is not verified here: the gateway has no keys and is not the audience. Its subject counts only where
 * `upstreamVerifies`, that is, where the token goes up with each request: a forged one then opens nothing behind the
 * gateway. Of the gateway itself it would open a session only together with that session's id, which is 192 random
 * bits that only its client was told. Where the upstream has a credential of its own, and so never sees the client's,
 * the whole header counts.
 */
export function ownerOf(authorization: string | undefined, upstreamVerifies: boolean): string {
  if (authorization === undefined) return anonymous;
  if (!upstreamVerifies) return digestOf(authorization);
  let owner = known.get(authorization);
  if (owner === undefined) {
    owner = subjectOf(authorization) ?? digestOf(authorization);
    if (known.size >= mostKnown) known.clear();
    known.set(authorization, owner);
  }
  return owner;
}

function digestOf(authorization: string): string {
  return `sha256:${createHash('sha256').update(authorization).digest('base64url')}`;
}

/** `jwt:[issuer,subject]` of a bearer token that is a JWT with a subject. */
function subjectOf(authorization: string): string | undefined {
  const token = /^bearer\s+(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) return undefined;
  try {
    const { iss, sub } = decodeJwt(token);
    return sub === undefined ? undefined : `jwt:${JSON.stringify([iss ?? null, sub])}`;
  } catch {
    return undefined; // an opaque token
  }
}
