// Reads a Keycloak realm export from a file or directory.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../oauth/parse-json.ts';
import { assertFormat } from './assert-format.ts';
import { openInputFile } from './input-file.ts';
import { readMembers } from './json-members.ts';
import { convertKeycloakUser } from './keycloak-user.ts';
import { KEYCLOAK_ISSUERS } from './known-issuers.ts';
import { createRemark } from './row-remark.ts';
import { MAX_ROW_SIZE, type Source, type SourceRow, UnreadableFileError } from './source.ts';
import { asString } from './values.ts';

/** In bytes, for members other than users. Roles and components are the largest. */
export const MAX_MEMBER_SIZE = 4_194_304;

export async function openKeycloak(path: string): Promise<Source> {
  const files = await Promise.all((await findRealmFiles(path)).map(openInputFile));
  /**
   * Issuers by provider alias. They are known only after the first pass because users precede providers in the file.
   */
  const issuers = new Map<string, string>();

  async function* rows(): AsyncGenerator<SourceRow> {
    let row = 0;
    for (const file of files)
      for await (const { name, value, refused } of readMembers(file.chunks(), getMaxLength)) {
        assertFormat('keycloak', name === 'users' && isObject(value) ? value : { [name]: value });
        if (name === 'identityProviders') addIssuer(issuers, value);
        if (name !== 'users') continue;
        row += 1;
        if (refused !== undefined) yield { row, refusals: [createRemark(refused)] };
        else if (isObject(value)) yield { row, ...convertKeycloakUser(value, issuers) };
        else yield { row, refusals: [createRemark('not_json')] };
      }
    if (row === 0) throw new UnreadableFileError('realm_without_users');
  }
  return {
    rows,
    assertUnchanged: async () => void (await Promise.all(files.map((file) => file.assertUnchanged()))),
    close: async () => void (await Promise.all(files.map((file) => file.close()))),
  };
}

const getMaxLength = (name: string) => (name === 'users' ? MAX_ROW_SIZE : MAX_MEMBER_SIZE);

/** Finds the files of an export. The realm file comes first. */
export async function findRealmFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return [path];
  const names = await readdir(path);
  const realms = names.filter((name) => name.endsWith('-realm.json'));
  const [realm = '', another] = realms;
  if (realms.length === 0) throw new UnreadableFileError('realm_missing', path);
  if (another !== undefined) throw new UnreadableFileError('realm_ambiguous', path);
  const prefix = `${realm.slice(0, -'-realm.json'.length)}-users-`;
  const parseFileNumber = (name: string) =>
    Number(/^(\d{1,9})\.json$/.exec(name.slice(prefix.length))?.[1] ?? Number.NaN);
  const users = names
    .filter((name) => name.startsWith(prefix) && !Number.isNaN(parseFileNumber(name)))
    .sort((one, other) => parseFileNumber(one) - parseFileNumber(other));
  return [realm, ...users].map((name) => join(path, name));
}

/** Adds the provider's issuer if the provider sends the same `sub` to this service as to Keycloak. */
function addIssuer(issuers: Map<string, string>, provider: unknown): void {
  if (!isObject(provider)) return;
  const [alias, kind] = [asString(provider.alias), asString(provider.providerId)];
  const config = isObject(provider.config) ? provider.config : {};
  // Users can't sign in to Keycloak with a `linkOnly` provider.
  if (isGitHubEnterprise(config) || provider.linkOnly === true) return;
  const isOidc = kind === 'oidc' || kind === 'keycloak-oidc';
  const issuer = isOidc ? asString(config.issuer) : KEYCLOAK_ISSUERS.get(kind ?? '');
  if (alias !== undefined && issuer !== undefined) issuers.set(alias, issuer);
}

/**
 * Numeric IDs of GitHub Enterprise Server belong to other users at github.com. Those users could sign in to the
 * imported accounts.
 */
const isGitHubEnterprise = ({ baseUrl, apiUrl }: Record<string, unknown>): boolean =>
  isOtherUrl(baseUrl, 'https://github.com') || isOtherUrl(apiUrl, 'https://api.github.com');

const isOtherUrl = (configured: unknown, url: string): boolean =>
  ![undefined, url].includes(asString(configured)?.trim().replace(/\/$/, '') || undefined);
