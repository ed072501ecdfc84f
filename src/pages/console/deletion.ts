// /console/applications/:client_id/delete: deleting an application.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { deleteApplication } from '../../applications/changes.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { countPeople } from '../../store/applications.ts';
import { deletionView } from './deletion-view.ts';
import { ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, ownedApplication } from './parts-view.ts';

export function deletionPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: `${APPLICATIONS}/:client_id/delete`,
    about: (request) => ownApplication(request, parts),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ about: { name }, fields }) =>
      cleanName(fields.name) === name
        ? []
        : [{ field: 'name', text: ({ applications }) => applications.problems.nameDiffers }],
    proof: true,
    async act({ request, about: { clientId, name } }) {
      if (!(await deleteApplication(database, ownerOf(request), clientId, name, parts.now())))
        throw notFound();
      return { to: `${APPLICATIONS}?done=deleted`, notice: 'application_deleted', subject: name };
    },
    async page({ about: application, fields }) {
      const people = await countPeople(database, application.clientId);
      return {
        title: (messages) => messages.applications.remove.title(application.name),
        main: (form) => {
          const { people: affected, ...words } = form.messages.applications.remove;
          const text = `${affected(people)} ${words.text}`;
          const owned = ownedApplication(application);
          return deletionView({ ...form, owned, words: { ...words, text }, typed: fields.name });
        },
      };
    },
  });
}
