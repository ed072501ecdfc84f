// Reading the fields of an API as they were typed.
import { type ApiFault, isAdmission } from '../../../apis/settings-fields.ts';
import type { Config } from '../../../config.ts';
import type { Admission } from '../../../oauth/api.ts';
import { spellingOf } from '../../../oauth/api-identifier.ts';
import type { Parameters } from '../../../oauth/parameters.ts';
import type { ApiSettings } from '../../../store/own-apis.ts';
import type { Fault } from '../../../web/faults.ts';

/** The lifetimes that a form offers, in seconds. */
export const LIFETIMES = ['300', '900', '3600', '28800', '86400'] as const;

/** The fields as they were typed, or as they stand. */
export type ApiForm = {
  name: string;
  wordsFr: string;
  wordsEn: string;
  admits: Admission | undefined;
  /** One of those that are offered, or `other`: then `seconds` says it. */
  lifetime: string;
  seconds: string;
};

export type ApiRegistration = ApiForm & { identifier: string };

export function readApi(form: Parameters): ApiForm {
  const admits = form.get('admits');
  return {
    name: form.get('name') ?? '',
    wordsFr: form.get('words_fr') ?? '',
    wordsEn: form.get('words_en') ?? '',
    admits: isAdmission(admits) ? admits : undefined,
    lifetime: form.get('lifetime') ?? '',
    seconds: form.get('token_lifetime')?.trim() ?? '',
  };
}

export const readApiRegistration = (form: Parameters): ApiRegistration => ({
  ...readApi(form),
  identifier: form.get('identifier')?.trim() ?? '',
});

/** Settings as their form shows them. */
export function typedSettings({ tokenLifetime, ...settings }: ApiSettings): ApiForm {
  const seconds = String(tokenLifetime);
  const isOffered = (LIFETIMES as readonly string[]).includes(seconds);
  return { ...settings, lifetime: isOffered ? seconds : 'other', seconds: isOffered ? '' : seconds };
}

/** What stands between thousands, as the hint has it in either language. */
const BETWEEN_THOUSANDS = /(?<=\d)[\s,](?=\d{3}$)/;

/** What the fields say; the lifetime in seconds, NaN for what is no whole number. */
export function fieldsOf({ lifetime, seconds, ...fields }: ApiForm) {
  const typed = (LIFETIMES as readonly string[]).includes(lifetime)
    ? lifetime
    : seconds.replace(BETWEEN_THOUSANDS, '');
  return { ...fields, tokenLifetime: /^\d{1,6}$/.test(typed) ? Number(typed) : Number.NaN };
}

/** What is wrong with the fields of an API, in words. @param identifier as it was typed */
export const faultsInWords = (
  faults: readonly ApiFault[],
  { production }: Config,
  identifier = '',
): Fault[] =>
  faults.map(({ field, fault }) => ({
    field,
    text({ apis }) {
      if (fault === 'identifierNotHttps' && !production) return apis.notHttpsHere;
      if (fault === 'identifierSpelling') return `${apis.faults[fault]} ${spellingOf(identifier)}`;
      return apis.faults[fault];
    },
  }));
