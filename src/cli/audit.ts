// sesame audit: lists audit events.

import type { Command } from 'commander';
import { messagesFor } from '../i18n/index.ts';
import { isUuid } from '../store/admin-accounts.ts';
import { type EventFilter, eventToJson, listEvents } from '../store/audit-log.ts';
import { findUserByEmail } from '../store/users.ts';
import { CommandError, type Context } from './context.ts';
import { type CreateAction, formatExamples, parseWholeNumber } from './run.ts';

interface ListOptions {
  kind?: string;
  user?: string;
  app?: string;
  api?: string;
  ip?: string;
  from?: string;
  until?: string;
  limit: number;
}

const MAX_LIMIT = 10_000;

async function listAuditEvents({ database }: Context, options: ListOptions) {
  if (options.limit < 1 || options.limit > MAX_LIMIT)
    throw new CommandError(`--limit must be a number from 1 to ${MAX_LIMIT}.`);
  const { kind, user, app, api, ip } = options;
  const kinds = Object.keys(messagesFor('en').operations.events);
  if (kind !== undefined && !kinds.includes(kind))
    throw new CommandError(`Unknown event kind ${kind}. Valid event kinds: ${kinds.toSorted().join(', ')}.`);
  const filter: EventFilter = {
    kind,
    userId: user && (isUuid(user) ? user : (await findUserByEmail(database, user))?.userId),
    clientId: app,
    apiId: api,
    ip,
    from: parseTime('--from', options.from),
    until: parseTime('--until', options.until),
  };
  if (user !== undefined && filter.userId === undefined)
    throw new CommandError(`No account has the email address ${user}. For a deleted account, pass its sub.`);
  const events = await listEvents(database, filter, { limit: options.limit });
  return {
    columns: ['at', 'kind', 'actor', 'account', 'application', 'api', 'ip', 'detail'],
    rows: events.map(eventToJson),
    tableRows: events.map((event) => ({
      ...eventToJson(event),
      actor: event.actorEmail ?? event.actorId,
      account: event.userEmail ?? event.userId,
      application: event.clientId,
      api: event.apiId,
    })),
  };
}

function parseTime(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) || Number.isNaN(date.getTime()))
    throw new CommandError(`${option} must be a date or time, such as 2026-11-20 or 2026-11-20T08:00:00Z.`);
  return date;
}

export function addAuditCommand(program: Command, run: CreateAction): void {
  program
    .command('audit')
    .description('List the latest audit events')
    .option('--kind <kind>', 'kind of event, such as signed_in or account_suspended')
    .option('--user <email>', 'email address or sub of the actor or affected account')
    .option('--app <client-id>', 'client_id of the affected application')
    .option('--api <api-id>', 'api_id of the affected API')
    .option('--ip <ip>', 'IP address of the request')
    .option('--from <time>', 'only events at or after this date or time (UTC)')
    .option('--until <time>', 'only events before this date or time (UTC)')
    .option('--limit <number>', 'maximum number of events', parseWholeNumber, 50)
    .addHelpText(
      'after',
      formatExamples(
        'audit --user ada@example.com --kind sign_in_failed',
        'audit --from 2026-11-20 --limit 500 --json',
      ),
    )
    .action(run(listAuditEvents));
}
