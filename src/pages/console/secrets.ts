// …/secrets of an application or an API: the live secrets, making the next one, which is shown once, ending one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { endSecret, OVERLAPS, rotateSecretByForm } from '../../ownership/secrets.ts';
import { listSecrets, type OwnSecret } from '../../store/secrets.ts';
import { oneUse } from '../../web/csrf.ts';
import { readFlash, writeFlash } from '../../web/flash.ts';
import { memberOf } from '../../web/member.ts';
import { idOf, thingAddress } from './frame-view.ts';
import { endSecretView, type Holder, newSecretView, secretsView, shownSecretView } from './secrets-view.ts';
import { ownerOf, type Section } from './sections.ts';

export function secretPages(area: FastifyInstance, parts: Parts, section: Section): void {
  const { database, config } = parts;
  const { kind } = section;
  const url = `${section.url}/secrets`;

  area.formPage({
    url,
    about: findHolder,
    read: (form) => ({ overlap: form.get('overlap') ?? '' }),
    begin: () => ({ overlap: '86400' }),
    faults: ({ fields: { overlap } }) =>
      (OVERLAPS as readonly string[]).includes(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    proof: true,
    async act({ request, reply, about: holder, fields }) {
      const [owner, form] = [ownerOf(request), oneUse(request, parts, fields.overlap)];
      const of = { kind, id: idOf(holder), overlap: Number(fields.overlap) };
      const rotated = await rotateSecretByForm(parts, owner, of, form, parts.now());
      if (rotated === undefined) throw notFound();
      const { number, secret } = rotated;
      const to = thingAddress(holder, `secrets/${number}`);
      if (secret !== undefined) writeFlash(reply, parts, to, { secret });
      return to;
    },
    done: (messages) => messages.applications.secrets.done,
    page: async ({ request, about: holder, fields: { overlap } }) => {
      const secrets = await liveSecrets(request, holder);
      return {
        title: (messages) => messages.applications.secrets.title(holder.name),
        main: (form) => secretsView({ ...form, holder, secrets, overlap }),
      };
    },
  });

  area.get(`${url}/:number`, async (request, reply) => {
    const holder = await findHolder(request);
    const { secret } = await findSecret(request, holder);
    const shown = readFlash<{ secret: string }>(reply, parts)?.secret;
    return reply.page({
      title: ({ applications: { created, secrets } }) =>
        shown === undefined ? secrets.number(secret.number) : created.title(holder.name),
      main: (messages) =>
        shown === undefined
          ? shownSecretView(holder, secret, messages)
          : newSecretView(holder, secret, shown, config.baseUrl, messages),
    });
  });

  area.formPage({
    url: `${url}/:number/end`,
    about: findHolder,
    read: () => ({}),
    proof: true,
    inTransaction: true,
    async act({ request, about: holder }, transaction) {
      const number = secretNumberOf(request);
      const ended = await endSecret(kind, transaction, ownerOf(request), idOf(holder), number, parts.now());
      const notice = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
      const to = `${thingAddress(holder, 'secrets')}?done=ended`;
      return { to, notice: ended ? notice : undefined, subject: holder.name };
    },
    page: async ({ request, about: holder }) => {
      const { secret, live } = await findSecret(request, holder);
      const isLast = !live.some((one) => one !== secret && one.expiresAt === null);
      return {
        title: (messages) => messages.applications.secrets.endTitle(secret.number),
        main: (form) => endSecretView({ ...form, holder, secret, isLast }),
      };
    },
  });

  /** @throws OAuthError `not_found` if it isn't the user's, or is a public application */
  async function findHolder(request: FastifyRequest): Promise<Holder> {
    const holder = await section.find(request, parts);
    if ('clientId' in holder && holder.type !== 'confidential') throw notFound();
    return holder;
  }

  const liveSecrets = (request: FastifyRequest, holder: Holder): Promise<OwnSecret[]> =>
    listSecrets(database, memberOf(request).userId, idOf(holder), parts.now());

  /** The live secret that the URL names. @throws OAuthError `not_found` */
  async function findSecret(request: FastifyRequest, holder: Holder) {
    const number = secretNumberOf(request);
    const live = await liveSecrets(request, holder);
    const secret = live.find((one) => one.number === number);
    if (secret === undefined) throw notFound();
    return { secret, live };
  }
}

/** @throws OAuthError `not_found` */
function secretNumberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}
