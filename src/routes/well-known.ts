// Well-known URLs for browsers and password managers: change-password, passkey-endpoints, webauthn.
import type { FastifyInstance } from 'fastify';
import { getRelyingParty } from '../credentials/webauthn.ts';
import type { Services } from '../http/services.ts';

const CACHE_ONE_DAY = 'public, max-age=86400';

export function wellKnownRoutes(app: FastifyInstance, { config }: Services): void {
  const { baseUrl, passkeyRelatedOrigins } = config;
  const rp = getRelyingParty(config);

  // W3C specification "A Well-Known URL for Changing Passwords"
  app.get('/.well-known/change-password', async (_request, reply) =>
    reply.redirect('/account/password', 303),
  );

  if (rp === undefined) return;

  // W3C specification "A Well-Known URL for Relying Party Passkey Endpoints"
  const enroll = `${baseUrl}/account/security/passkeys/new`;
  const manage = `${baseUrl}/account/security`;
  app.get('/.well-known/passkey-endpoints', async (_request, reply) =>
    reply.header('cache-control', CACHE_ONE_DAY).send({ enroll, manage }),
  );

  // WebAuthn Level 3 §5.11: origins that may use this domain's passkeys.
  if (passkeyRelatedOrigins.length > 0)
    app.get('/.well-known/webauthn', async (_request, reply) =>
      reply.header('cache-control', CACHE_ONE_DAY).send({ origins: rp.origins }),
    );
}
