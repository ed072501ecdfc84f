// …/secrets of an application or an API: the secrets that live, making the next one, ending one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { endSecret, OVERLAPS, rotateSecretByForm } from '../../ownership/secrets.ts';
import { listSecrets, type OwnSecret } from '../../store/secrets.ts';
import { oneUse } from '../../web/csrf.ts';
import { writeFlash } from '../../web/flash.ts';
import { memberOf } from '../../web/member.ts';
import { findHolding, type Holding } from './holding.ts';
import { secretNumberOf } from './secret.ts';
import { endSecretView, secretsView } from './secrets-view.ts';
import { ownerOf, type Section } from './sections.ts';

export function secretPages(area: FastifyInstance, parts: Parts, section: Section): void {
  const { database } = parts;
  const { kind } = section;
  const url = `${section.url}/secrets`;
  const find = (request: FastifyRequest) => findHolding(request, parts, section);

  area.formPage({
    url,
    about: find,
    read: (form) => ({ overlap: form.get('overlap') ?? '' }),
    begin: () => ({ overlap: '86400' }),
    faults: ({ fields: { overlap } }) =>
      (OVERLAPS as readonly string[]).includes(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    proof: true,
    async act({ request, reply, about: { id, address }, fields }) {
      const [owner, form] = [ownerOf(request), oneUse(request, parts)];
      const of = { kind, id, overlap: Number(fields.overlap) };
      const rotated = await rotateSecretByForm(parts, owner, of, form, parts.now());
      if (rotated === undefined) throw notFound();
      const { number, secret } = rotated;
      const to = address(`secrets/${number}`);
      if (secret !== undefined) writeFlash(reply, parts, to, { secret });
      return to;
    },
    done: (messages) => messages.applications.secrets.done,
    page: async ({ request, about: holding, fields: { overlap } }) => {
      const secrets = await liveSecrets(request, holding);
      return {
        title: (messages) => holding.words(messages).secrets.title(holding.name),
        main: (form) => secretsView({ ...form, holding, secrets, overlap }),
      };
    },
  });

  area.formPage({
    url: `${url}/:number/end`,
    about: find,
    read: () => ({}),
    proof: true,
    async act({ request, about: { id, name, address } }) {
      const number = secretNumberOf(request);
      const ended = await endSecret(kind, database, ownerOf(request), id, number, parts.now());
      const notice = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
      const to = `${address('secrets')}?done=ended`;
      return { to, notice: ended ? notice : undefined, subject: name };
    },
    page: async ({ request, about: holding }) => {
      const number = secretNumberOf(request);
      const live = await liveSecrets(request, holding);
      const secret = live.find((one) => one.number === number);
      // Ended meanwhile, or there never was one of this number.
      if (secret === undefined) throw notFound();
      const isLast = !live.some((one) => one !== secret && one.expiresAt === null);
      return {
        title: (messages) => messages.applications.secrets.endTitle(number),
        main: (form) => endSecretView({ ...form, holding, secret, isLast }),
      };
    },
  });

  const liveSecrets = (request: FastifyRequest, { id }: Holding): Promise<OwnSecret[]> =>
    listSecrets(database, memberOf(request).userId, id, parts.now());
}
