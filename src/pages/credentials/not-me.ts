// GET and POST /security/not-me: the link in every mail about a change, for whoever did not make it.
import type { FastifyInstance } from 'fastify';
import { isHeld, type Undone } from '../../accounts/undoing.ts';
import { disown, disownedBy, disowningOf } from '../../credentials/disown.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { listDisownedBriefly, thingOf } from '../../store/session-changes.ts';
import { deadLink, openFormToken, requireOpenForm } from '../../web/asking.ts';
import { doneOf } from '../../web/faults.ts';
import { notMeView, stoppedView, takenView } from './letters-view.ts';

const PATH = '/security/not-me';
/** Lines that the address of the page afterwards has room for. */
const MOST = 25;

export function notMePage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) return showDone();
    const found = await findToken(parts.database, hash, ['not_me'], parts.now());
    if (found === undefined) throw deadLink();
    const csrf = openFormToken(reply, parts);
    const changes = undoneOf(await listDisownedBriefly(parts.database, disownedBy(found)));
    return reply.page({
      title: (messages) => messages.account.credentials.notMe.title,
      main: (messages) =>
        notMeView({
          messages,
          csrf,
          token,
          ends: disowningOf(found),
          changes,
          restores: found.currentEmail === found.email ? undefined : found.email,
        }),
    });

    function showDone() {
      if (queryOf(request).get('done') === undefined) throw deadLink();
      const changes = opened(queryOf(request).get('undone'));
      return reply.page({
        title: (messages) => messages.account.credentials.notMe.doneTitle,
        reach: changes.some(({ held }) => held),
        main: (messages) => {
          const text = messages.account.credentials.notMe;
          return stoppedView({
            messages,
            text: doneOf(request, text.done) ?? text.done.session,
            changes,
          });
        },
      });
    }
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const ended = hash === undefined ? 'dead' : await disown(parts, hash, addressOf(request), parts.now());
    if (ended === 'dead') throw deadLink();
    if (ended !== 'taken') {
      const undone = ended.undone.length > 0 ? `&undone=${sealed(ended.undone)}` : '';
      return reply.redirect(`${PATH}?done=${ended.ended}${undone}`, 303);
    }
    return reply.page({
      status: 409,
      reach: true,
      title: (messages) => messages.account.credentials.confirm.takenTitle,
      main: (messages) => takenView(messages, messages.account.credentials.notMe.taken),
    });
  });

  /** What was undone, for the page after it: in the address, where nobody else can put anything. */
  function sealed(undone: readonly Undone[]): string {
    const list = undone.slice(0, MOST).map(({ kind, name, held }) => [kind, name, held]);
    return parts.sealer.sealJson('undone', list);
  }

  function opened(text: string | undefined): Undone[] {
    const list = parts.sealer.openJson<[Undone['kind'], string, boolean][]>('undone', text) ?? [];
    return list.map(([kind, name, held]) => ({ kind, name, held }));
  }
}

/** What the page lists before it is done: a line for what was done to an application or API, however often. */
const undoneOf = (changes: Awaited<ReturnType<typeof listDisownedBriefly>>): Undone[] =>
  changes.map((change) => ({
    kind: change.kind,
    name: change.name ?? thingOf(change),
    held: isHeld(change.kind),
  }));
