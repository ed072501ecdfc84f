// Validates the settings of an API. Error codes are keys of the messages in src/i18n.
import { cleanName, findNameError, type NameError } from '../accounts/account-fields.ts';
import { ADMISSIONS, type Admission } from '../oauth/api.ts';
import { type ApiIdentifierError, validateApiIdentifier } from '../oauth/api-identifier.ts';

/** Minimum and maximum lifetime of an API's access tokens, in seconds. */
const MIN_LIFETIME = 60;
const MAX_LIFETIME = 86_400;

const MAX_DESCRIPTION_LENGTH = 200;

export type DescriptionError =
  | 'descriptionFrMissing'
  | 'descriptionEnMissing'
  | 'descriptionFrTooLong'
  | 'descriptionEnTooLong';

export type DescriptionField = 'description_fr' | 'description_en';

export type ApiError =
  | { field: 'identifier'; code: ApiIdentifierError | 'identifierTaken' }
  | { field: 'name'; code: NameError }
  | { field: DescriptionField; code: DescriptionError }
  | { field: 'admits'; code: 'admitsMissing' }
  | { field: 'token_lifetime'; code: 'lifetimeOutOfRange' };

export interface ApiFields {
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  /** Undefined if the user selected no option. */
  admits: string | undefined;
  /** Lifetime of access tokens in seconds. NaN if the input isn't a whole number. */
  tokenLifetime: number;
}

export const isAdmission = (text: string | undefined): text is Admission =>
  (ADMISSIONS as readonly (string | undefined)[]).includes(text);

export const validateDescriptions = (
  french: string,
  english: string,
): { field: DescriptionField; code: DescriptionError }[] =>
  [
    {
      field: 'description_fr',
      text: french,
      missing: 'descriptionFrMissing',
      tooLong: 'descriptionFrTooLong',
    } as const,
    {
      field: 'description_en',
      text: english,
      missing: 'descriptionEnMissing',
      tooLong: 'descriptionEnTooLong',
    } as const,
  ].flatMap<{ field: DescriptionField; code: DescriptionError }>(({ field, text, missing, tooLong }) => {
    const clean = cleanName(text);
    if (findNameError(clean) === 'nameMissing') return [{ field, code: missing }];
    return [...clean].length > MAX_DESCRIPTION_LENGTH ? [{ field, code: tooLong }] : [];
  });

export function validateApi({
  name,
  descriptionFr,
  descriptionEn,
  admits,
  tokenLifetime,
}: ApiFields): ApiError[] {
  const errors: ApiError[] = [];
  const nameError = findNameError(cleanName(name));
  if (nameError !== undefined) errors.push({ field: 'name', code: nameError });
  errors.push(...validateDescriptions(descriptionFr, descriptionEn));
  if (!isAdmission(admits)) errors.push({ field: 'admits', code: 'admitsMissing' });
  if (!(tokenLifetime >= MIN_LIFETIME && tokenLifetime <= MAX_LIFETIME))
    errors.push({ field: 'token_lifetime', code: 'lifetimeOutOfRange' });
  return errors;
}

/** Validates a new API, including its identifier, which can't be changed later. */
export function validateApiRegistration(
  fields: ApiFields & { identifier: string },
  service: { baseUrl: string; production: boolean },
): ApiError[] {
  const errors = validateApi(fields);
  const error = validateApiIdentifier(fields.identifier, service);
  // The identifier error comes after the name error, as the fields do in the form.
  if (error !== undefined)
    errors.splice(errors[0]?.field === 'name' ? 1 : 0, 0, { field: 'identifier', code: error });
  return errors;
}
