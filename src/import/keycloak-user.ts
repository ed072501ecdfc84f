// Converts one user from a Keycloak realm export.
import { Secret } from 'otpauth';
import { isPhone } from '../accounts/account-fields.ts';
import { parseImportedHash } from '../credentials/imported-hashes.ts';
import { isObject, parseJsonObject } from '../oauth/parse-json.ts';
import { createRemark, type NoteCode, type RefusalCode, type Remark } from './row-remark.ts';
import type { ConvertedRow } from './source.ts';
import { removePhoneSeparators } from './user-record.ts';
import { asObjects, asString, asStrings, joinNames, toIsoDate } from './values.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Attributes that may contain a phone number. Keycloak doesn't validate their values. */
const PHONE_ATTRIBUTES = ['phone_number', 'phoneNumber', 'phone', 'mobile'];

export function convertKeycloakUser(user: JsonObject, issuers: ReadonlyMap<string, string>): ConvertedRow {
  const serviceAccount = asString(user.serviceAccountClientId);
  if (serviceAccount !== undefined) return { refusals: [createRemark('service_account', serviceAccount)] };
  const attributes = isObject(user.attributes) ? user.attributes : {};
  const getAttribute = (name: string) => asStrings(attributes[name])[0];
  const phone = PHONE_ATTRIBUTES.map((name) => removePhoneSeparators(getAttribute(name) ?? '')).find(isPhone);
  const imported = new Set(['locale', ...(phone === undefined ? [] : PHONE_ATTRIBUTES)]);
  const omittedAttributes = Object.keys(attributes).filter((name) => !imported.has(name));
  const credentials = convertCredentials(asObjects(user.credentials));
  const { identities, notes } = convertIdentities(asObjects(user.federatedIdentities), issuers);
  return {
    record: {
      sub: user.id,
      email: user.email,
      email_verified: user.emailVerified,
      name: joinNames(user.firstName, user.lastName) ?? asString(user.username),
      phone_number: phone,
      locale: getAttribute('locale'),
      suspended: user.enabled === false,
      created_at: toIsoDate(user.createdTimestamp),
      groups: user.groups,
      identities,
      ...credentials.members,
    },
    userName: asString(user.username),
    refusals: credentials.refusals,
    notes: [...credentials.notes, ...notes, ...listOmissions(user, omittedAttributes)],
  };
}

function listOmissions(user: JsonObject, attributes: string[]): Remark<NoteCode>[] {
  const clientRoles = isObject(user.clientRoles) ? Object.values(user.clientRoles).flatMap(asStrings) : [];
  const roles = [...asStrings(user.realmRoles), ...clientRoles].filter(
    (role) => !role.startsWith('default-roles-'),
  );
  const lists = { roles, attributes, required_actions: asStrings(user.requiredActions) };
  return Object.entries(lists).flatMap(([code, names]) =>
    names.length === 0 ? [] : [createRemark(code as keyof typeof lists, names.join(', '))],
  );
}

function convertIdentities(links: readonly JsonObject[], issuers: ReadonlyMap<string, string>) {
  const identities: object[] = [];
  const notes: Remark<NoteCode>[] = [];
  for (const { identityProvider, userId, userName } of links) {
    const alias = asString(identityProvider) ?? '';
    const issuer = issuers.get(alias);
    if (issuer === undefined) notes.push(createRemark('identity_unmapped', alias));
    else identities.push({ issuer, subject: userId, label: userName });
  }
  return { identities, notes };
}

function convertCredentials(credentials: readonly JsonObject[]) {
  const members: { password_hash?: string; totp_secret?: string } = {};
  const refusals: Remark<RefusalCode>[] = [];
  const notes: Remark<NoteCode>[] = [];
  for (const credential of credentials) {
    const kind = asString(credential.type) ?? '';
    const data = parseJsonObject(asString(credential.credentialData) ?? '') ?? {};
    const secret = parseJsonObject(asString(credential.secretData) ?? '') ?? {};
    if (kind === 'password' && members.password_hash === undefined) {
      const parsed = parsePassword(data, secret);
      if ('stored' in parsed) members.password_hash = parsed.stored;
      else refusals.push(createRemark('password_refused', 'refused' in parsed ? parsed.refused : 'unknown'));
    } else if (kind === 'otp') {
      const found = decodeTotpSecret(data, secret);
      if (found === undefined) notes.push(createRemark('totp_unsupported'));
      else members.totp_secret ??= found;
    } else if (kind.startsWith('webauthn')) notes.push(createRemark('passkeys'));
    else if (kind !== 'password' && kind !== 'password-history')
      notes.push(createRemark('credentials', kind));
  }
  return { members, refusals, notes };
}

function parsePassword(data: JsonObject, secret: JsonObject) {
  const value = asString(secret.value) ?? '';
  const algorithm = asString(data.algorithm) ?? '';
  // Keycloak's bcrypt extension stores complete hashes.
  if (algorithm === 'bcrypt') return parseImportedHash(value);
  const additional = isObject(data.additionalParameters) ? Object.entries(data.additionalParameters) : [];
  return parseImportedHash(value, {
    keycloak: {
      algorithm,
      iterations: Number(data.hashIterations),
      salt: asString(secret.salt) ?? '',
      additionalParameters: Object.fromEntries(additional.map(([name, values]) => [name, asStrings(values)])),
    },
  });
}

function decodeTotpSecret(data: JsonObject, secret: JsonObject): string | undefined {
  const value = asString(secret.value);
  const { subType, digits, period, algorithm, secretEncoding } = data;
  if (value === undefined || subType !== 'totp' || digits !== 6 || period !== 30 || algorithm !== 'HmacSHA1')
    return undefined;
  if (secretEncoding === 'BASE32') return value;
  // If no encoding is given, the key is the text itself in UTF-8.
  return secretEncoding === undefined || secretEncoding === null ? Secret.fromUTF8(value).base32 : undefined;
}
