// …/secrets/:number of an application or an API: shows a new secret until somebody says to have copied it (ADR 11).
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { markCopied } from '../../ownership/secrets.ts';
import { listSecrets } from '../../store/secrets.ts';
import { memberOf } from '../../web/member.ts';
import { findHolding } from './holding.ts';
import { secretTitle, secretView } from './secret-view.ts';
import type { Section } from './sections.ts';
import { forgetShown, secretNumberOf, secretToShow } from './shown-secret.ts';

/** The secret that an application is registered with. */
const FIRST = 1;

export function secretPage(area: FastifyInstance, parts: Parts, section: Section): void {
  const { database } = parts;
  const { kind } = section;

  area.formPage({
    url: `${section.url}/secrets/:number`,
    async about(request) {
      const holding = await findHolding(request, parts, section);
      const number = secretNumberOf(request);
      const live = await listSecrets(database, memberOf(request).userId, holding.id, parts.now());
      const secret = live.find((one) => one.number === number);
      if (secret === undefined) throw notFound();
      const shown = await secretToShow(request, parts, kind, holding.id, number);
      const isFirst = holding.registeredWithSecret && number === FIRST;
      return { holding, secret, shown, isFirst, others: live.filter((one) => one !== secret) };
    },
    read: () => ({}),
    async act({ reply, about: { holding, secret, shown, isFirst } }) {
      const { id, address } = holding;
      if (shown !== undefined) await markCopied(database, id, shown, parts.now());
      forgetShown(reply, id, secret.number);
      return isFirst ? address('integrate') : `${address('secrets')}?done=copied`;
    },
    page: ({ about }) => ({
      title: (messages) => secretTitle(about, messages),
      main: (form) => secretView({ ...form, ...about }),
    }),
  });
}
