// What differs between two versions of settings, and how that is taken out of them again.

/** What a change made of settings: those that differ, before and after. */
export type Difference<Settings> = { before: Partial<Settings>; after: Partial<Settings> };

/** What differs between two versions of the same settings; undefined when nothing does. */
export function differenceOf<Settings extends object>(
  before: Settings,
  after: Settings,
): Difference<Settings> | undefined {
  const names = (Object.keys(after) as (keyof Settings)[]).filter((name) => !same(before[name], after[name]));
  if (names.length === 0) return undefined;
  const only = (settings: Settings) =>
    Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<Settings>;
  return { before: only(before), after: only(after) };
}

/**
 * Takes a change out of settings that may have changed again since: of lists and keys what it added goes and what it
 * took away comes back; anything else is put back if it is still what the change made of it.
 */
export function reverted<Settings extends object>(
  current: Settings,
  { before, after }: Difference<Settings>,
): Settings {
  const settings: Record<string, unknown> = Object.fromEntries(Object.entries(current));
  for (const [name, former] of Object.entries(before)) {
    const made = (after as Record<string, unknown>)[name];
    const [now, was, became] = [settings[name], former, made].map(entriesOf);
    if (now === undefined || was === undefined || became === undefined) {
      if (same(settings[name], made)) settings[name] = former;
      continue;
    }
    const left = now.filter((entry) => has(was, entry) || !has(became, entry));
    const back = was.filter((entry) => !has(became, entry) && !has(left, entry));
    const entries = [...left, ...back];
    const isList = Array.isArray(former) || Array.isArray(made);
    settings[name] = isList ? entries : entries.length === 0 ? null : { keys: entries };
  }
  return settings as Settings;
}

/** The entries of a list, or the keys of a JWK Set, of which null is the empty one. */
export function entriesOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return typeof value === 'object' && Array.isArray((value as { keys?: unknown }).keys)
    ? (value as { keys: unknown[] }).keys
    : undefined;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
/** Whether an entry is among others, as it is. */
export const has = (entries: readonly unknown[], one: unknown) => entries.some((entry) => same(entry, one));
