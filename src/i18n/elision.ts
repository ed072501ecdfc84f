// Owns what becomes of « de » before a name: « le compte d’Alice », « les secrets de Carnet ».

// Beginnings of words, without accents and in small letters; « $ » ends a whole word.
/** H aspiré, and vowels that are said as « w » or « y ». */
const SAID_APART =
  'ha heal hear heau hello help henn heraut heriss hern heron heros$ herse hetr heurt hey hi$ hi- hibou hid hierarch high ' +
  'hint hip$ hip- hipp(?!o) hiss hit$ hobb hoch hock hold holland homard home$ honey hong hont hook hop$ hoquet hors host$ ' +
  'hosting hot$ hott hou howl hub$ hubl hubs huch hue hugg huit$ huitieme hulk hum$ hunt huppe hurl hurr huss hutt hype$ ' +
  'h[^aeiouy] onz one oui y[aeiou]';
/** Of those, the ones with a mute h. */
const RUN_TOGETHER = 'habi hadri hagio halei hallu halo halte hamec harmo';

const beginsWith = (beginnings: string): RegExp =>
  new RegExp(`^(?:${beginnings.replaceAll('$', '(?![a-z0-9])').split(' ').join('|')})`);
const apart = beginsWith(SAID_APART);
const together = beginsWith(RUN_TOGETHER);

/** « de » and a name, run together where a person would say it so: « d’Agenda », « d’Hélice », « de Hollande », « de Carnet ». */
export function de(name: string): string {
  const said = name
    .normalize('NFD')
    .replace(/\p{M}|^[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
  const elided = /^[aeiouyhœæ]/.test(said) && (!apart.test(said) || together.test(said));
  return elided ? `d’${name}` : `de ${name}`;
}
