// What the fields of an API must be like; each fault by name, its words are in the dictionaries.
import { cleanName, type NameFault, nameFault } from '../accounts/account-fields.ts';
import { ADMISSIONS, type Admission } from '../oauth/api.ts';
import { type IdentifierFault, identifierFault } from '../oauth/api-identifier.ts';

/** Seconds that access tokens for an API may live. */
const SHORTEST_LIFETIME = 60;
const LONGEST_LIFETIME = 86_400;

/** Characters of what an API is said to be. */
const MAX_WORDS = 200;

/** Words are wanted in both languages: a fault says in which. */
export type WordsFault = 'wordsFrMissing' | 'wordsEnMissing' | 'wordsFrTooLong' | 'wordsEnTooLong';

export type WordsField = 'words_fr' | 'words_en';

/** One thing to put right, and the field that it belongs to. */
export type ApiFault =
  | { field: 'identifier'; fault: IdentifierFault | 'identifierTaken' }
  | { field: 'name'; fault: NameFault }
  | { field: WordsField; fault: WordsFault }
  | { field: 'admits'; fault: 'admitsMissing' }
  | { field: 'token_lifetime'; fault: 'lifetimeOutOfRange' };

/** What the owner of an API can change at any time. */
export interface ApiFields {
  name: string;
  wordsFr: string;
  wordsEn: string;
  /** Undefined where nothing was chosen. */
  admits: string | undefined;
  /** Seconds; NaN for what is no whole number. */
  tokenLifetime: number;
}

export const isAdmission = (text: string | undefined): text is Admission =>
  (ADMISSIONS as readonly (string | undefined)[]).includes(text);

/** What is wrong with the words for something, the French ones first. */
export const wordsFaults = (french: string, english: string): { field: WordsField; fault: WordsFault }[] =>
  [
    { field: 'words_fr', words: french, missing: 'wordsFrMissing', tooLong: 'wordsFrTooLong' } as const,
    { field: 'words_en', words: english, missing: 'wordsEnMissing', tooLong: 'wordsEnTooLong' } as const,
  ].flatMap<{ field: WordsField; fault: WordsFault }>(({ field, words, missing, tooLong }) => {
    const clean = cleanName(words);
    if (nameFault(clean) === 'nameMissing') return [{ field, fault: missing }];
    return [...clean].length > MAX_WORDS ? [{ field, fault: tooLong }] : [];
  });

/** What is wrong with the fields of an API; empty when nothing is. */
export function apiFaults({ name, wordsFr, wordsEn, admits, tokenLifetime }: ApiFields): ApiFault[] {
  const faults: ApiFault[] = [];
  const inName = nameFault(cleanName(name));
  if (inName !== undefined) faults.push({ field: 'name', fault: inName });
  faults.push(...wordsFaults(wordsFr, wordsEn));
  if (!isAdmission(admits)) faults.push({ field: 'admits', fault: 'admitsMissing' });
  if (!(tokenLifetime >= SHORTEST_LIFETIME && tokenLifetime <= LONGEST_LIFETIME))
    faults.push({ field: 'token_lifetime', fault: 'lifetimeOutOfRange' });
  return faults;
}

/** The same for an API that is not there yet: its identifier, too, which is never another one. */
export function registrationFaults(
  fields: ApiFields & { identifier: string },
  house: { baseUrl: string; production: boolean },
): ApiFault[] {
  const faults = apiFaults(fields);
  const fault = identifierFault(fields.identifier, house);
  // In the order of the form: after the name.
  if (fault !== undefined)
    faults.splice(faults[0]?.field === 'name' ? 1 : 0, 0, { field: 'identifier', fault });
  return faults;
}
