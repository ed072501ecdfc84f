// What the pages of secrets know of the application or API that has them.
import type { FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Html } from '../../web/html/html.ts';
import { idOf, thingAddress, way } from './frame-view.ts';
import type { Section } from './sections.ts';
import { envFile } from './snippets/env.ts';

export interface Holding {
  id: string;
  name: string;
  address: (below: string) => string;
  way: (messages: Messages, part: 'secrets' | { below: 'secrets' }) => Html;
  words: (messages: Messages) => Pick<Messages['applications'], 'secrets' | 'created'>;
  /** The ids of the elements that show its id and a new secret. */
  elements: { id: string; secret: string };
  /** The file that a new secret goes into, where there is one to copy. */
  env?: (secret: string, ending: string | null, messages: Messages) => string;
  /** Whether it gets its first secret at registration; then it is an error to have none. */
  registeredWithSecret: boolean;
}

/** What the URL names. @throws OAuthError `not_found` if it isn't the user's, or is a public application */
export async function findHolding(request: FastifyRequest, parts: Parts, section: Section): Promise<Holding> {
  const thing = await section.find(request, parts);
  const both = {
    id: idOf(thing),
    name: thing.name,
    address: (below: string) => thingAddress(thing, below),
    way: (messages: Messages, part: 'secrets' | { below: 'secrets' }) => way(messages, thing, part),
  };
  if ('apiId' in thing)
    return {
      ...both,
      words: ({ applications, apis }) => ({
        secrets: { ...applications.secrets, ...apis.secrets },
        created: { ...applications.created, ...apis.created },
      }),
      elements: { id: 'api-id', secret: 'api-secret' },
      registeredWithSecret: false,
    };
  if (thing.type !== 'confidential') throw notFound();
  const [redirectUri = ''] = thing.redirectUris;
  return {
    ...both,
    words: ({ applications }) => applications,
    elements: { id: 'client-id', secret: 'client-secret' },
    env: (clientSecret, ending, { integrate: { page } }) =>
      envFile(
        { ...thing, clientSecret, issuer: parts.config.baseUrl, redirectUri },
        { secret: page.envSecret(ending ?? ''), random: page.envRandom },
      ),
    registeredWithSecret: true,
  };
}
