// Audit events and email notifications from commands.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NIL_USER_ID } from '../../src/store/nil-user-id.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createSesameCommand, createSesameProcess } from '../support/sesame-command.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';

let service: TestService;
let smtp: TestSmtp;
const cli = createSesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  [service, smtp] = await Promise.all([startTestService(), startSmtp()]);
});
afterAll(async () => {
  await smtp.close();
  await service.close();
});

const LIST_EVENTS_AFTER = statement(
  'test_cli_events',
  'select kind, actor_id, user_id, client_id, detail from events where id > $1::bigint order by id',
);
const FIND_LAST_EVENT_ID = statement(
  'test_last_event',
  'select coalesce(max(id), 0)::text as id from events',
);

async function runAndListEvents(...args: string[]) {
  const { database } = service.services;
  const [last] = await database.query<{ id: string }>(FIND_LAST_EVENT_ID, []);
  const result = await cli.runJson(...args);
  return { result, events: await database.query(LIST_EVENTS_AFTER, [last?.id]) };
}

test('CLI commands record audit events without an actor', async () => {
  const email = 'owner@cli.example';
  const { result: user, events: created } = await runAndListEvents(
    'users',
    'create',
    '--email',
    email,
    '--name',
    'O',
  );
  const user_id = user.sub;
  const noActor = { actor_id: null, user_id };
  expect(created).toEqual([
    { ...noActor, kind: 'account_created', client_id: null, detail: { email, admin: false } },
  ]);
  const { result: app, events: registered } = await runAndListEvents(
    ...['apps', 'create', '--owner', email, '--name', 'Agenda', '--callback', 'https://cli.example/cb'],
  );
  const client_id = String(app.client_id);
  const name = 'Agenda';
  expect(registered).toEqual([
    { ...noActor, kind: 'application_registered', client_id, detail: { name, type: 'confidential' } },
  ]);
  expect((await runAndListEvents('apps', 'rotate-secret', client_id, '--overlap', '60')).events).toEqual([
    { ...noActor, kind: 'secret_rotated', client_id, detail: { number: 2, overlap: 60 } },
  ]);
  expect((await runAndListEvents('apps', 'delete', client_id)).events).toEqual([
    { ...noActor, kind: 'application_deleted', client_id, detail: { name } },
  ]);
  expect((await runAndListEvents('tokens', 'revoke-all', '--yes')).events).toMatchObject([
    { actor_id: null, user_id: NIL_USER_ID, kind: 'everything_ended' },
  ]);
});

test('a failed CLI command records no audit event', async () => {
  const { database } = service.services;
  const before = await database.query(FIND_LAST_EVENT_ID, []);
  await cli.runFailing(['apps', 'delete', 'app_nobody']);
  await cli.runFailing(['apps', 'rotate-secret', 'app_nobody']);
  await cli.runFailing(['tokens', 'revoke-all']);
  expect(await database.query(FIND_LAST_EVENT_ID, [])).toEqual(before);
});

describe('a CLI command with SMTP_URL set', () => {
  const run = (...args: string[]) =>
    cli.run(args, '', {
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'no-reply@signin.example',
    });

  test('emails the user before it exits', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const { clientId } = await service.createClient({ ownerId: user.userId, name: 'Agenda' });
    const listSentEmails = () => smtp.emails.filter(({ recipients }) => recipients.includes(user.email));
    for (const args of [
      ['users', 'suspend', user.email, '--reason', 'spam'],
      ['users', 'unsuspend', user.email],
      ['users', 'set-password', user.email],
      ['apps', 'suspend', clientId],
      ['apps', 'rotate-secret', clientId],
      ['apps', 'delete', clientId],
      ['users', 'delete', user.email],
    ]) {
      const before = listSentEmails().length;
      const { code, stderr } = await run(...args);
      expect([code, stderr], args.join(' ')).toEqual([0, '']);
      expect(listSentEmails(), args.join(' ')).toHaveLength(before + 1);
    }
    const emails = listSentEmails();
    expect(emails.map(({ subject }) => subject)).toEqual([
      'Votre compte Sésame est suspendu',
      'Votre compte Sésame n’est plus suspendu',
      'Le mot de passe de votre compte Sésame a été remplacé',
      'Une de vos applications est suspendue sur Sésame',
      'Nouveau secret pour une application sur Sésame',
      'Une de vos applications a été supprimée sur Sésame',
      'Votre compte Sésame a été supprimé',
    ]);
    for (const { raw } of emails) expect(raw).not.toContain('spam');
  });

  test('succeeds even if the mail server is unreachable', async () => {
    const user = await service.createUser();
    const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@signin.example' };
    const spawned = createSesameProcess(() => service.databaseUrl);
    const { code, stdout, stderr } = await spawned.run(['users', 'suspend', user.email], '', environment);
    expect([code, stdout.includes('changed  yes')]).toEqual([0, true]);
    expect(stderr).toContain('could not send an email');
    expect(stderr).not.toContain(user.email);
  });
});
