// /console/operations/apis/:apiId/:action: what operators do about an API, each on a page of its own.
import type { FastifyInstance } from 'fastify';
import { decideOnApi } from '../../accounts/announcements.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import type { ApiAction } from '../../store/moderation.ts';
import { apiActionsFor, apiOf } from './apis.ts';
import { confirmView } from './confirm-view.ts';
import { actionOf, operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { APIS } from './frame-view.ts';

const ACTIONS: readonly ApiAction[] = ['suspend', 'unsuspend'];

export function apiActionPages(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APIS}/:apiId/:action`,
    about: async (request) => ({ action: actionOf(request, ACTIONS), api: await apiOf(request, parts) }),
    elsewhere: ({ action, api }, request) =>
      !isSafe(request) || apiActionsFor(api).includes(action) ? undefined : `${APIS}/${api.apiId}`,
    read: readConfirmation,
    faults: ({ fields }) => reasonFaults(fields),
    proof: true,
    async act({ request, about: { action, api }, fields }) {
      const by = operatorOf(request, fields);
      const outcome = await decideOnApi(parts, action, api.apiId, by, parts.now());
      if (outcome === 'notOperator') throw notFound();
      return `${APIS}/${api.apiId}?done=${action}`;
    },
    page: ({ about: { action, api }, fields: typed }) => ({
      title: (messages) => messages.operations.apiActions[action].title(api.name),
      main(form) {
        const { apiId, name, identifier, ownerEmail } = api;
        const text = form.messages.operations;
        return confirmView({
          ...form,
          section: 'apis',
          words: text.apiActions[action],
          name,
          identity: [
            { label: text.owner, value: ownerEmail },
            { label: text.apiIdentifier, value: identifier, code: true },
          ],
          action: `${APIS}/${apiId}/${action}`,
          back: `${APIS}/${apiId}`,
          typed,
          danger: action === 'suspend',
        });
      },
    }),
  });
}
