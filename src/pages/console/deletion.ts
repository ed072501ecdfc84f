// …/delete of an application or an API.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { notFound } from '../../oauth/errors.ts';
import { deleteThing } from '../../ownership/deletion.ts';
import { countPeople } from '../../store/applications.ts';
import { findResult } from '../../store/spent-tokens.ts';
import { oneUse } from '../../web/csrf.ts';
import { deletionView } from './deletion-view.ts';
import { idOf } from './frame-view.ts';
import { ownerOf, type Section } from './sections.ts';

export function deletionPage(area: FastifyInstance, parts: Parts, { kind, list, url, find }: Section): void {
  const { database } = parts;
  const deleted = `${list}?done=deleted`;
  /** Whether this very form, sent before, has deleted it. */
  const isRepeated = async (request: FastifyRequest) =>
    !isSafe(request) && (await findResult(database, oneUse(request, parts).key)) !== undefined;

  area.formPage({
    url: `${url}/delete`,
    about: async (request) => ((await isRepeated(request)) ? undefined : find(request, parts)),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ about: thing, fields }) =>
      thing === undefined || cleanName(fields.name) === thing.name
        ? []
        : [{ field: 'name', text: ({ ownership }) => ownership.remove.nameDiffers[kind] }],
    proof: true,
    async act({ request, about: thing }) {
      if (thing === undefined) return deleted;
      const { name } = thing;
      const once = { name, token: oneUse(request, parts) };
      if (await deleteThing(kind, database, ownerOf(request), idOf(thing), once, parts.now()))
        return { to: deleted, notice: `${kind}_deleted`, subject: name };
      if (await isRepeated(request)) return deleted;
      throw notFound();
    },
    async page({ about: thing, fields }) {
      if (thing === undefined) throw notFound();
      const people = kind === 'application' ? await countPeople(database, idOf(thing)) : undefined;
      return {
        title: ({ ownership }) => ownership.remove.title(thing.name),
        main: (form) => deletionView({ ...form, thing, people, typed: fields.name }),
      };
    },
  });
}
