// /console/operations/applications/:clientId/:action: what operators do about an application, each on a page of its own.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decideOnApplication } from '../../accounts/announcements.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { notFound } from '../../oauth/errors.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import type { ApplicationRow } from '../../store/operations.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { APPLICATIONS, applicationActionsFor, applicationOf } from './applications.ts';
import { confirmView } from './confirm-view.ts';
import { confirmationFaults, reasonOf } from './confirmation.ts';

const ACTIONS: readonly ApplicationAction[] = ['suspend', 'unsuspend', 'verify', 'unverify'];

export function applicationActionPages(area: FastifyInstance, parts: Parts): void {
  const address = `${APPLICATIONS}/:clientId/:action`;

  area.get(address, async (request, reply) => {
    const action = actionOf(request);
    const application = await applicationOf(request, parts);
    if (!applicationActionsFor(application).includes(action))
      return reply.redirect(`${APPLICATIONS}/${application.clientId}`, 303);
    return askToConfirm(request, reply, parts, application, action);
  });

  area.post(address, async (request, reply) => {
    const action = actionOf(request);
    const application = await applicationOf(request, parts);
    const { clientId } = application;
    const faults = await confirmationFaults(request, parts);
    if (faults.length > 0) return askToConfirm(request, reply, parts, application, action, faults);
    const by = {
      userId: memberOf(request).userId,
      address: addressOf(request),
      reason: reasonOf(request),
    };
    const outcome = await decideOnApplication(parts, action, clientId, by, parts.now());
    if (outcome === 'notOperator') throw notFound();
    return reply.redirect(`${APPLICATIONS}/${clientId}?done=${action}`, 303);
  });
}

function actionOf(request: FastifyRequest): ApplicationAction {
  const { action } = request.params as { action: string };
  const known = ACTIONS.find((one) => one === action);
  if (known === undefined) throw notFound();
  return known;
}

function askToConfirm(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { clientId, name, ownerEmail, redirectUris }: ApplicationRow,
  action: ApplicationAction,
  faults: Fault[] = [],
): FastifyReply {
  const member = memberOf(request);
  return sendPage(request, reply, parts, {
    status: faults.length > 0 ? 400 : 200,
    hasErrors: faults.length > 0,
    title: (messages) => messages.operations.applicationActions[action].title(name),
    wide: true,
    account: member,
    main: (messages) =>
      confirmView({
        messages,
        section: 'applications',
        words: messages.operations.applicationActions[action],
        name,
        identity: [
          { label: messages.operations.owner, value: ownerEmail },
          { label: messages.operations.clientId, value: clientId },
          { label: messages.operations.callbacks, value: redirectUris.join(' ') },
        ],
        action: `${APPLICATIONS}/${clientId}/${action}`,
        back: `${APPLICATIONS}/${clientId}`,
        csrf: member.csrf,
        recent: isRecent(member, parts.now()),
        typed: { reason: formOf(request).get('reason') },
        errors: inWords(faults, messages),
        danger: action === 'suspend',
      }),
  });
}
