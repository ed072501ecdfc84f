// …/secrets: lists, rotates and revokes an application's or API's secrets.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { OVERLAP_OPTIONS, revokeOwnSecret, rotateSecretByForm } from '../../ownership/secrets.ts';
import { listSecrets, type SecretRow } from '../../store/secrets.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import { readFlash, writeFlash } from '../../web/flash.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { clientOrApiUrl, idOf } from './layout.ts';
import {
  alreadyShownSecretView,
  newSecretView,
  revokeSecretView,
  type SecretHolder,
  secretsView,
} from './secrets-view.ts';
import { type ConsoleSection, ownerOf } from './sections.ts';

const DEFAULT_OVERLAP = '86400';

const isOverlapOption = (overlap: string): boolean =>
  (OVERLAP_OPTIONS as readonly string[]).includes(overlap);

export function secretPages(area: FastifyInstance, services: Services, section: ConsoleSection): void {
  const { database, config } = services;
  const { kind } = section;
  const path = `${section.path}/secrets`;

  area.formPage({
    path: path,
    loadSubject: findHolder,
    parse: (form) => ({ overlap: form.get('overlap') ?? '' }),
    initialFields: () => ({ overlap: DEFAULT_OVERLAP }),
    validate: ({ fields: { overlap } }) =>
      isOverlapOption(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    requiresReauthentication: true,
    async act({ request, reply, subject: holder, fields }) {
      const [owner, form] = [ownerOf(request), singleUseFormToken(request, services, fields.overlap)];
      const rotation = { kind, id: idOf(holder), overlap: Number(fields.overlap) };
      const rotated = await rotateSecretByForm(services, owner, rotation, form, services.now());
      if (rotated === undefined) throw notFound();
      const { number, secret } = rotated;
      const to = clientOrApiUrl(holder, `secrets/${number}`);
      if (secret !== undefined) writeFlash(reply, services, to, { secret });
      return to;
    },
    doneMessages: (messages) => messages.applications.secrets.done,
    render: async ({ request, subject: holder, fields: { overlap } }) => {
      const secrets = await listLiveSecrets(request, holder);
      return {
        title: (messages) => messages.applications.secrets.title(holder.name),
        main: (form) =>
          secretsView({
            ...form,
            holder,
            secrets,
            overlap: isOverlapOption(overlap) ? overlap : DEFAULT_OVERLAP,
          }),
      };
    },
  });

  area.get(`${path}/:number`, async (request, reply) => {
    const holder = await findHolder(request);
    const { secret } = await findSecret(request, holder);
    const newSecret = readFlash<{ secret: string }>(reply, services)?.secret;
    return reply.page({
      title: ({ applications: { created, secrets } }) =>
        newSecret === undefined ? secrets.number(secret.number) : created.title(holder.name),
      main: (messages) =>
        newSecret === undefined
          ? alreadyShownSecretView(holder, secret, messages)
          : newSecretView(
              holder,
              secret,
              newSecret,
              config.baseUrl,
              messages,
              doneMessage(request, { registered: messages.applications.created.done(holder.name) }),
            ),
    });
  });

  area.formPage({
    path: `${path}/:number/end`,
    loadSubject: findHolder,
    parse: () => ({}),
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: holder }, transaction) {
      const number = secretNumberOf(request);
      const ended = await revokeOwnSecret(
        kind,
        transaction,
        ownerOf(request),
        idOf(holder),
        number,
        services.now(),
      );
      const notice = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
      const to = `${clientOrApiUrl(holder, 'secrets')}?done=ended`;
      return { to, notice: ended ? notice : undefined, subject: holder.name };
    },
    render: async ({ request, subject: holder }) => {
      const { secret, live } = await findSecret(request, holder);
      const allOthersExpire = !live.some((one) => one !== secret && one.expiresAt === null);
      return {
        title: (messages) => messages.applications.secrets.endTitle(secret.number),
        main: (form) => revokeSecretView({ ...form, holder, secret, allOthersExpire }),
      };
    },
  });

  async function findHolder(request: FastifyRequest): Promise<SecretHolder> {
    const holder = await section.find(request, services);
    if ('clientId' in holder && holder.type !== 'confidential') throw notFound();
    return holder;
  }

  const listLiveSecrets = (request: FastifyRequest, holder: SecretHolder): Promise<SecretRow[]> =>
    listSecrets(database, signedInUser(request).userId, idOf(holder), services.now());

  async function findSecret(request: FastifyRequest, holder: SecretHolder) {
    const number = secretNumberOf(request);
    const live = await listLiveSecrets(request, holder);
    const secret = live.find((one) => one.number === number);
    if (secret === undefined) throw notFound();
    return { secret, live };
  }
}

function secretNumberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}
