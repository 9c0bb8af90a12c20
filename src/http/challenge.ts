/** The parameter of a challenge that says where a protected resource is described (RFC 9728 §5.1). */

/**
 * A quoted string as a whole, so that nothing within one is taken for a parameter; or the parameter. A string that is
 * not closed goes on to the end: were it no match, every quote in it would be tried anew.
 */
const parameter =
  /"(?:[^"\\]|\\.)*(?:"|\\?$)|(?<before>(?:^|[\s,])resource_metadata[\t ]*=[\t ]*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,"]*)/gis;

/**
 * A `WWW-Authenticate` value in which `resource_metadata`, quoted or not and in each challenge of a list, is `url`;
 * everything else as it came. `url` is a serialised URL.
 */
export function rewriteChallenge(value: string, url: string): string {
  return value.replace(parameter, (found: string, ...groups: unknown[]) => {
    const { before } = groups.at(-1) as { before?: string };
    return before === undefined ? found : `${before}"${url}"`;
  });
}
