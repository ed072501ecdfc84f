// Names as a letter may say them. Anybody can have a mail of ours sent to anybody, and chooses the names in it: none of
// them reads as an address to open, a number to call, or a message of its own.

/** Characters of a name that a letter says; more are cut off. */
const LONGEST = 40;
/** Digits of a name, wherever they stand in it: a year, not a telephone number. */
const MOST_DIGITS = 4;

/** Whatever is or looks like a full stop, in the scripts that host names are written in (UTS #46). */
const STOPS = /[.\u0589\u06d4\u0701\u0702\u2024\u3002\ua4f8\ua60e\ufe52\uff0e\uff61\u{10a50}]/gu;
/** All that a name is made of; joiners are letters' own. Marks do not pile up on each other. */
const STRANGE = /(?!\p{Join_Control})[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} '’.,&!()+·—–-]/gu;
const PILES = /(\p{M}{3})\p{M}+/gu;
/** A stop that is neither an abbreviation's, before a space or at the end, nor after an initial: `J.R.R. Tolkien`. */
const INNER_STOP = /\.(?![\s,)!]|$)/gu;
const AFTER_INITIAL = /(?<![\p{L}\p{M}\p{N}-]|\p{Join_Control})\p{L}\p{M}?$/u;
const BEFORE_INITIAL = /^\p{L}\p{M}?\./u;
const DIGIT = /\p{N}/gu;

/** A name without what makes it more than a name, and not longer than a name is; '' when nothing is left. */
export const nameForMail = (name: string): string => shortened(withoutMessage(name));

/** A person's name as they are greeted by it: '' when it reads as something else than a name. */
export function greetingName(name: string): string {
  const spoken = withoutMessage(name);
  return spoken === name.normalize('NFKC').replace(/\s+/gu, ' ').trim() ? shortened(spoken) : '';
}

function withoutMessage(name: string): string {
  const plain = name.normalize('NFKC').replace(STOPS, '.').replace(STRANGE, ' ').replace(PILES, '$1');
  const few = (plain.match(DIGIT)?.length ?? 0) > MOST_DIGITS ? plain.replace(DIGIT, ' ') : plain;
  const tidy = few
    .replace(/\.{2,}/g, '. ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^\.+\s*/, '');
  const noHost = tidy.replace(INNER_STOP, (stop, at: number) =>
    AFTER_INITIAL.test(tidy.slice(0, at)) && BEFORE_INITIAL.test(tidy.slice(at + 1)) ? stop : ' ',
  );
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(noHost) ? noHost.replace(/\s+/gu, ' ').trim() : '';
}

function shortened(name: string): string {
  const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return characters.length <= LONGEST
    ? name
    : `${characters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`;
}

/** An address whose mailbox nobody has answered from may have been given by a stranger, as may the one it moves to. */
export const maskedAddress = (email: string): string => `${[...email][0] ?? ''}…@…`;
