// /console/operations/applications/:clientId/:action: what operators do about an application, each on a page of its own.
import type { FastifyInstance } from 'fastify';
import { decideOnApplication } from '../../accounts/announcements.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import { applicationActionsFor, applicationOf } from './applications.ts';
import { confirmView } from './confirm-view.ts';
import { actionOf, operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { APPLICATIONS } from './frame-view.ts';

const ACTIONS: readonly ApplicationAction[] = ['suspend', 'unsuspend', 'verify', 'unverify'];

export function applicationActionPages(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APPLICATIONS}/:clientId/:action`,
    about: async (request) => ({
      action: actionOf(request, ACTIONS),
      application: await applicationOf(request, parts),
    }),
    elsewhere: ({ action, application }, request) =>
      !isSafe(request) || applicationActionsFor(application).includes(action)
        ? undefined
        : `${APPLICATIONS}/${application.clientId}`,
    read: readConfirmation,
    faults: ({ fields }) => reasonFaults(fields),
    proof: true,
    async act({ request, about: { action, application }, fields }) {
      const { clientId } = application;
      const by = operatorOf(request, fields);
      const outcome = await decideOnApplication(parts, action, clientId, by, parts.now());
      if (outcome === 'notOperator') throw notFound();
      return `${APPLICATIONS}/${clientId}?done=${action}`;
    },
    page: ({ about: { action, application }, fields: typed }) => ({
      title: (messages) => messages.operations.applicationActions[action].title(application.name),
      main(form) {
        const { clientId, name, ownerEmail, redirectUris } = application;
        const text = form.messages.operations;
        return confirmView({
          ...form,
          section: 'applications',
          words: text.applicationActions[action],
          name,
          identity: [
            { label: text.owner, value: ownerEmail },
            { label: text.clientId, value: clientId, code: true },
            { label: text.callbacks, value: redirectUris, code: true },
          ],
          action: `${APPLICATIONS}/${clientId}/${action}`,
          back: `${APPLICATIONS}/${clientId}`,
          typed,
          danger: action === 'suspend',
        });
      },
    }),
  });
}
