// The record of an account in JSONL files. Every other import format is converted to this record.
import { z } from 'zod';
import { cleanName, findNameError, isEmail, isPhone } from '../accounts/account-fields.ts';
import { MAX_PASSKEYS } from '../credentials/passkeys.ts';
import { normalizeEmail } from '../oauth/email.ts';
import { MAX_PROVIDERS } from '../oauth/identity-provider.ts';

/** PostgreSQL can't store NUL characters or lone surrogates. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes('\0') && value.isWellFormed());

/**
 * Parses a timestamp in ISO 8601 or as printed by PostgreSQL and MySQL. The default time zone is UTC.
 * @returns undefined for other text, and for times before 1970, which may mean "unknown"
 */
function parseTimestamp(value: string): Date | undefined {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(value);
  if (parts === null) return undefined;
  const [, date, time = '00:00', offset = 'Z'] = parts;
  const isoOffset = offset.replace(
    /^([+-]\d\d):?(\d\d)?$/,
    (_, hours, minutes = '00') => `${hours}:${minutes}`,
  );
  const parsed = new Date(`${date}T${time}${isoOffset.toUpperCase()}`);
  return parsed.getTime() >= 0 ? parsed : undefined;
}

const MAX_IDENTITIES = 2 * MAX_PROVIDERS;

export const removePhoneSeparators = (phone: string): string => phone.replace(/[\s().-]/g, '');

const identity = z
  .object({
    issuer: text(255)
      .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value))
      .meta({ description: "The provider's issuer identifier, for example https://accounts.google.com." }),
    subject: text(255).min(1).meta({ description: 'The `sub` claim of the user at the provider.' }),
    label: text(254)
      .overwrite(cleanName)
      .nullish()
      .meta({ description: 'Email address or name at the provider. Only displayed.' }),
  })
  .meta({ description: 'An account at an identity provider. Only the issuer and subject identify it.' });

const base64url = (minBytes: number, maxBytes: number) =>
  z.string().refine((value) => {
    const { length } = Buffer.from(value, 'base64url');
    return /^[A-Za-z0-9_-]+$/.test(value) && length >= minBytes && length <= maxBytes;
  });

const timestamp = text(40).transform((value, { addIssue }) => {
  const parsed = parseTimestamp(value);
  if (parsed === undefined) addIssue({ code: 'custom' });
  return parsed ?? z.NEVER;
});

const passkey = z
  .object({
    credential_id: base64url(1, 1023),
    public_key: base64url(1, 4096).meta({ description: 'COSE key.' }),
    counter: z.int().min(0).max(0xffffffff),
    transports: z.array(z.string().refine((value) => /^[a-z0-9-]{1,40}$/.test(value))).max(10),
    synced: z.boolean(),
    backed_up: z.boolean(),
    aaguid: z.guid(),
    name: text(100).min(1),
    created_at: timestamp,
    last_used_at: timestamp.nullish(),
  })
  .meta({ description: 'A passkey of another Sésame service with the same relying party ID.' });

const recoveryCode = z
  .object({ hash: base64url(33, 33), created_at: timestamp, used_at: timestamp.nullish() })
  .meta({ description: 'A recovery code of another Sésame service.' });

const MAX_RECOVERY_CODES = 20;

export const userRecordSchema = z
  .object({
    sub: text(255).min(1).nullish().meta({
      description: 'The id of the account in the old system. With --keep-ids, it must be a UUID and is kept.',
    }),
    email: z.string().overwrite(normalizeEmail).refine(isEmail).meta({ format: 'email' }),
    email_verified: z.boolean().nullish(),
    name: z
      .string()
      .overwrite(cleanName)
      .refine((name) => name === '' || findNameError(name) === undefined)
      .nullish()
      .meta({
        description: 'Display name of 1 to 100 characters. Default: the part of the email address before @.',
      }),
    phone_number: z
      .string()
      .overwrite(removePhoneSeparators)
      .refine((phone) => phone === '' || isPhone(phone))
      .nullish()
      .meta({ description: 'E.164, for example +33612345678.' }),
    locale: text(35).nullish().meta({ description: 'Language tag. Only `fr` and `en` are used.' }),
    password_hash: text(2048).nullish().meta({ description: 'The supported formats are in docs/import.md.' }),
    password_hash_algorithm: text(40).nullish().meta({
      description: 'The algorithm of a hash that consists of bare hexadecimal digits, such as md5.',
    }),
    password_hash_salt: text(512).nullish().meta({ description: 'The salt of a bare hash, as text.' }),
    password_hash_salt_position: z
      .enum(['before', 'after'])
      .nullish()
      .meta({ description: 'Whether the salt was hashed before or after the password.' }),
    totp_secret: z
      .string()
      .overwrite((secret) => secret.replace(/[\s=]/g, '').toUpperCase())
      .refine((secret) => /^([A-Z2-7]{16,128})?$/.test(secret))
      .nullish()
      .meta({ description: 'Secret of an authenticator app in base32: SHA-1, six digits, 30 seconds.' }),
    identities: z.array(identity).max(MAX_IDENTITIES).nullish(),
    suspended: z.boolean().nullish(),
    passkeys: z.array(passkey).max(MAX_PASSKEYS).nullish().meta({
      description: 'Imported only with --keep-ids, because a passkey contains the id of its account.',
    }),
    recovery_codes: z.array(recoveryCode).max(MAX_RECOVERY_CODES).nullish().meta({
      description: 'Imported only with --keep-ids, because the hash contains the id of the account.',
    }),
    created_at: timestamp.nullish().meta({ description: 'ISO 8601. Times without an offset are UTC.' }),
    groups: z.array(text(255)).nullish().meta({ description: 'Not imported. The report names them.' }),
  })
  .meta({ title: 'Sésame account', description: 'One line of a JSONL import or export.' });

export type UserRecord = z.input<typeof userRecordSchema>;
export type ValidUserRecord = z.output<typeof userRecordSchema>;

/** JSON Schema (draft 2020-12) of one line. Unknown members are ignored. */
export const buildUserRecordJsonSchema = (): object => z.toJSONSchema(userRecordSchema, { io: 'input' });
