// sesame users …: creates and manages accounts.
import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { cleanName, isEmail, isPhone, nameFault } from '../accounts/account-fields.ts';
import { decideOnAccount } from '../accounts/moderation.ts';
import { announce } from '../accounts/notifications.ts';
import { invite } from '../credentials/operator-mails.ts';
import {
  type Asked,
  askForFactorReset,
  delayFactorReset,
  withdrawFactorReset,
} from '../credentials/second-factor-reset.ts';
import { createAccount } from '../credentials/sign-up.ts';
import type { Locale } from '../i18n/index.ts';
import { LOCALES } from '../i18n/index.ts';
import { readEmail } from '../oauth/email.ts';
import { findAccount } from '../store/account-lists.ts';
import { findContact, notePassword } from '../store/credentials.ts';
import { recordEvent } from '../store/events.ts';
import type { AccountAction } from '../store/moderation.ts';
import { findReset } from '../store/second-factor-resets.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { listSignIns } from '../store/sign-ins.ts';
import { changePassword, findUserByEmail, forgetBrowsers, listUsers } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { readPassword } from './password-input.ts';
import { type Runs, table } from './run.ts';

/** One account: what it is, and by what it is entered. */
async function showUser({ database, now }: Context, email: string) {
  const user = await findUserByEmail(database, email);
  const account = user && (await findAccount(database, user.userId, now));
  if (account === undefined) throw new CommandFault(`There is no account with the email ${email}.`);
  const signIns = await listSignIns(database, account.userId);
  const json = {
    sub: account.userId,
    email: account.email,
    name: account.name,
    phone: account.phone,
    email_verified: account.emailVerified,
    operator: account.operator,
    suspended: account.suspended,
    invited: account.invited,
    created_at: account.createdAt.toISOString(),
    has_password: account.hasPassword,
    password_chosen_at: account.passwordChosenAt?.toISOString() ?? null,
    authenticator_app_since: account.appSince?.toISOString() ?? null,
    recovery_codes_left: account.recoveryCodes,
    trusted_browsers: account.trustedBrowsers,
    passkeys: account.passkeys,
    second_factor_reset_due_at: account.resetDueAt?.toISOString() ?? null,
    open_sessions: account.openSessions,
    sign_ins: signIns.map(({ at, way, address, browser, system }) => ({
      at: at.toISOString(),
      way: way ?? null,
      address,
      browser: browser ?? null,
      system: system ?? null,
    })),
  };
  const { sign_ins, ...facts } = json;
  const rows = Object.entries(facts).map(([name, value]) => [name, value === null ? '' : String(value)]);
  const ofSignIns = sign_ins.map(({ at, way, address }) => [
    'sign_in',
    [at, way, address].filter((part) => part !== null).join(' '),
  ]);
  return { text: table(['what', 'value'], [...rows, ...ofSignIns]), json };
}

/** What is said of each thing that asking can come to; `until` is when the delay is over. */
const ASKED: Record<
  Exclude<Asked, 'gone' | 'self' | 'notOperator'>,
  (who: string, until: string) => string
> = {
  asked: (who, until) =>
    `The second factor of ${who} is taken away ${until}; until then, its person can stop it.`,
  waiting: (who, until) => `That was asked for already: the second factor of ${who} is taken away ${until}.`,
  reset: (who) => `The second factor of ${who} is taken away.`,
  nothing: (who) => `${who} has no such second factor: nothing has changed.`,
  suspended: (who) => `${who} is suspended: nothing has changed.`,
};

/** Requests the reset of a lost second factor, or stops one. */
async function resetSecondFactor(
  context: Context,
  email: string,
  options: { stop?: boolean; passkeys?: boolean; now?: boolean; reason?: string },
) {
  const { database, now } = context;
  const user = await findUserByEmail(database, email);
  if (user === undefined) throw new CommandFault(`There is no account with the email ${email}.`);
  const { userId } = user;
  const parts = { ...context, sealer: await context.sealer() };
  const by = { reason: options.reason && cleanName(options.reason) };
  if (options.stop) {
    const stopped = await withdrawFactorReset(parts, userId, by, now);
    const text = stopped ? `${user.email} keeps its second factor.` : `Nothing waits for ${user.email}.`;
    return { text, json: { email: user.email, stopped } };
  }
  const how = { passkeys: options.passkeys ?? false, atOnce: options.now ?? false };
  const outcome = await askForFactorReset(parts, userId, how, by, now);
  if (outcome === 'gone' || outcome === 'self' || outcome === 'notOperator')
    throw new CommandFault(`There is no account with the email ${email}.`);
  const dueAt = (await findReset(database, userId))?.dueAt.toISOString();
  return {
    text: ASKED[outcome](user.email, dueAt === undefined ? 'at once' : `at ${dueAt}`),
    json: { email: user.email, outcome, due_at: dueAt ?? null },
  };
}

interface CreateOptions {
  email: string;
  name: string;
  phone?: string;
  verified?: boolean;
  operator?: boolean;
  passwordStdin?: boolean;
}

async function createUser(context: Context, options: CreateOptions) {
  const { database, hasher, now } = context;
  const name = cleanName(options.name);
  const { phone } = options;
  const email = readEmail(options.email);
  requireNamed(email, name);
  if (phone !== undefined && !isPhone(phone))
    throw new CommandFault('The phone number must be in international format, such as +33612345678.');
  const given = options.passwordStdin ? await readPassword(context, [name, email]) : undefined;
  const password = given ?? randomBytes(15).toString('base64url');
  const passwordHash = await (await hasher()).hash(password);
  const { verified: emailVerified, operator } = options;
  const fields = { email, name, passwordHash, phone, emailVerified, operator };
  const account = await database.transaction(async (transaction) => {
    const created = await createAccount(transaction, fields, now);
    if (created === undefined) return undefined;
    const { userId } = created;
    const detail = { email, operator: operator ?? false };
    await recordEvent(transaction, { kind: 'account_created', userId, detail }, now);
    return created;
  });
  if (account === undefined) throw new CommandFault(`An account with the email ${email} exists already.`);
  const { userId: sub } = account;
  return {
    text: `Created ${email} (${sub}).${given === undefined ? `\nPassword, shown once: ${password}` : ''}`,
    json: { sub, email, ...(given === undefined && { password }) },
  };
}

/** Creates an account and has its owner sent a link to choose the password, as an operator does in the console. */
async function inviteUser(
  context: Context,
  { email: typedEmail, name: typed, language }: { email: string; name: string; language: Locale },
) {
  const email = readEmail(typedEmail);
  const name = cleanName(typed);
  requireNamed(email, name);
  if (!context.mailer.available)
    throw new CommandFault('SMTP_URL is not set: nobody would get the invitation.');
  const parts = { ...context, hasher: await context.hasher(), sealer: await context.sealer() };
  const done = await invite(parts, { email, name, locale: language }, {}, context.now);
  if (done.outcome !== 'invited')
    throw new CommandFault(`An account with the email ${email} exists already.`);
  return { text: `Invited ${email} (${done.userId}).`, json: { sub: done.userId, email } };
}

function requireNamed(email: string, name: string): void {
  if (!isEmail(email)) throw new CommandFault(`${JSON.stringify(email)} is not an email address.`);
  if (nameFault(name) !== undefined)
    throw new CommandFault('The name is missing or longer than 100 characters.');
}

/** Gives an account another password, where its owner cannot have a link sent. Sessions and tokens end; consents stay. */
async function setPassword(context: Context, email: string, options: { passwordStdin?: boolean }) {
  const { database, hasher, now } = context;
  const user = await findUserByEmail(database, email);
  if (user === undefined) throw new CommandFault(`There is no account with the email ${email}.`);
  const given = options.passwordStdin ? await readPassword(context, [user.name, user.email]) : undefined;
  const password = given ?? randomBytes(15).toString('base64url');
  const hash = await (await hasher()).hash(password);
  const { userId } = user;
  await database.transaction(async (transaction) => {
    await holdAllChanges(transaction, userId);
    await endSessions(transaction, userId, now);
    await changePassword(transaction, userId, hash);
    await notePassword(transaction, userId, now);
    await forgetBrowsers(transaction, userId);
    await delayFactorReset(transaction, userId, now);
    await recordEvent(transaction, { kind: 'password_reset', userId }, now);
  });
  const mailbox = await findContact(database, userId);
  if (mailbox !== undefined) await announce(context, mailbox, 'password_set', {}, now);
  return {
    text: `Changed the password of ${user.email}: every session and token has ended.${given === undefined ? `\nPassword, shown once: ${password}` : ''}`,
    json: { sub: userId, email: user.email, ...(given === undefined && { password }) },
  };
}

async function listAllUsers({ database }: Context) {
  const rows = await listUsers(database);
  return {
    text: table(
      ['sub', 'email', 'name', 'verified', 'operator', 'suspended', 'created'],
      rows.map((row) => [
        row.userId,
        row.email,
        row.name,
        row.emailVerified ? 'yes' : 'no',
        row.operator ? 'yes' : 'no',
        row.suspended ? 'yes' : 'no',
        row.createdAt.toISOString().slice(0, 10),
      ]),
    ),
    json: rows.map((row) => ({
      sub: row.userId,
      email: row.email,
      name: row.name,
      phone: row.phone,
      email_verified: row.emailVerified,
      operator: row.operator,
      suspended: row.suspended,
      invited: row.invited,
      created_at: row.createdAt.toISOString(),
    })),
  };
}

/** What is said of each thing that can be done to an account. */
const DONE: Record<AccountAction, (who: string) => string> = {
  suspend: (who) => `Suspended ${who}: every session and token has ended.`,
  unsuspend: (who) => `Lifted the suspension of ${who}.`,
  end: (who) => `Ended every session and token of ${who}.`,
  grant: (who) => `${who} is an operator.`,
  revoke: (who) => `${who} is no operator any more.`,
  delete: (who) => `Deleted ${who}.`,
};

/** Does something to an account that is named by its email. */
const moderateUser =
  (action: AccountAction) =>
  async (context: Context, email: string, { reason }: { reason?: string }) => {
    const user = await findUserByEmail(context.database, email);
    if (user === undefined) throw new CommandFault(`No account has the email ${email}.`);
    const by = { reason: reason && cleanName(reason) };
    const outcome = await decideOnAccount(context, action, user.userId, by, context.now);
    if (outcome === 'lastOperator')
      throw new CommandFault('This is the last operator: make another one first.');
    if (outcome === 'gone') throw new CommandFault(`No account has the email ${email}.`);
    return {
      text: DONE[action](`${user.email} (${user.userId})`),
      json:
        action === 'delete'
          ? { deleted: user.userId, email: user.email }
          : { sub: user.userId, email: user.email, changed: outcome === 'done' },
    };
  };

export function addUsers(program: Command, run: Runs): void {
  const users = program.command('users').description('accounts');
  users
    .command('create')
    .description('create an account; without --password-stdin a password is made and printed once')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .option('--phone <number>', 'international format, with a leading +')
    .option('--verified', 'the email is known to be theirs')
    .option('--operator', 'may administer this service')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(createUser));
  users
    .command('invite')
    .description('create an account and mail its owner a link to choose a password')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .addOption(new Option('--language <tag>', 'language of the mail').choices(LOCALES).default('fr'))
    .action(run(inviteUser));
  users
    .command('set-password')
    .description(
      'give an account another password, made and printed once unless it comes by --password-stdin',
    )
    .argument('<email>')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(setPassword));
  users
    .command('show')
    .description('one account: what it is, what opens it, its last sign-ins')
    .argument('<email>')
    .action(run(showUser));
  users.command('list').description('list all accounts').action(run(listAllUsers));
  users
    .command('reset-second-factor')
    .description(
      'take the authenticator app and the recovery codes of an account away, for whoever has lost both, after a day',
    )
    .argument('<email>')
    .option('--passkeys', 'take its passkeys away, too: whoever has one still needs no help')
    .option('--now', 'without that delay')
    .option('--stop', 'stop what was asked for before, and leave everything as it is')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(resetSecondFactor));
  for (const [name, action, description] of [
    ['suspend', 'suspend', 'nobody signs in to an account any more, and all it gave out dies at once'],
    ['unsuspend', 'unsuspend', 'lift the suspension of an account'],
    ['end-sessions', 'end', 'end every session and token of an account at once'],
    ['grant-operator', 'grant', 'let an account administer this service'],
    ['revoke-operator', 'revoke', 'take that away again; never from the last operator'],
    ['delete', 'delete', 'delete an account and all that hangs on it'],
  ] as const)
    users
      .command(name)
      .description(description)
      .argument('<email>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderateUser(action)));
}
