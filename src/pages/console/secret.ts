// …/secrets/:number of an application or an API: shows a new secret once, and then what it is recognized by.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listSecrets } from '../../store/secrets.ts';
import { readFlash } from '../../web/flash.ts';
import { memberOf } from '../../web/member.ts';
import { findHolding } from './holding.ts';
import { secretTitle, secretView } from './secret-view.ts';
import type { Section } from './sections.ts';

/** The secret that an application is registered with. */
const FIRST = 1;

/** The number of a secret in the URL. @throws OAuthError `not_found` */
export function secretNumberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}

export function secretPage(area: FastifyInstance, parts: Parts, section: Section): void {
  area.get(`${section.url}/secrets/:number`, async (request, reply) => {
    const holding = await findHolding(request, parts, section);
    const number = secretNumberOf(request);
    const live = await listSecrets(parts.database, memberOf(request).userId, holding.id, parts.now());
    const secret = live.find((one) => one.number === number);
    if (secret === undefined) throw notFound();
    const shown = readFlash<{ secret: string }>(reply, parts)?.secret;
    const isFirst = holding.registeredWithSecret && number === FIRST;
    const about = { holding, secret, shown, isFirst };
    return reply.page({
      title: (messages) => secretTitle(about, messages),
      main: (messages) => secretView(about, messages),
    });
  });
}
