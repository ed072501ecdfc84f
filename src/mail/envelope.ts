// What lies in the outbox: a letter, or the wish for one that is yet to be written; sealed, for it may open something.
import type { Sealer } from '../oauth/seal.ts';
import type { Letter } from './letter.ts';

/**
 * A letter that may not be felt in the answer's time: whether there is anybody to write to is found out afterwards.
 * The same row is written for everybody who asks.
 */
export interface Wish {
  kind: 'wish';
  what: 'reset_password';
  /** As it was typed. */
  email: string;
  locale: 'fr' | 'en';
  /** Where the person was going. */
  onward: object;
}

export type Content = Letter | Wish;

/** A purpose of its own: nothing else that is sealed opens as a mail. */
const PURPOSE = 'mail';

/** The id goes with it: a row's content opens in no other row. */
export const sealContent = (sealer: Sealer, id: string, content: Content): string =>
  sealer.seal(PURPOSE, Buffer.from(JSON.stringify([id, content])));

/** Undefined when another key has sealed it, or for another row. */
export function openContent(sealer: Sealer, id: string, sealed: string): Content | undefined {
  const bytes = sealer.open(PURPOSE, sealed);
  if (bytes === undefined) return undefined;
  const [of, content] = JSON.parse(bytes.toString()) as [string, Content];
  if (of !== id) return undefined;
  return 'at' in content ? { ...content, at: new Date(content.at) } : content;
}

const HOUR = 3_600_000;

/** How long it is worth sending, in milliseconds: a link that is dead opens nothing. */
export const worthSending = ({ kind }: Content): number =>
  kind === 'wish' || kind === 'reset_password' ? HOUR / 2 : 24 * HOUR;
