// Strict parser for queries and forms. Records errors instead of throwing them.
import { invalidRequest, type OAuthError } from './errors.ts';
import { redactParameterName } from './redaction.ts';

/** Limits the parsing time. */
export const MAX_PAIRS = 200;

/** `get` returns undefined for absent, empty, repeated and malformed parameters (RFC 6749 §3.1). */
export interface Parameters {
  get(name: string): string | undefined;
  getAll(name: string): readonly string[];
  readonly repeated: ReadonlySet<string>;
  readonly malformed: ReadonlySet<string>;
  /** True for more than `MAX_PAIRS` parameters, in which case http/parameters.ts rejects the request. */
  readonly hasTooManyPairs: boolean;
  readonly entries: readonly [name: string, value: string][];
}

/** Only `resource` may be repeated (RFC 8707 §2). */
const REPEATABLE_PARAMETERS = new Set(['resource']);

// PostgreSQL rejects NUL, and decoders replace invalid UTF-8 with U+FFFD.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/;

/**
 * Parses `application/x-www-form-urlencoded` and never throws. `malformed` lists parameters with invalid
 * encoding or forbidden characters.
 */
export function parseParameters(encoded: string): Parameters {
  const entries: [string, string][] = [];
  const values = new Map<string, string[]>();
  const repeated = new Set<string>();
  const malformed = new Set<string>();
  const { pairs, tooMany } = splitPairs(encoded);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1));
    if (name === undefined) continue;
    const previous = values.get(name);
    if (previous !== undefined || malformed.has(name)) repeated.add(name);
    if (value === undefined) malformed.add(name);
    else {
      entries.push([name, value]);
      values.set(name, [...(previous ?? []), value]);
    }
  }
  for (const name of repeated) if (REPEATABLE_PARAMETERS.has(name)) repeated.delete(name);
  return {
    get: (name) => (repeated.has(name) ? undefined : values.get(name)?.[0] || undefined),
    getAll: (name) => values.get(name)?.filter((value) => value !== '') ?? [],
    repeated,
    malformed,
    hasTooManyPairs: tooMany,
    entries,
  };
}

function splitPairs(encoded: string): { pairs: string[]; tooMany: boolean } {
  const pairs: string[] = [];
  for (let start = 0, end: number; start < encoded.length; start = end + 1) {
    end = encoded.indexOf('&', start);
    if (end < 0) end = encoded.length;
    if (end === start) continue;
    if (pairs.length === MAX_PAIRS) return { pairs, tooMany: true };
    pairs.push(encoded.slice(start, end));
  }
  return { pairs, tooMany: false };
}

function decodeComponent(encoded: string): string | undefined {
  if (!encoded.includes('%') && !encoded.includes('+'))
    return FORBIDDEN_CHARACTERS.test(encoded) ? undefined : encoded;
  try {
    const decoded = decodeURIComponent(encoded.replaceAll('+', ' '));
    return FORBIDDEN_CHARACTERS.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** @param repeatable parameters besides `resource` that may be repeated */
export function findParameterError(
  parameters: Parameters,
  repeatable: readonly string[] = [],
): OAuthError | undefined {
  for (const name of parameters.repeated)
    if (!repeatable.includes(name))
      return invalidRequest(`The parameter ${quoteParameterName(name)} was sent more than once.`, {
        kind: 'parameter_repeated',
        parameter: redactParameterName(name),
      });
  for (const name of parameters.malformed)
    return invalidRequest(
      `The parameter ${quoteParameterName(name)} must be percent-encoded UTF-8 text without control characters.`,
      { kind: 'parameter_malformed', parameter: redactParameterName(name) },
    );
  return undefined;
}

/** error_description allows only these characters (RFC 6749 §5.2). */
function quoteParameterName(name: string): string {
  return `'${name.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 40)}'`;
}
