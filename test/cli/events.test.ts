// What the command line does is in the audit log, and told by mail to whom it concerns.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_USER } from '../../src/store/no-user.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameCommand, sesameProcess } from '../support/sesame-command.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';

let service: TestService;
let smtp: TestSmtp;
const cli = sesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  [service, smtp] = await Promise.all([startTestService(), startSmtp()]);
});
afterAll(async () => {
  await smtp.close();
  await service.close();
});

const EVENTS = statement(
  'test_cli_events',
  'select kind, actor_id, user_id, client_id, detail from events where id > $1::bigint order by id',
);
const LAST = statement('test_last_event', 'select coalesce(max(id), 0)::text as id from events');

/** What a command adds to the log. */
async function eventsOf(...args: string[]) {
  const { database } = service.parts;
  const [last] = await database.query<{ id: string }>(LAST, []);
  const result = await cli.json(...args);
  return { result, events: await database.query(EVENTS, [last?.id]) };
}

test('accounts and applications: made, given another secret, deleted, for their owner and without an actor', async () => {
  const email = 'owner@cli.example';
  const { result: user, events: made } = await eventsOf('users', 'create', '--email', email, '--name', 'O');
  const user_id = user.sub;
  const nobody = { actor_id: null, user_id };
  expect(made).toEqual([
    { ...nobody, kind: 'account_created', client_id: null, detail: { email, operator: false } },
  ]);
  const { result: app, events: registered } = await eventsOf(
    ...['apps', 'create', '--owner', email, '--name', 'Agenda', '--callback', 'https://cli.example/cb'],
  );
  const client_id = String(app.client_id);
  const name = 'Agenda';
  expect(registered).toEqual([
    { ...nobody, kind: 'application_registered', client_id, detail: { name, type: 'confidential' } },
  ]);
  expect((await eventsOf('apps', 'rotate-secret', client_id, '--overlap', '60')).events).toEqual([
    { ...nobody, kind: 'secret_rotated', client_id, detail: { number: 2, overlap: 60 } },
  ]);
  expect((await eventsOf('apps', 'delete', client_id)).events).toEqual([
    { ...nobody, kind: 'application_deleted', client_id, detail: { name } },
  ]);
  expect((await eventsOf('tokens', 'revoke-all', '--yes')).events).toMatchObject([
    { actor_id: null, user_id: NO_USER, kind: 'everything_ended' },
  ]);
});

test('what is refused is not in the log', async () => {
  const { database } = service.parts;
  const before = await database.query(LAST, []);
  await cli.fault(['apps', 'delete', 'app_nobody']);
  await cli.fault(['apps', 'rotate-secret', 'app_nobody']);
  await cli.fault(['tokens', 'revoke-all']);
  expect(await database.query(LAST, [])).toEqual(before);
});

describe('by mail, where there is a mail server', () => {
  const run = (...args: string[]) =>
    cli.run(args, '', {
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'no-reply@signin.example',
    });

  test('the person is told before the command ends; nothing else is printed', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const { clientId } = await service.createApplication({ ownerId: user.userId, name: 'Agenda' });
    const sent = () => smtp.mails.filter(({ recipients }) => recipients.includes(user.email));
    for (const args of [
      ['users', 'suspend', user.email, '--reason', 'spam'],
      ['users', 'unsuspend', user.email],
      ['users', 'set-password', user.email],
      ['apps', 'suspend', clientId],
      ['apps', 'rotate-secret', clientId],
      ['apps', 'delete', clientId],
      ['users', 'delete', user.email],
    ]) {
      const before = sent().length;
      const { code, stderr } = await run(...args);
      expect([code, stderr], args.join(' ')).toEqual([0, '']);
      expect(sent(), args.join(' ')).toHaveLength(before + 1);
    }
    const mails = sent();
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Votre compte Sésame est suspendu',
      'Votre compte Sésame n’est plus suspendu',
      'Le mot de passe de votre compte Sésame a été remplacé',
      'Une de vos applications est suspendue sur Sésame',
      'Nouveau secret pour une application sur Sésame',
      'Une de vos applications a été supprimée sur Sésame',
      'Votre compte Sésame a été supprimé',
    ]);
    for (const { raw } of mails) expect(raw).not.toContain('spam');
  });

  test('a mail server that cannot be reached does not undo it: it is said on standard error', async () => {
    const user = await service.createUser();
    const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@signin.example' };
    const spawned = sesameProcess(() => service.databaseUrl);
    const { code, stdout, stderr } = await spawned.run(['users', 'suspend', user.email], '', environment);
    expect([code, stdout.includes('changed  yes')]).toEqual([0, true]);
    expect(stderr).toContain('a mail could not be sent');
    expect(stderr).not.toContain(user.email);
  });
});
