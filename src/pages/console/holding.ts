// What the pages of secrets know of whatever has them: an application, or an API.
import type { FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import type { SecurityNotice } from '../../mail/letter.ts';
import type { Kind } from '../../store/owned.ts';
import type { Html } from '../../web/html/html.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { confidentialApplication } from './sections.ts';
import { envFile } from './snippets/env.ts';

/** A part of the console whose pages of secrets are below `url`. */
export interface SecretSection {
  url: string;
  kind: Kind;
  /** Whom the address names. @throws OAuthError `not_found` when it is not the person's own, or has no secrets */
  find: (request: FastifyRequest) => Promise<Holding>;
  notices: { created: SecurityNotice; ended: SecurityNotice };
}

/** One application, or one API. */
export interface Holding {
  id: string;
  name: string;
  address: (below: string) => string;
  way: (messages: Messages, part: 'secrets' | { below: 'secrets' }) => Html;
  words: (messages: Messages) => Pick<Messages['applications'], 'secrets' | 'created'>;
  /** The elements of the page that show its id and a new secret. */
  elements: { id: string; secret: string };
  /** The file that a new secret goes into, where there is one to copy. */
  env?: (secret: string, ending: string | null, messages: Messages) => string;
  /** Whether it is given its first secret where it is registered, and what follows is integrating it: to have none is a fault. */
  registeredWithSecret: boolean;
}

/** The secrets of applications. */
export const applicationSecrets = (parts: Parts): SecretSection => ({
  url: `${APPLICATIONS}/:client_id/secrets`,
  kind: 'application',
  notices: { created: 'secret_created', ended: 'secret_ended' },
  async find(request) {
    const application = await confidentialApplication(request, parts);
    const { clientId, name } = application;
    const [redirectUri = ''] = application.redirectUris;
    return {
      id: clientId,
      name,
      address: (below) => applicationAddress(clientId, below),
      way: (messages, part) => way(messages, application, part),
      words: ({ applications }) => applications,
      elements: { id: 'client-id', secret: 'client-secret' },
      env: (clientSecret, ending, { integrate: { page } }) =>
        envFile(
          { ...application, clientSecret, issuer: parts.config.baseUrl, redirectUri },
          { secret: page.envSecret(ending ?? ''), random: page.envRandom },
        ),
      registeredWithSecret: true,
    };
  },
});
