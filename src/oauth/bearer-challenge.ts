// Reading what a protected resource answers to whoever it does not let in (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9728 §5.1).

const BEARER = /(?:^|,)\s*bearer(?=[\s,]|$)/i;
// Looked for from the beginning of a name on alone: a long one without its sign would else be read to its end from each letter.
const PARAMETER = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]+))/gi;

/** The parameters of the challenge for bearer tokens, the first of each name; undefined where there is no such challenge. */
export function bearerChallenge(header: string | undefined): Map<string, string> | undefined {
  const start = BEARER.exec(header ?? '');
  if (header === undefined || start === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header
    .slice(start.index + start[0].length)
    .matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare);
  }
  return parameters;
}
