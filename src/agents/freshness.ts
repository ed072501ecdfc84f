// How long a document is relied on before it is read again, in seconds (RFC 9111, D49).

const SHORTEST_FRESH = 300;
export const LONGEST_FRESH = 86_400;

/** What `Cache-Control` says, within bounds; the least where it says nothing that can be read. */
export function freshFor(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((directive) => /^no-(?:store|cache)(?:$|=)/.test(directive))) return SHORTEST_FRESH;
  const ages = directives.flatMap((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1] ?? []);
  const age = ages.length === 0 ? 0 : Math.min(...ages.map(Number));
  return Math.min(LONGEST_FRESH, Math.max(SHORTEST_FRESH, age));
}
