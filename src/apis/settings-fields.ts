// Validates an API's settings. Error codes are message keys in src/i18n.
import { cleanName, findNameError, type NameError } from '../accounts/account-fields.ts';
import { type AllowedClients, type ApiTexts, CLIENT_ACCESS_LEVELS } from '../oauth/api.ts';
import { type ApiIdentifierError, validateApiIdentifier } from '../oauth/api-identifier.ts';

/** In seconds. */
const MIN_TOKEN_LIFETIME = 60;
const MAX_TOKEN_LIFETIME = 86_400;

const MAX_DESCRIPTION_LENGTH = 200;

export type DescriptionError =
  | { field: 'description'; code: 'descriptionMissing' }
  | { field: 'description_fr'; code: 'descriptionFrTooLong' }
  | { field: 'description_en'; code: 'descriptionEnTooLong' };

export type ApiSettingsError =
  | { field: 'identifier'; code: ApiIdentifierError | 'identifierTaken' }
  | { field: 'name'; code: NameError }
  | DescriptionError
  | { field: 'allowed_clients'; code: 'allowedClientsMissing' }
  | { field: 'token_lifetime'; code: 'lifetimeOutOfRange' };

export interface ApiFields {
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  allowedClients: string | undefined;
  tokenLifetime: number; // seconds, or NaN for invalid input
}

export const isClientAccessLevel = (text: string | undefined): text is AllowedClients =>
  (CLIENT_ACCESS_LEVELS as readonly (string | undefined)[]).includes(text);

/** Removes control characters. Returns '' if nothing visible remains. */
export function cleanDescription(text: string): string {
  const clean = cleanName(text);
  return findNameError(clean) === 'nameMissing' ? '' : clean;
}

/** One language is enough because `textIn` falls back to it. */
export function validateDescriptions(texts: ApiTexts): DescriptionError[] {
  const [fr, en] = [cleanDescription(texts.fr), cleanDescription(texts.en)];
  if (fr === '' && en === '') return [{ field: 'description', code: 'descriptionMissing' }];
  const isTooLong = (text: string) => [...text].length > MAX_DESCRIPTION_LENGTH;
  const errors: DescriptionError[] = [];
  if (isTooLong(fr)) errors.push({ field: 'description_fr', code: 'descriptionFrTooLong' });
  if (isTooLong(en)) errors.push({ field: 'description_en', code: 'descriptionEnTooLong' });
  return errors;
}

export function validateApi({
  name,
  descriptionFr,
  descriptionEn,
  allowedClients,
  tokenLifetime,
}: ApiFields): ApiSettingsError[] {
  const errors: ApiSettingsError[] = [];
  const nameError = findNameError(cleanName(name));
  if (nameError !== undefined) errors.push({ field: 'name', code: nameError });
  errors.push(...validateDescriptions({ fr: descriptionFr, en: descriptionEn }));
  if (!isClientAccessLevel(allowedClients))
    errors.push({ field: 'allowed_clients', code: 'allowedClientsMissing' });
  if (!(tokenLifetime >= MIN_TOKEN_LIFETIME && tokenLifetime <= MAX_TOKEN_LIFETIME))
    errors.push({ field: 'token_lifetime', code: 'lifetimeOutOfRange' });
  return errors;
}

export function validateApiRegistration(
  fields: ApiFields & { identifier: string },
  service: { baseUrl: string; production: boolean },
): ApiSettingsError[] {
  const errors = validateApi(fields);
  const error = validateApiIdentifier(fields.identifier, service);
  if (error !== undefined)
    errors.splice(errors[0]?.field === 'name' ? 1 : 0, 0, { field: 'identifier', code: error });
  return errors;
}
