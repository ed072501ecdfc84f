// The client record: one line of the JSONL that `export apps` writes and `import apps` reads.
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';

const uris = z.array(z.string()).max(1000);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Unknown members are ignored. `validateClientDefinition` checks the values. */
export const clientRecordSchema = z.object({
  client_id: z.string().min(1).max(500),
  name: z.string().max(1000),
  type: z.enum(['confidential', 'public']),
  owner: z.string().optional(),
  redirect_uris: uris,
  scopes: z.array(z.string()).max(100),
  standard: z.boolean().default(true),
  refresh_grace: z.number().optional(),
  home_page: z.string().nullable().default(null),
  privacy_policy: z.string().nullable().default(null),
  terms_of_service: z.string().nullable().default(null),
  id_token_algorithm: z.enum(SIGNING_ALGORITHMS).default('RS256'),
  id_token_claims: z.boolean().nullable().default(null),
  par_required: z.boolean().default(false),
  pkce_required: z.boolean().default(false),
  mfa_required: z.boolean().default(false),
  device_flow: z.boolean().default(false),
  post_logout_redirect_uris: uris.default([]),
  backchannel_logout_uri: z.string().nullable().default(null),
  jwks: z.unknown().optional(),
  verified: z.boolean().default(false),
  suspended: z.boolean().default(false),
  created_at: time.optional(),
  /** Plain text. Only the digest is stored. */
  client_secret: z.string().max(1000).optional(),
  secrets: z
    .array(
      z.object({
        sha256: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
        ending: z.string().regex(/^[A-Za-z0-9_-]{0,4}$/),
        created_at: time,
        expires_at: time.nullable().default(null),
      }),
    )
    .max(100)
    .default([]),
});

export type ClientRecordInput = z.input<typeof clientRecordSchema>;
export type ClientRecord = z.output<typeof clientRecordSchema>;
