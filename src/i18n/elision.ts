// French elision of "de" before names: « d’Alice », « de Carnet ».

/**
 * Name prefixes that prevent elision: an aspirated h, or a vowel pronounced w or y.
 * Prefixes are lowercase without accents. `$` marks the end of a word.
 */
const NO_ELISION =
  'ha heal hear heau hello help henn heraut heriss hern heron heros$ herse hetr heurt hey hi$ hi- hibou hid hierarch high ' +
  'hint hip$ hip- hipp(?!o) hiss hit$ hobb hoch hock hold holland homard home$ honey hong hont hook hop$ hoquet hors host$ ' +
  'hosting hot$ hott hou howl hub$ hubl hubs huch hue hugg huit$ huitieme hulk hum$ hunt huppe hurl hurr huss hutt hype$ ' +
  'h[^aeiouy] onz one oui y[aeiou]';
/** Exceptions to `NO_ELISION`: words with a mute h. */
const MUTE_H = 'habi hadri hagio halei hallu halo halte hamec harmo';

const toRegExp = (prefixes: string): RegExp =>
  new RegExp(`^(?:${prefixes.replaceAll('$', '(?![a-z0-9])').split(' ').join('|')})`);
const NO_ELISION_PATTERN = toRegExp(NO_ELISION);
const MUTE_H_PATTERN = toRegExp(MUTE_H);

/** Prepends "de" or "d’": "d’Agenda", "d’Hélice", "de Hollande", "de Carnet". */
export function withDe(name: string): string {
  const normalized = name
    .normalize('NFD')
    .replace(/\p{M}|^[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
  const isElided =
    /^[aeiouyhœæ]/.test(normalized) &&
    (!NO_ELISION_PATTERN.test(normalized) || MUTE_H_PATTERN.test(normalized));
  return isElided ? `d’${name}` : `de ${name}`;
}
