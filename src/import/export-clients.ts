// Writes clients as the JSONL that `import apps --from jsonl` reads.
import { type ExportedClient, readClients } from '../store/account-export.ts';
import type { Database } from '../store/database.ts';
import type { ClientRecordInput } from './client-record.ts';

/**
 * Yields one JSON line, without a line break, for each client that has an owner.
 * @param options.withHashes includes digests of the client secrets
 */
export async function* exportClients(
  database: Database,
  { withHashes }: { withHashes: boolean },
  now: Date,
): AsyncGenerator<string[]> {
  for await (const clients of readClients(database, now))
    yield clients.map((client) =>
      JSON.stringify({ ...toRecord(client), ...(withHashes && toSecrets(client)) }),
    );
}

const toRecord = (client: ExportedClient): ClientRecordInput => ({
  client_id: client.clientId,
  name: client.name,
  type: client.type,
  ...(client.ownerEmail !== null && { owner: client.ownerEmail }),
  redirect_uris: client.redirectUris,
  scopes: client.scopes,
  standard: client.standard,
  refresh_grace: client.refreshGrace,
  home_page: client.homePage,
  privacy_policy: client.privacyPolicy,
  terms_of_service: client.termsOfService,
  id_token_algorithm: client.idTokenAlgorithm,
  id_token_claims: client.idTokenClaims,
  par_required: client.parRequired,
  pkce_required: client.pkceRequired,
  mfa_required: client.mfaRequired,
  device_flow: client.deviceFlow,
  post_logout_redirect_uris: client.postLogoutRedirectUris,
  backchannel_logout_uri: client.backchannelLogoutUri,
  ...(client.jwks !== null && { jwks: client.jwks }),
  verified: client.verified,
  suspended: client.suspended,
  created_at: client.createdAt.toISOString(),
});

const toSecrets = ({ secrets }: ExportedClient): Pick<ClientRecordInput, 'secrets'> =>
  secrets.length === 0
    ? {}
    : {
        secrets: secrets.map(({ hash, lastCharacters, createdAt, expiresAt }) => ({
          sha256: hash.toString('base64url'),
          ending: lastCharacters,
          created_at: createdAt.toISOString(),
          ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
        })),
      };
