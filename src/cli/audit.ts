// sesame audit: lists events of the audit log.

import type { Command } from 'commander';
import { messagesFor } from '../i18n/index.ts';
import { isUuid } from '../store/account-lists.ts';
import { type EventFilter, eventAsJson, listEvents } from '../store/events.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { type Runs, wholeNumber } from './run.ts';

interface ListOptions {
  kind?: string;
  user?: string;
  app?: string;
  api?: string;
  address?: string;
  from?: string;
  until?: string;
  limit: number;
}

const LONGEST_LIST = 10_000;

/** The latest events of the audit log, or those that a filter lets through. */
async function listAudit({ database }: Context, options: ListOptions) {
  if (options.limit < 1 || options.limit > LONGEST_LIST)
    throw new CommandFault(`--limit is from 1 to ${LONGEST_LIST}.`);
  const { kind, user, app, api, address } = options;
  const kinds = Object.keys(messagesFor('en').operations.events);
  if (kind !== undefined && !kinds.includes(kind))
    throw new CommandFault(
      `There is no event of the kind ${kind}. The kinds are ${kinds.toSorted().join(', ')}.`,
    );
  const filter: EventFilter = {
    kind,
    userId: user && (isUuid(user) ? user : (await findUserByEmail(database, user))?.userId),
    clientId: app,
    apiId: api,
    address,
    from: momentOf('--from', options.from),
    until: momentOf('--until', options.until),
  };
  if (user !== undefined && filter.userId === undefined)
    throw new CommandFault(`No account has the email ${user}. Of a deleted account give the sub.`);
  const events = await listEvents(database, filter, { limit: options.limit });
  return {
    columns: ['at', 'kind', 'actor', 'account', 'application', 'api', 'address', 'detail'],
    rows: events.map(eventAsJson),
    short: events.map((event) => ({
      ...eventAsJson(event),
      actor: event.actorEmail ?? event.actorId,
      account: event.userEmail ?? event.userId,
      application: event.clientId,
      api: event.apiId,
    })),
  };
}

/** A day or a moment in ISO 8601; a day begins in UTC. */
function momentOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) || Number.isNaN(date.getTime()))
    throw new CommandFault(`${option} takes a day or a moment, such as 2026-11-20 or 2026-11-20T08:00:00Z.`);
  return date;
}

export function addAudit(program: Command, run: Runs): void {
  program
    .command('audit')
    .description('the latest events of the audit log')
    .option('--kind <kind>', 'such as signed_in, sign_in_failed or account_suspended')
    .option('--user <email>', 'who did it or whom it was done to, by email or sub')
    .option('--app <client-id>', 'the application that it was done to')
    .option('--api <api-id>', 'the API that it was done to')
    .option('--address <ip>', 'the IP address that it came from')
    .option('--from <day>', 'not before this day or moment')
    .option('--until <day>', 'before this day or moment')
    .option('--limit <number>', 'how many at most', wholeNumber, 50)
    .action(run(listAudit));
}
