// Compares the costs of imported hashes.
import type { ImportedScheme } from '../store/imported-passwords.ts';
import { DIGEST_LENGTHS, type DigestAlgorithm } from './hash-digests.ts';

export function findSlowestSchemes(schemes: readonly ImportedScheme[]): ImportedScheme[] {
  const slowest = new Map<string, ImportedScheme & { work: number }>();
  for (const scheme of schemes) {
    const { algorithm, work } = parseCost(scheme.scheme);
    if (work >= (slowest.get(algorithm)?.work ?? 0)) slowest.set(algorithm, { ...scheme, work });
  }
  return [...slowest.values()];
}

/** @param scheme scheme and cost parameters, such as `$argon2id$v=19$m=65536,t=3,p=4` */
function parseCost(scheme: string): { algorithm: string; work: number } {
  const [, name = '', ...rest] = scheme.split('$');
  const text = rest.at(-1) ?? '';
  if (/^\d+$/.test(text)) return { algorithm: name, work: 2 ** Number(text) };
  const parameters = new Map(text.split(',').map((parameter) => parameter.split('=') as [string, string]));
  const getParameter = (key: string) => Number(parameters.get(key) ?? 1);
  // Hashes with different numbers of lanes aren't compared because Argon2 computes lanes in parallel.
  if (parameters.has('m'))
    return { algorithm: `${name} ${getParameter('p')}`, work: getParameter('m') * getParameter('t') };
  if (parameters.has('i')) {
    const digestLength = DIGEST_LENGTHS[name.slice('pbkdf2-'.length) as DigestAlgorithm];
    return { algorithm: name, work: getParameter('i') * Math.ceil(getParameter('l') / digestLength) };
  }
  if (parameters.has('ln'))
    return { algorithm: name, work: 2 ** getParameter('ln') * getParameter('r') * getParameter('p') };
  if (parameters.has('rounds')) return { algorithm: name, work: getParameter('rounds') };
  return { algorithm: name, work: 2 ** getParameter('r') };
}
