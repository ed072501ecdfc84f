// What a request asks of the database, counted on the wire.
import type { DatabaseProxy } from './database-proxy.ts';
import type { TestService } from './service.ts';

/** What belongs to no request: mails on their way are looked for, and gone once sent, whatever else happens. */
const BACKGROUND = ['claim_mail', 'delete_mail'];

/**
 * What the database is asked to execute during `work`, and what that gave. What was noted before and is written a while
 * later is written first: on a slow machine its time would come in the middle.
 */
export async function statementsDuring<Result>(
  { parts }: TestService,
  proxy: DatabaseProxy,
  work: () => Promise<Result>,
): Promise<{ result: Result; statements: string[] }> {
  await Promise.all([parts.diagnostics, parts.activity, parts.usage].map((behind) => behind.flush()));
  proxy.forget();
  const result = await work();
  return { result, statements: proxy.executed().filter((name) => !BACKGROUND.includes(name)) };
}
